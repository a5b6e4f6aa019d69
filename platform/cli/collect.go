package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// A process collects no garbage before its heap has this many times the 4 MB at which Go
// first collects. Making a GPU and its workload takes 12 MB, most of which lives as long as the GPU, so a
// short run would spend a third of its processor time on collections that find little.
const firstCollection = 8

// putOffCollection sets the heap's size at the first collection. From then on the heap
// grows as in every Go program. GOGC has precedence.
func putOffCollection() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(firstCollection * 100)
	// The first collection frees the block.
	runtime.AddCleanup(new([64]byte), func(percent int) { debug.SetGCPercent(percent) }, usual)
}
