package wiring

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// manySMs is the number of SMs from which on a simulation uses huge pages, and hugeBytes how
// much of the process' memory can be in them: twice what a GPU of 132 SMs takes.
const (
	manySMs   = 32
	hugeBytes = 256 << 20
)

// useHugePages has the memory that the process is going to use be in huge pages, where the
// kernel has such: in each cycle a simulation touches memory of every SM, and with many SMs
// that is more pages than the processor's TLB has entries. Memory is asked for, advised and
// given back, so that what is made next lies in it. Where the kernel refuses, the
// simulation is slower, and nothing else.
var useHugePages = sync.OnceFunc(func() {
	memory := make([]byte, hugeBytes)
	_ = unix.Madvise(memory, unix.MADV_HUGEPAGE)
	runtime.KeepAlive(memory)
	memory = nil
	runtime.GC()
})
