package tbtable

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// allowed lists the events of each state with the states that follow. All other pairs
// are refused.
var allowed = map[State]map[Event]State{
	New:       {Place: Running},
	Running:   {Block: Blocked, Served: Running, Evict: Leaving, Relocate: Relocating, Finish: Done},
	Restoring: {Restored: Running, Evict: LeavingRestoring, Relocate: RelocatingRestoring, Finish: Done},
	Blocked:   {Served: Running, Evict: Leaving, Relocate: Relocating, Switch: Switching, Finish: Done},

	Leaving:             {Block: Leaving, Served: Leaving, Left: Saving, Finish: Done},
	LeavingRestoring:    {Restored: Leaving, Finish: Done},
	Relocating:          {Block: Relocating, Served: Relocating, Evict: Leaving, Left: Moving, Finish: Done},
	RelocatingRestoring: {Restored: Relocating, Evict: LeavingRestoring, Finish: Done},
	Moving:              {Block: Moving, Served: Moving, Evict: Saving, Place: Running, Load: Restoring},
	Saving:              {Block: Saving, Served: Saving, Saved: Preempted},
	Preempted:           {Place: Running, Load: Restoring},

	Switching:       {Block: Switching, Served: SwitchingServed, Recall: Leaving, Left: OffSaving, Finish: Done},
	SwitchingServed: {Block: Switching, Served: SwitchingServed, Recall: Leaving, Left: OffSavingServed, Finish: Done},
	OffSaving:       {Block: OffSaving, Served: OffSavingServed, Recall: Saving, Saved: OffChip},
	OffSavingServed: {Block: OffSavingServed, Served: OffSavingServed, Recall: Saving, Saved: Ready},
	OffChip:         {Block: OffChip, Served: Ready, Recall: Recalled},
	Ready:           {Block: Ready, Served: Ready, Recall: Recalled, Place: Running, Load: Restoring},
	Recalled:        {Requeue: Preempted},
	Done:            {},
}

func TestEveryPairOfStateAndEventIsAllowedOrRefused(t *testing.T) {
	require.Len(t, allowed, int(numStates))
	for s := range numStates {
		for e := range numEvents {
			want, ok := allowed[s][e]
			next, legal := s.After(e)
			require.Equal(t, ok, legal, "%v, %v", s, e)
			require.Equal(t, want, next, "%v, %v", s, e)
		}
	}
}

func TestEveryThreadBlockCanReachEveryStateAndEnd(t *testing.T) {
	for from := range numStates {
		seen := map[State]bool{from: true}
		for grown := true; grown; {
			before := len(seen)
			for s := range maps.Clone(seen) {
				for _, next := range allowed[s] {
					seen[next] = true
				}
			}
			grown = len(seen) > before
		}
		require.True(t, seen[Done], "%v", from)
		if from == New {
			require.Len(t, seen, int(numStates))
		}
	}
}

// rig is a table for SMs of four slots, and kernels of two tenants.
type rig struct {
	*Table
	view    policy.View
	kernels []*Kernel
}

func newRig(sms int, tbs ...int) *rig {
	r := &rig{}
	c := &occupancy.Capacity{TBs: 4, Threads: 128, Warps: 4}
	for range sms {
		r.view.SMs = append(r.view.SMs, policy.SM{Capacity: c, TBs: make([]int, 2), Leaving: make([]int, 2), Tenants: make([]occupancy.Demand, 2)})
	}
	r.view.Tenants = make([]policy.Tenant, 2)
	r.Table = NewTable(&r.view)
	for i, n := range tbs {
		k := &Kernel{Kernel: policy.Kernel{Tenant: i % 2, Launch: uint64(i / 2), Waiting: n, Demand: occupancy.Demand{TBs: 1, Threads: 32, Warps: 1}},
			Shape: &workload.Kernel{Grid: workload.Dim3{X: n, Y: 1, Z: 1}}, Next: i < 2}
		r.Begin(k, 100)
		r.kernels = append(r.kernels, k)
	}
	return r
}

// place places the next thread block of a kernel, by its number.
func (r *rig) place(k, sm int) *Entry {
	b := r.First(r.kernels[k])
	if b.TB == nil {
		b.TB = &workload.TB{ID: r.kernels[k].Shape.TBs() - r.kernels[k].Waiting}
	}
	r.Place(b, sm)
	return b
}

