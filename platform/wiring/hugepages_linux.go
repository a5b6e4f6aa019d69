package wiring

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// hugeBytes is how much of the process' memory can be in huge pages. h100, with 132 SMs, takes
// 107 MB with a statistical profile, the program included.
const hugeBytes = 256 << 20

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
