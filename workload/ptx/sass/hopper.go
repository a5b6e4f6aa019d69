package sass

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
)

// hopper is the sequence of an mbarrier's instruction, a bulk copy or a product of four warps.
//
// An arrival at an mbarrier is an atomic operation on shared memory. A look at one is a load, and a wait
// until the phase has ended. A bulk copy is one instruction.
func hopper(in *ptx.Inst) []step {
	switch {
	case in.Has("pending_count"):
		return one(workload.Int)
	case in.Has("mma_async"):
		return one(workload.Tensor)
	case in.Has("test_wait"), in.Has("try_wait"):
		return []step{{class: workload.Load, count: 1}, {class: workload.Await, count: 1}}
	case in.Op == "mbarrier", in.Has("mbarrier"):
		return one(workload.Reduction)
	case in.Has("commit_group"):
		return one(workload.Commit)
	case in.Has("wait_group"):
		return one(workload.Await)
	case in.Has("prefetch"), in.Op == "wgmma":
		return one(workload.Nop)
	case in.Has("mbarrier::complete_tx::bytes"):
		return one(workload.Copy)
	}
	return one(workload.Store)
}
