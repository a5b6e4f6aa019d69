package reproduce

import (
	"context"

	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/script"
)

const (
	// fullAfter is the cycle by which one SM has all thread blocks that it holds.
	fullAfter = 2000
	// savedAfter is the cycle by which the largest context has been saved: 368 KB
	// at 16 GB/s and 706 MHz take 16,000.
	savedAfter = 30_000
)

// emptied places thread blocks as fcfs does, and at the end of the first epoch
// switches the whole SM out.
type emptied struct{ done bool }

// Needs makes it a policy.Policy: by the end of an epoch the SMs are full.
func (*emptied) Needs() policy.Needs { return policy.Needs{Epoch: fullAfter} }

// Decide fills the SMs, and switches the first out once.
func (e *emptied) Decide(v *policy.View, a policy.Actions) {
	switch {
	case e.done:
	case v.Event == policy.Epoch:
		e.done = true
		a.PreemptSM(0, policy.Switch)
	default:
		for _, tenant := range v.Active {
			policy.Breadth(v, a, tenant, func(int) bool { return true })
		}
	}
}

// saveTime simulates one SM of a GPU that is full of a kernel's thread blocks,
// and returns the core cycles in which the preemption engine sends their
// contexts, and how many it saved. The thread blocks have the kernel's demands
// and compute without end.
func saveTime(ctx context.Context, gpu wiring.Config, kernel *workload.Kernel) (cycles, tbs uint64, err error) {
	gpu.SMs = wiring.EqualSMs(1)
	var list []workload.Inst
	for range savedAfter {
		list = append(list, script.Op(workload.Int, 1, 1))
	}
	k := script.Kernel(kernel.Name, gpu.SM.TBs, kernel.ThreadsPerTB(), func(int, int) []workload.Inst { return list })
	k.RegistersPerTB, k.SharedBytesPerTB = kernel.RegistersPerTB, kernel.SharedBytesPerTB
	p, err := wiring.New(gpu, &emptied{}, []host.Process{{App: script.App(kernel.Name, k)}})
	if err != nil {
		return 0, 0, err
	}
	if err := p.Run(ctx, savedAfter, nil); err != nil {
		return 0, 0, err
	}
	saved := p.Counters(savedAfter).PreEng.Tenants[0]
	return saved.SaveCycles, saved.Saves, nil
}
