package sass

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
)

// hopper is the sequence of an mbarrier's instruction, a bulk copy or a product of four warps.
//
// An arrival at an mbarrier is an atomic operation on shared memory, and a look at one a load. A bulk copy
// accesses up to 32 lines of 16 bytes of what it copies, evenly distributed; nothing waits for the access.
func hopper(in *ptx.Inst) []step {
	switch {
	case in.Has("pending_count"):
		return one(workload.Int)
	case in.Has("mma_async"):
		return one(workload.Tensor)
	case in.Has("test_wait"), in.Has("try_wait"):
		return one(workload.Load)
	case in.Op == "mbarrier", in.Has("mbarrier"):
		return one(workload.Reduction)
	case in.Op == "wgmma" && in.Has("commit_group"):
		return one(workload.Commit)
	case in.Op == "wgmma" && in.Has("wait_group"):
		return one(workload.Await)
	case in.Has("wait_group"):
		return one(workload.Fence)
	case in.Has("prefetch"), in.Has("commit_group"), in.Op == "wgmma":
		return one(workload.Nop)
	case in.Has("mbarrier::complete_tx::bytes"):
		return one(workload.Load)
	}
	return one(workload.Store)
}
