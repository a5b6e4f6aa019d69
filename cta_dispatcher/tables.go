package dispatcher

import (
	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/workload"
)

// kernelStatus is an entry of the kernel status table: one active kernel.
type kernelStatus struct {
	kernel *workload.Kernel
	launch workload.Launch
	number uint64 // of the tenant's launches, from 0; the context's identity
	demand occupancy.Demand
	issued int // TBs placed at least once
	done   int // TBs finished
	// preempted TBs go before new ones.
	preempted components.FIFO[preemptedTB]
}

// preemptedTB is an entry of a kernel's preempted-TB queue.
type preemptedTB struct {
	tb *workload.TB
	// context is the address of the saved context.
	context uint64
}

// waiting is the number of TBs that can be placed.
func (k *kernelStatus) waiting() int {
	return k.kernel.TBs() - k.issued + k.preempted.Len()
}

// DemandOf is what one TB of a kernel takes of an SM.
func DemandOf(k *workload.Kernel) occupancy.Demand {
	return occupancy.Demand{TBs: 1, Threads: k.ThreadsPerTB(), Warps: k.WarpsPerTB(),
		Registers: k.RegistersPerTB, SharedBytes: k.SharedBytesPerTB}
}
