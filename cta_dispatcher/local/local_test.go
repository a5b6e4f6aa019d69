package local

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func name(id ID) string { return string(rune('A' + id)) }

// TestTranscript has two slots and 1,000 cycles for each way.
func TestTranscript(t *testing.T) {
	var want struct {
		Rows []struct {
			Cycle    int
			Event    string
			Active   []string
			OffChip  []string `json:"off_chip"`
			OffReady []string `json:"off_chip_ready"`
			Extra    int
		}
	}
	text, err := os.ReadFile("testdata/transcript.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &want))
	const A, B, C, D, E = 0, 1, 2, 3, 4
	b, next := New(2, 4), ID(A)
	events := []struct {
		cycle int
		what  func()
	}{
		{0, func() {}},
		{100, func() { b.Block(A) }},
		{1100, func() { b.Saved(A) }},
		{2000, func() { b.Block(C) }},
		{3000, func() { b.Saved(C) }},
		{4000, func() { b.Remove(B) }},
		{12100, func() { b.Served(A); b.Served(C) }},
		{13000, func() { b.Remove(D) }},
		{14000, func() { b.Restored(A) }},
		{14500, func() { b.Block(E) }},
		{15500, func() { b.Saved(E) }},
		{16500, func() { b.Restored(C) }},
		{26500, func() { b.Served(E) }},
	}
	require.Len(t, want.Rows, len(events))
	for i, e := range events {
		w := want.Rows[i]
		require.Equal(t, w.Cycle, e.cycle)
		e.what()
		a := Decide(b.View(10))
		b.Apply(a)
		for range a.Ask {
			b.Place(next)
			next++
		}
		active, off, ready := []string{}, []string{}, []string{}
		for _, x := range b.list {
			switch n := name(x.id); x.state {
			case Running, Blocked:
				active = append(active, n)
			case Restoring:
				active = append(active, n+" (restoring)")
			case Saving:
				off = append(off, n+" (saving)")
			case Ready:
				ready = append(ready, n)
				off = append(off, n)
			case OffChip:
				off = append(off, n)
			}
		}
		slices.SortFunc(active, func(x, y string) int { // as the slots are
			return slices.IndexFunc(w.Active, func(s string) bool { return strings.HasPrefix(s, x[:1]) }) -
				slices.IndexFunc(w.Active, func(s string) bool { return strings.HasPrefix(s, y[:1]) })
		})
		require.Equal(t, w.Active, active, w.Event)
		require.Equal(t, w.OffChip, off, w.Event)
		require.Equal(t, w.OffReady, ready, w.Event)
		require.Equal(t, w.Extra, b.View(0).Extra, w.Event)
	}
}

func TestDecide(t *testing.T) {
	ids := func(list ...ID) []ID { return list }
	for what, x := range map[string]struct {
		v View
		a Actions
	}{
		"no replacement":          {View{Blocked: ids(1), MaxExtra: 4}, Actions{}},
		"a new one":               {View{Blocked: ids(1), Extra: 3, MaxExtra: 4, Pending: 1}, Actions{Out: ids(1)}},
		"at the limit":            {View{Blocked: ids(1), Extra: 4, MaxExtra: 4, Pending: 9}, Actions{}},
		"at the limit, one ready": {View{Blocked: ids(1, 2), Ready: ids(7), Extra: 4, MaxExtra: 4, Pending: 9}, Actions{Out: ids(1)}},
		"the ready one is another's": {
			View{Blocked: ids(1), Ready: ids(7), Saving: 1, Extra: 3, MaxExtra: 4}, Actions{}},
		"the new one is another's": {
			View{Blocked: ids(1), Saving: 1, Extra: 3, MaxExtra: 4, Pending: 1}, Actions{}},
		"nobody blocked, one ready": {View{Ready: ids(7), Extra: 1, MaxExtra: 4, Pending: 1}, Actions{}},
		"a slot, ready first":       {View{Ready: ids(7, 8), Free: 1, Extra: 2, MaxExtra: 4, Pending: 1}, Actions{In: ids(7)}},
		"two slots":                 {View{Ready: ids(7), Free: 2, Extra: 1, MaxExtra: 4, Pending: 5}, Actions{In: ids(7), Ask: 1}},
		"a slot at the limit":       {View{Free: 1, Extra: 4, MaxExtra: 4, Pending: 1}, Actions{Ask: 1}},
		"the free slot takes the new one": {
			View{Blocked: ids(1), Free: 1, MaxExtra: 4, Pending: 1}, Actions{Ask: 1}},
		"one comes in and makes room": {
			View{Blocked: ids(1), Ready: ids(7), Free: 1, Extra: 4, MaxExtra: 4, Pending: 1}, Actions{In: ids(7), Out: ids(1)}},
		"all are blocked": {
			View{Blocked: ids(3, 1, 2), Extra: 2, MaxExtra: 4, Pending: 9}, Actions{Out: ids(3, 1)}},
	} {
		a := Decide(x.v)
		require.ElementsMatch(t, x.a.In, a.In, what)
		require.True(t, slices.Equal(x.a.Out, a.Out), what)
		require.Equal(t, x.a.Ask, a.Ask, what)
	}
}

// TestLongestFirst has 3 of 4 thread blocks blocked in another order than they came.
func TestLongestFirst(t *testing.T) {
	b := New(4, 2)
	for id := range ID(4) {
		b.Place(id) // without being asked for
	}
	require.Zero(t, b.View(0).Free)
	for _, id := range []ID{2, 0, 3} {
		b.Block(id)
	}
	require.Equal(t, []ID{2, 0, 3}, b.View(0).Blocked)
	a := Decide(b.View(9))
	require.Equal(t, []ID{2, 0}, a.Out)
	b.Apply(a)
	b.Saved(0)
	b.Saved(2)
	b.Served(0)
	b.Served(2)
	v := b.View(9)
	require.Equal(t, []ID{2, 0}, v.Ready)
	require.Equal(t, 2, v.Free)
	require.Equal(t, []ID{2, 0}, Decide(v).In)
	b.Apply(Actions{Ask: 2})
	require.Zero(t, b.View(9).Free)
	b.Refused()
	require.Equal(t, 1, b.View(9).Free)
}

func TestMistakesPanic(t *testing.T) {
	b := New(1, 4)
	b.Place(1)
	require.PanicsWithValue(t, "local: thread block 1 is to be running and is not restoring", func() { b.Restored(1) })
	require.PanicsWithValue(t, "local: thread block 2 is to be blocked and is not running", func() { b.Block(2) })
	require.PanicsWithValue(t, "local: thread block 1 is not being saved", func() { b.Saved(1) })
}

// TestInvariants lets thread blocks block, finish and be served at random.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slots, maxExtra := rapid.IntRange(1, 4).Draw(t, "slots"), rapid.IntRange(0, 4).Draw(t, "extra")
		left := rapid.IntRange(0, 20).Draw(t, "blocks")
		b, next, placed, ended, asked := New(slots, maxExtra), ID(0), 0, 0, 0
		live := map[ID]bool{}
		serves := map[ID]bool{} // has faults that are not served
		in := func(states ...State) (list []ID) {
			for id := range next {
				if s, ok := b.State(id); ok && slices.Contains(states, s) {
					list = append(list, id)
				}
			}
			return list
		}
		for step := 0; ended < placed || left > 0 || asked > 0; step++ {
			require.Less(t, step, 5000, "it does not end")
			v := b.View(left - asked)
			a := Decide(v)
			require.Equal(t, a, Decide(v), "a pure function")
			others := len(v.Ready) + v.Pending - len(a.In) - a.Ask - v.Saving // who can run, and has no slot
			require.LessOrEqual(t, len(a.Out), max(others, 0), "one leaves only if another can run")
			for _, id := range a.Out {
				require.True(t, serves[id], "one that is served is not switched")
			}
			b.Apply(a)
			for range a.Ask {
				asked++
			}
			require.Equal(t, placed-ended, len(live))
			n := 0
			for id := range live {
				s, ok := b.State(id)
				require.True(t, ok, "lost")
				require.Equal(t, slices.Contains([]State{OffChip, Blocked}, s), serves[id] && s != Saving)
				n++
			}
			require.Equal(t, n, len(b.list))
			require.LessOrEqual(t, len(in(Running, Blocked, Restoring, Saving))+asked, slots)
			require.LessOrEqual(t, len(live)+asked, slots+maxExtra)
			require.LessOrEqual(t, len(in(OffChip, Ready)), maxExtra+1)
			if v = b.View(left - asked); v.Free > 0 {
				require.Empty(t, v.Ready)
				require.Zero(t, v.Pending)
			}
			choose := func(list []ID) (ID, bool) {
				if len(list) == 0 {
					return 0, false
				}
				return rapid.SampledFrom(list).Draw(t, "which"), true
			}
			switch rapid.IntRange(0, 5).Draw(t, "event") {
			case 0:
				if asked > 0 {
					asked--
					left--
					b.Place(next)
					live[next] = true
					placed++
					next++
				}
			case 1:
				if id, ok := choose(in(Running)); ok && step < 300 {
					b.Block(id)
					serves[id] = true
				}
			case 2:
				if id, ok := choose(in(Blocked, Saving, OffChip)); ok && serves[id] {
					b.Served(id)
					delete(serves, id)
				}
			case 3:
				if id, ok := choose(in(Saving)); ok {
					b.Saved(id)
				}
			case 4:
				if id, ok := choose(in(Restoring)); ok {
					b.Restored(id)
				}
			default:
				if id, ok := choose(in(Running)); ok {
					b.Remove(id)
					delete(live, id)
					ended++
				}
			}
		}
	})
}