// moves makes a thread block go through events.
func (r *rig) moves(b *Entry, events ...Event) {
	for _, e := range events {
		r.Move(b, e)
	}
}

func TestARefusedEventNamesThreadBlockStateAndEvent(t *testing.T) {
	r := newRig(1, 1)
	b := r.place(0, 0)
	require.PanicsWithValue(t, "thread block 0 of launch 0 of tenant 0 on SM 0 is running, and the event is saved", func() { r.Move(b, Saved) })
	require.Equal(t, Running, b.State())
	require.NoError(t, r.Check(r.kernels))
}

// TestRandomEventsLoseNothing gives random events to random thread blocks. The table
// refuses the events that allowed does not list, and otherwise keeps each thread block in
// one list and the View in agreement.
func TestRandomEventsLoseNothing(t *testing.T) {
	ended := 0
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(rapid.IntRange(1, 3).Draw(t, "SMs"), rapid.SliceOfN(rapid.IntRange(1, 9), 1, 4).Draw(t, "kernels")...)
		var list []*Entry
		place := func() {
			k, sm := rapid.IntRange(0, len(r.kernels)-1).Draw(t, "kernel"), rapid.IntRange(0, len(r.on)-1).Draw(t, "SM")
			if s := &r.view.SMs[sm]; r.kernels[k].Waiting == 0 || !s.Capacity.Fits(&s.Usage, r.kernels[k].Demand) {
				return
			}
			if b := r.place(k, sm); !slices.Contains(list, b) {
				list = append(list, b)
			}
		}
		for range rapid.IntRange(1, 200).Draw(t, "events") {
			if len(list) == 0 || rapid.IntRange(0, 3).Draw(t, "place") == 0 {
				place()
			} else if b := rapid.SampledFrom(list).Draw(t, "thread block"); b.state == Done {
				list = slices.DeleteFunc(list, func(o *Entry) bool { return o == b })
				ended++
			} else {
				r.random(t, b, Event(rapid.IntRange(0, int(numEvents)-1).Draw(t, "event")))
			}
			require.NoError(t, r.Check(r.kernels))
		}
	})
	require.Positive(t, ended)
}

// random gives a thread block an event, which may be refused.
func (r *rig) random(t *rapid.T, b *Entry, e Event) {
	next, ok := allowed[b.state][e]
	switch {
	case !ok:
		was, view := *b, fmt.Sprintf("%+v", r.view)
		require.Panics(t, func() { r.Move(b, e) })
		require.Equal(t, was, *b)
		require.Equal(t, view, fmt.Sprintf("%+v", r.view))
		return
	case b.state == Preempted: // the queue says which is placed
		return
	case e == Place || e == Load:
		s := &r.view.SMs[b.SM]
		if b.state == Moving || s.Capacity.Fits(&s.Usage, b.Kernel.Demand) {
			r.Place(b, b.SM)
		}
		return
	}
	r.Move(b, e)
	require.Equal(t, next, b.state)
	if e == Evict || e == Relocate || e == Switch {
		m := rapid.SampledFrom([]policy.Mechanism{policy.Switch, policy.Ideal}).Draw(t, "mechanism")
		r.Order(b, m)
	}
}

func TestPreemptedThreadBlocksAreFirstInOrder(t *testing.T) {
	r := newRig(2, 4)
	first, second := r.place(0, 0), r.place(0, 0)
	for _, b := range []*Entry{second, first} {
		r.moves(b, Evict, Left, Saved)
	}
	require.Equal(t, []*Entry{second, first}, []*Entry{r.place(0, 1), r.place(0, 1)})
	require.Equal(t, New, r.First(r.kernels[0]).State())
	require.Equal(t, []uint64{2, 3}, []uint64{second.Serial, first.Serial})
	require.Equal(t, first, r.Find(1, 3))
	require.Nil(t, r.Find(0, 0))
}

