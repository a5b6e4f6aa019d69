package contract

import (
	"math/rand/v2"
	"slices"
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// whim is fcfs that also preempts and moves thread blocks at random: so often, when a
// kernel arrives or a thread block finishes.
type whim struct {
	policy.Policy
	*rand.Rand
	acts int
}

// Needs has one kernel of a tenant active: of several, the referee does not know which
// one's thread blocks the driver takes off an SM.
func (w *whim) Needs() policy.Needs { return policy.Needs{} }

func (w *whim) Decide(v *policy.View, a policy.Actions) {
	w.act(v, a)
	w.Policy.Decide(v, a) // place at once if there is room at once
}

func (w *whim) act(v *policy.View, a policy.Actions) {
	if w.acts == 0 || w.IntN(3) > 0 || v.Event != policy.TBFinished && v.Event != policy.KernelArrived {
		return
	}
	sm, tenant := w.IntN(len(v.SMs)), v.Active[w.IntN(len(v.Active))]
	s := &v.SMs[sm]
	m := [...]policy.Mechanism{policy.Switch, policy.Ideal, policy.Drain, policy.Flush}[w.IntN(4)]
	if m == policy.Flush && slices.ContainsFunc(v.Kernels, func(k *policy.Kernel) bool { return !k.Idempotent }) {
		m = policy.Switch
	}
	if s.Reserved || s.Staying(tenant) == 0 {
		return
	}
	w.acts--
	n := 1 + w.IntN(s.Staying(tenant))
	switch what := w.IntN(3); {
	case what == 0 || m == policy.Drain:
		a.PreemptSM(sm, m)
	case what == 1 || m == policy.Flush:
		a.Preempt(tenant, sm, n, m)
	default:
		a.Relocate(tenant, sm, n, m)
	}
}

// TestPreemptionAndSwitchingKeepTheSlots preempts at whim while thread blocks are
// switched on faults; owners compares the slots.
func TestPreemptionAndSwitchingKeepTheSlots(t *testing.T) {
	switches, preemptions := uint64(0), uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, rapid.IntRange(1, 3).Draw(t, "tenants"))
		drawFaults(t, &s)
		fcfs, err := policy.Parse("fcfs")
		require.NoError(t, err)
		run := tried(t, s, &whim{fcfs, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "whim"), 0)), 50})
		requireEach(t, &s, run.finishes)
		for i := range s.tenants {
			k := &run.driver.Stats().Tenants[i]
			switches, preemptions = switches+k.BlockSwitches, preemptions+k.Preemptions
		}
	})
	require.Greater(t, switches, uint64(100))
	require.Greater(t, preemptions, uint64(100))
}
