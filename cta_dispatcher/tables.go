package dispatcher

import (
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
	preempted preemptedQueue
}

// preemptedTB is a thread block that was taken off its SM, and the address of
// its saved context.
type preemptedTB struct {
	tb      *workload.TB
	context uint64
}

// preemptedQueue is a kernel's PTBQ: first preempted, first placed again.
type preemptedQueue struct{ list []preemptedTB }

func (q *preemptedQueue) len() int { return len(q.list) }

func (q *preemptedQueue) push(tb preemptedTB) { q.list = append(q.list, tb) }

// pop takes the thread block that has waited longest; there must be one.
func (q *preemptedQueue) pop() preemptedTB {
	first := q.list[0]
	q.list = q.list[:copy(q.list, q.list[1:])]
	return first
}

// waiting is the number of TBs that can be placed.
func (k *kernelStatus) waiting() int {
	return k.kernel.TBs() - k.issued + k.preempted.len()
}

// DemandOf is what one TB of a kernel takes of an SM.
func DemandOf(k *workload.Kernel) occupancy.Demand {
	return occupancy.Demand{TBs: 1, Threads: k.ThreadsPerTB(), Warps: k.WarpsPerTB(),
		Registers: k.RegistersPerTB, SharedBytes: k.SharedBytesPerTB}
}
