package contract

import (
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/stub"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawFaults lets thread blocks wait for page faults at random, and switches them.
func drawFaults(t *rapid.T, s *scenario) {
	s.faults = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) stub.Fault {
		return stub.Fault{After: rapid.Uint64Range(1, 500).Draw(t, "after"),
			For: rapid.SampledFrom([]uint64{0, 1, 2, 3, 5, 10, 50, 100, 500, 5000}).Draw(t, "for")}
	}), 1, 7).Draw(t, "faults")
	s.faults = append(s.faults, stub.Fault{}) // so that kernels end
	s.driverSpec.BlockSwitching = dispatcher.SwitchingSpec{
		Extra: rapid.SampledFrom([]int{1, 2, 4, 64}).Draw(t, "extra"), Ideal: rapid.Bool().Draw(t, "ideal")}
}

// blockSwitchingLosesNothing shares a GPU with SMs that switch thread blocks on random faults.
// The referee checks the View, the stub SMs their resources, and the audit the bytes.
func (c *suite) blockSwitchingLosesNothing(t *testing.T) { c.switchBlocks(t) }

// switchBlocks returns the number of thread blocks that the policy preempted meanwhile.
func (c *suite) switchBlocks(t *testing.T) (preemptions int) {
	switches := uint64(0)
	c.anyVariant(t, func(t *rapid.T, fresh func() policy.Policy) {
		s := drawScenario(t, rapid.IntRange(1, 4).Draw(t, "tenants"))
		drawFaults(t, &s)
		run := tried(t, s, fresh())
		requireEach(t, &s, run.log)
		requireEach(t, &s, run.finishes)
		stats := run.driver.Stats()
		require.LessOrEqual(t, stats.OffChipMax, uint64(s.driverSpec.BlockSwitching.Extra+maxSlots(&s)))
		for i := range s.tenants {
			k := &stats.Tenants[i]
			switches += k.BlockSwitches
			require.Equal(t, k.TBsCompleted, uint64(tbs(&s, i)))
		}
		preemptions += run.total.preemptions
	})
	require.Greater(t, switches, uint64(100))
	return preemptions
}

// tbs is the number of a tenant's thread blocks.
func tbs(s *scenario, tenant int) (n int) {
	for _, k := range s.tenants[tenant].kernels {
		n += k.tbs
	}
	return n
}

// maxSlots is the largest number of thread blocks of an SM.
func maxSlots(s *scenario) (n int) {
	for _, sm := range s.sms {
		n = max(n, sm.Capacity.TBs)
	}
	return n
}

// switchingWithoutFaultsChangesNothing shares a GPU with SMs that could switch thread blocks
// and have no reason to.
func (c *suite) switchingWithoutFaultsChangesNothing(t *testing.T) {
	c.anyVariant(t, func(t *rapid.T, fresh func() policy.Policy) {
		s := drawScenario(t, rapid.IntRange(1, 3).Draw(t, "tenants"))
		want := tried(t, s, fresh())
		s.driverSpec.BlockSwitching.Extra = 4
		got := tried(t, s, fresh())
		requireSame(t, want, got)
		require.Equal(t, want.total, got.total)
		require.Equal(t, *want.driver.Stats(), *got.driver.Stats())
	})
}
