package heterocore

import (
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

func TestWhoseThreadBlocksFinishLately(t *testing.T) {
	v := &policy.View{Tenants: make([]policy.Tenant, 1)}
	p := newPace(1)
	update := func(e policy.Event, finished uint64) bool {
		v.Event, v.Tenants[0].Finished = e, finished
		p.update(v, 10_000)
		return p.finishes(0)
	}
	require.False(t, update(policy.KernelArrived, 0))
	require.False(t, update(policy.Epoch, 0))
	require.True(t, update(policy.TBFinished, 1))
	require.True(t, update(policy.Epoch, 1))
	require.True(t, update(policy.Epoch, 1), "one epoch ago")
	require.False(t, update(policy.Epoch, 1), "two are as long as a warm-up")
	require.True(t, update(policy.TBFinished, 2))
	p.warmed(0, 0)
	require.False(t, p.finishes(0), "the warm-up says more")
	p.warmed(0, 1)
	require.True(t, update(policy.Epoch, 2))
	p.forget(0)
	require.False(t, p.finishes(0), "that was another kernel")
	require.True(t, update(policy.TBFinished, 3))
}

func TestAnSMDrainsIfAllOnItFinish(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.view.Tenants[1].Finished = 5 // before the warm-up
	d.see(policy.KernelArrived)
	p := d.policy.(*dynamic)
	d.view.Tenants[0].Finished = 1
	d.end(20_000, [2][2]uint64{})
	for _, c := range []struct {
		tbs  [2]int
		want policy.Mechanism
	}{{[2]int{1, 0}, policy.Drain}, {[2]int{0, 1}, policy.Switch}, {[2]int{1, 1}, policy.Switch}} {
		copy(d.view.SMs[0].TBs, c.tbs[:])
		require.Equal(t, c.want, p.mechanism(&d.view, 0), "%v", c.tbs)
	}
	for _, m := range []policy.Mechanism{policy.Switch, policy.Drain, policy.Ideal} {
		d := sit(t, "heterocore:preempt="+m.String(), 8, 8)
		require.Equal(t, m, d.policy.(*dynamic).mechanism(&d.view, 0))
	}
}

// A warm-up says something of its kernel only: another one, of the application or of
// another application, is switched out until a thread block of its own finishes. Another
// launch of the same is the same.
func TestAWarmUpSaysNothingOfAnotherKernel(t *testing.T) {
	for change, want := range map[string]policy.Mechanism{
		"launch": policy.Drain, "code": policy.Switch, "demand": policy.Switch, "application": policy.Switch,
	} {
		d := sit(t, "heterocore", 8, 8)
		d.see(policy.KernelArrived)
		x, p := &d.view.Tenants[0], d.policy.(*dynamic)
		x.Finished = 3
		d.end(20_000, [2][2]uint64{})
		d.view.SMs[0].TBs[0] = 1
		require.Equal(t, policy.Drain, p.mechanism(&d.view, 0))
		d.relaunch(change)
		require.Equal(t, want, p.mechanism(&d.view, 0), change)
		x.Finished++
		d.see(policy.TBFinished)
		require.Equal(t, policy.Drain, p.mechanism(&d.view, 0), change)
	}
}

// Leaving thread blocks do not decide the mechanism: an SM drains if its staying tenant's
// thread blocks finish.
func TestThreadBlocksThatLeaveDoNotCount(t *testing.T) {
	d := sit(t, "heterocore", 8, 8)
	d.see(policy.KernelArrived)
	d.view.Tenants[0].Finished = 1 // the second tenant's do not finish
	d.end(20_000, [2][2]uint64{})
	p, sm := d.policy.(*dynamic), &d.view.SMs[0]
	copy(sm.TBs, []int{2, 3})
	copy(sm.Leaving, []int{0, 2})
	require.Equal(t, policy.Switch, p.mechanism(&d.view, 0), "one stays")
	sm.Leaving[1] = 3
	require.Equal(t, policy.Drain, p.mechanism(&d.view, 0))
}