func TestThePlaceOfALoadedContextIsUsedAgain(t *testing.T) {
	r := newRig(1, 2)
	b := r.place(0, 0)
	r.moves(b, Evict)
	r.Order(b, policy.Switch)
	b.Context = new(protocol.Context)
	r.moves(b, Left, Saved)
	r.place(0, 0)
	require.Equal(t, Restoring, b.State())
	require.Equal(t, 1, r.view.Tenants[0].Loading)
	r.moves(b, Relocate) // its next context goes to another slot: the first one is being loaded
	r.Order(b, policy.Switch)
	second, _ := b.Addr()
	r.moves(b, Restored)
	require.Zero(t, r.view.Tenants[0].Loading)
	other := r.place(0, 0)
	r.moves(other, Evict)
	r.Order(other, policy.Switch)
	first, _ := other.Addr()
	require.Equal(t, uint64(128), second-first, "whole lines")
}

func TestContextMemoryIsUsedAgain(t *testing.T) {
	m := newContextMemory(3, 300)
	require.Equal(t, []int32{0, 1, 2}, []int32{m.take(), m.take(), m.take()})
	require.Equal(t, uint64(384), m.address(2)-m.address(1), "whole lines")
	m.put(1)
	require.Equal(t, int32(1), m.take())
	require.Equal(t, int32(3), m.take())
}

// Each path leads a thread block to a state. The counts are the View's of running,
// leaving, saving and loading thread blocks, and of the thread blocks that still wait.
func TestTheViewCountsEveryState(t *testing.T) {
	preempted := slices.Clip([]Event{Evict, Left, Saved})
	off := slices.Clip([]Event{Block, Switch, Left})
	for state, x := range map[State]struct {
		path   []Event
		counts [5]int
	}{
		Running:             {nil, [5]int{1, 0, 0, 0, 1}},
		Blocked:             {[]Event{Block}, [5]int{1, 0, 0, 0, 1}},
		Leaving:             {preempted[:1], [5]int{1, 1, 0, 0, 1}},
		Saving:              {preempted[:2], [5]int{0, 0, 1, 0, 1}},
		Preempted:           {preempted, [5]int{0, 0, 0, 0, 2}},
		Restoring:           {append(preempted, Load), [5]int{1, 0, 0, 1, 1}},
		LeavingRestoring:    {append(preempted, Load, Evict), [5]int{1, 1, 0, 1, 1}},
		RelocatingRestoring: {append(preempted, Load, Relocate), [5]int{1, 0, 0, 1, 1}},
		Relocating:          {[]Event{Relocate}, [5]int{1, 0, 0, 0, 1}},
		Moving:              {[]Event{Relocate, Left}, [5]int{1, 0, 0, 0, 1}},
		Switching:           {off[:2], [5]int{1, 1, 0, 0, 1}},
		SwitchingServed:     {[]Event{Block, Switch, Served}, [5]int{1, 1, 0, 0, 1}},
		OffSaving:           {off, [5]int{0, 0, 1, 0, 1}},
		OffSavingServed:     {append(off, Served), [5]int{0, 0, 1, 0, 1}},
		OffChip:             {append(off, Saved), [5]int{0, 0, 1, 0, 1}},
		Ready:               {append(off, Saved, Served), [5]int{0, 0, 1, 0, 1}},
		Recalled:            {append(off, Saved, Recall), [5]int{0, 0, 1, 0, 1}},
		Done:                {[]Event{Finish}, [5]int{0, 0, 0, 0, 1}},
	} {
		t.Run(state.String(), func(t *testing.T) {
			r := newRig(1, 2)
			b := r.place(0, 0)
			for _, e := range x.path {
				r.move(b, e, 0)
			}
			require.Equal(t, state, b.state)
			k, v, s := r.kernels[0], &r.view.Tenants[0], &r.view.SMs[0]
			require.Equal(t, x.counts, [5]int{v.Running, s.Leaving[0], v.Saving, v.Loading, v.Waiting})
			require.Equal(t, x.counts, [5]int{k.Running, s.Leaving[0], k.Saving, v.Loading, k.Waiting})
			require.Equal(t, []int{x.counts[0], x.counts[0]}, []int{s.TBs[0], s.Usage.TBs})
			require.Equal(t, 32*x.counts[0], s.Tenants[0].Threads)
			require.Equal(t, state == Done, v.Finished == 1)
		})
	}
}
