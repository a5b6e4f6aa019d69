package tbtable

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChoice(t *testing.T) {
	for what, x := range map[string]struct {
		c       choice
		in, out int
	}{
		"no replacement":               {choice{blocked: 1, maxExtra: 4}, 0, 0},
		"a new one":                    {choice{blocked: 1, extra: 3, maxExtra: 4, pending: 1}, 0, 1},
		"at the limit":                 {choice{blocked: 1, extra: 4, maxExtra: 4, pending: 9}, 0, 0},
		"at the limit, one ready":      {choice{blocked: 2, ready: 1, extra: 4, maxExtra: 4, pending: 9}, 0, 1},
		"another slot's ready one":     {choice{blocked: 1, ready: 1, saving: 1, extra: 3, maxExtra: 4}, 0, 0},
		"another slot's new one":       {choice{blocked: 1, saving: 1, extra: 3, maxExtra: 4, pending: 1}, 0, 0},
		"none blocked, one ready":      {choice{ready: 1, extra: 1, maxExtra: 4, pending: 1}, 0, 0},
		"a slot, two ready":            {choice{ready: 2, free: 1, extra: 2, maxExtra: 4, pending: 1}, 1, 0},
		"two slots, one ready":         {choice{ready: 1, free: 2, extra: 1, maxExtra: 4, pending: 5}, 1, 0},
		"a slot at the limit":          {choice{free: 1, extra: 4, maxExtra: 4, pending: 1}, 0, 0},
		"one comes in and makes room":  {choice{blocked: 1, ready: 1, free: 1, extra: 4, maxExtra: 4, pending: 2}, 1, 1},
		"all are blocked":              {choice{blocked: 3, extra: 2, maxExtra: 4, pending: 9}, 0, 2},
		"a ready one and a new one go": {choice{blocked: 3, ready: 1, extra: 2, maxExtra: 4, pending: 9}, 0, 2},
	} {
		in, out := x.c.choose()
		require.Equal(t, []int{x.in, x.out}, []int{in, out}, what)
	}
}

// Three of four thread blocks come to wait for faults in another order than they came to
// the SM.
func TestTheLongestBlockedLeavesAndComesBackFirst(t *testing.T) {
	r := newRig(1, 9)
	var list []*Entry
	for range 4 {
		list = append(list, r.place(0, 0))
	}
	for _, i := range []int{2, 0, 3} {
		r.moves(list[i], Block)
	}
	in, out := r.Swap(0, r.kernels[0], 2)
	require.Empty(t, in)
	require.Equal(t, []*Entry{list[2], list[0]}, out)
	for _, i := range []int{2, 0} {
		r.moves(list[i], Switch)
	}
	r.moves(list[2], Served, Block) // which does not cost it its turn
	for _, i := range []int{0, 2} { // the second is quiet before the first
		r.moves(list[i], Left, Saved, Served)
	}
	require.Equal(t, []*Entry{list[0], list[2]}, r.Off(0))
	require.Equal(t, 2, r.Vacant(0, r.kernels[0]))
	in, out = r.Swap(0, r.kernels[0], 2)
	require.Equal(t, []*Entry{list[2], list[0]}, in)
	require.Equal(t, []*Entry{list[3]}, out, "a new one takes its slot")
}

func TestStrandedThreadBlocksAreRecalled(t *testing.T) {
	r := newRig(1, 9)
	k := r.kernels[0]
	off, on := r.place(0, 0), r.place(0, 0)
	r.moves(off, Block, Switch, Left, Saved, Served)
	r.Strand(0, k)
	require.Equal(t, Ready, off.State(), "the kernel has a thread block on the SM")
	r.moves(on, Evict, Left)
	r.Strand(0, k)
	require.Equal(t, Recalled, off.State())
	require.True(t, r.Requeue())
	require.False(t, r.Requeue())
	require.Equal(t, off, r.First(k))
	require.NoError(t, r.Check(r.kernels))
}

func TestAnSMThatIsTakenHasNoThreadBlocksOfItsOwn(t *testing.T) {
	r := newRig(1, 9)
	k := r.kernels[0]
	var list []*Entry
	for range 7 {
		list = append(list, r.place(0, 0))
	}
	for i, events := range [][]Event{{Block, Switch}, {Block, Switch, Served}, {Block, Switch, Left}, {Block, Switch, Served, Left},
		{Block, Switch, Left, Saved}, {Block, Switch, Left, Served, Saved}, {Block}} {
		r.moves(list[i], events...)
	}
	require.Equal(t, 4, r.Vacant(0, k))
	r.TakeSM(0, k)
	require.Zero(t, r.Vacant(0, k))
	require.Empty(t, r.Off(0))
	var states []State
	for _, b := range r.On(0) {
		states = append(states, b.State())
	}
	require.Equal(t, []State{Leaving, Leaving, Blocked, Saving, Saving}, states)
	require.Len(t, r.recalled, 2)
}

func TestAThreadBlockDoesNotComeBackToAnSMThatOnlyAnotherTenantUses(t *testing.T) {
	r := newRig(1, 9, 9)
	b, other := r.place(0, 0), r.place(1, 0)
	r.moves(b, Block, Switch, Left, Saved, Served)
	require.Equal(t, 1, r.Vacant(0, r.kernels[0]))
	in, _ := r.Swap(0, r.kernels[0], 4)
	require.Empty(t, in)
	r.moves(other, Finish)
	in, _ = r.Swap(0, r.kernels[0], 4)
	require.Equal(t, []*Entry{b}, in, "the SM is empty")
}
