package tests

import (
	"context"
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/wiring"
	"cotenant/sm"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// later is fcfs that does something at the end of the first of its windows.
type later struct {
	at   uint64
	act  func(v *policy.View, a policy.Actions)
	done bool
}

func (l *later) Needs() policy.Needs { return policy.Needs{Epoch: l.at} }

func (l *later) Decide(v *policy.View, a policy.Actions) {
	switch {
	case v.Event == policy.Epoch && !l.done:
		l.done = true
		l.act(v, a)
	case l.done:
	default:
		for _, tenant := range v.Active {
			policy.Breadth(v, a, tenant, func(int) bool { return true })
		}
	}
}

// busy is a kernel of long arithmetic, every instruction of a warp dependent on
// the one before.
func busy(name string, tbs, threads, registers, shared int) *workload.App {
	var list []workload.Inst
	for i := range 20_000 {
		list = append(list, script.Op(workload.Int, uint8(i%2), uint8(1-i%2)))
	}
	k := script.Kernel(name, tbs, threads, func(int, int) []workload.Inst { return list })
	k.RegistersPerTB, k.SharedBytesPerTB = registers, shared
	return script.App(name, k)
}

// issuing runs two tenants on one SM, and has a tenant or the whole SM switched
// out in the middle. It returns the share of scheduler-cycles in which the other
// tenant issued over as many cycles before the switch and during it.
func issuing(t *testing.T, whole bool) (before, during float64) {
	gpu := *preset(t, "plain16")
	gpu.SMs = wiring.EqualSMs(1)
	gpu.PreEng.Bandwidth = 14_000 // so that the switch takes its time: 224 GB/s over 16 SMs
	var start, end uint64
	p := &later{at: 5000, act: func(v *policy.View, a policy.Actions) {
		if whole {
			a.PreemptSM(0, policy.Switch)
		} else {
			a.Preempt(0, 0, v.SMs[0].Staying(0), policy.Switch)
		}
	}}
	share := func(until uint64) uint64 {
		platform := built(t, gpu, p, true, busy("leaves", 2, 128, 25_000, 0), busy("stays", 2, 128, 2000, 0))
		require.NoError(t, platform.Run(context.Background(), until, nil))
		c := platform.Counters(until)
		if c.PreEng.Tenants[0].Saves > 0 {
			start, end = 5000, 5000+c.PreEng.Tenants[0].SaveCycles+c.PreEng.Tenants[1].SaveCycles
		}
		p.done = false
		own := c.SM.Tenant(1)
		return own.Stalls[sm.Issued]
	}
	share(30_000)
	require.Greater(t, end-start, uint64(3000))
	length := min(end-start, 4000)
	atStart := share(start)
	return float64(atStart-share(start-length)) / float64(length), float64(share(start+length)-atStart) / float64(length)
}

func TestPartialContextSwitchLetsTheOthersGoOn(t *testing.T) {
	before, during := issuing(t, false)
	t.Logf("instructions a cycle: %.3f before, %.3f during the switch", before, during)
	require.GreaterOrEqual(t, during, 0.9*before)
}

func TestContextSwitchOfAnSMHaltsIt(t *testing.T) {
	before, during := issuing(t, true)
	t.Logf("instructions a cycle: %.3f before, %.3f during the switch", before, during)
	require.Positive(t, before)
	require.Less(t, during, 0.01*before, "what was on its way into the SM when the order came")
}
