package contract

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// meddler is fcfs, and does something else besides.
type meddler struct {
	policy.Policy
	meddle func(v *policy.View, a policy.Actions)
}

func (m meddler) Decide(v *policy.View, a policy.Actions) {
	m.Policy.Decide(v, a)
	m.meddle(v, a)
}

func TestRefereeSeesAPolicyThatWritesToTheView(t *testing.T) {
	for name, meddle := range map[string]func(v *policy.View, a policy.Actions){
		"tenant":   func(v *policy.View, _ policy.Actions) { v.Tenants[1].Priority++ },
		"SM":       func(v *policy.View, _ policy.Actions) { v.SMs[1].Reserved = true },
		"counter":  func(v *policy.View, _ policy.Actions) { v.SMs[0].TBs[1]++ },
		"demand":   func(v *policy.View, _ policy.Actions) { v.SMs[0].Tenants[1].Registers++ },
		"order":    func(v *policy.View, _ policy.Actions) { v.Active = v.Active[:0] },
		"capacity": func(v *policy.View, _ policy.Actions) { c := *v.SMs[0].Capacity; c.TBs++; v.SMs[0].Capacity = &c },
	} {
		fcfs, err := policy.Parse("fcfs")
		require.NoError(t, err)
		run, err := begin(byArrival(scenario{sms: alike(2, holding(2))}, uniform(0, 8, 100), uniform(0, 8, 100)), meddler{fcfs, meddle}, nil)
		require.NoError(t, err)
		run.step(100)
		require.ErrorContains(t, run.fault, "the View is", name)
	}
}

func TestRefereeSeesAnActionThatCannotBe(t *testing.T) {
	for want, meddle := range map[string]func(v *policy.View, a policy.Actions){
		"at 1 SM 0 is overfilled with tenant 0":                              func(_ *policy.View, a policy.Actions) { a.Place(0, 0) },
		"at 1 3 thread blocks of tenant 0 are to leave SM 0, where 2 stay":   func(_ *policy.View, a policy.Actions) { a.Preempt(0, 0, 3, policy.Switch) },
		"at 1 tenant 0 is flushed, though its kernel is not idempotent":      func(_ *policy.View, a policy.Actions) { a.PreemptSM(0, policy.Flush) },
		"at 1 5 thread blocks of tenant 0 are to move on SM 1, where 2 stay": func(_ *policy.View, a policy.Actions) { a.Relocate(0, 1, 5, policy.Switch) },
		"at 1 tenant 0 has a quota of 0 on SM 0, where it has thread blocks": func(_ *policy.View, a policy.Actions) {
			a.Send(protocol.Unit{Kind: protocol.KindSM}, protocol.NewQuotas([]int{0, 9}))
		},
		"at 1 SM 0 is preempted, but has no thread block that stays": func(_ *policy.View, a policy.Actions) {
			a.Preempt(0, 0, 2, policy.Switch)
			a.PreemptSM(0, policy.Switch)
		},
		"at 1 single thread blocks of tenant 0 are to be drained": func(_ *policy.View, a policy.Actions) { a.Preempt(0, 0, 1, policy.Drain) },
	} {
		fcfs, err := policy.Parse("fcfs")
		require.NoError(t, err)
		run, err := begin(byArrival(scenario{sms: alike(2, holding(2))}, uniform(0, 8, 100), uniform(0, 8, 100)), meddler{fcfs, meddle}, nil)
		require.NoError(t, err)
		run.step(100)
		require.EqualError(t, run.fault, want)
	}
}
