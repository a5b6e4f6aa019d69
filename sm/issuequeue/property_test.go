package issuequeue

import (
	"fmt"
	"math/bits"
	"math/rand"
	"slices"
	"testing"

	"cotenant/sm/warps"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestAsTheModel runs random programs with random latencies and faults, and compares
// in every cycle what can issue and what can be fetched for.
func TestAsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scheme := rapid.SampledFrom(rules).Draw(t, "scheme").scheme
		order := rapid.SampledFrom(orders).Draw(t, "order")
		spec := Spec{Entries: rapid.IntRange(1, 12).Draw(t, "entries"), Width: 2, FetchWidth: 2, Order: order}
		if spec.Validate(scheme) != nil {
			spec.Order = inOrder
		}
		r, err := RulesOf(scheme)
		require.NoError(t, err)
		run := &randomRun{t: t, rng: rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))), spec: spec,
			base: rapid.SampledFrom([]uint8{0, 60, 124, 188, 247}).Draw(t, "base"), lazy: rapid.IntRange(1, 12).Draw(t, "lazy"),
			faults: scheme != "none" && scheme != "stall",
			q:      New(spec, r, warps.Slots{Schedulers: 1, Each: 3}),
			m:      &model{rules: r, scheme: scheme, inOrder: spec.issuesInOrder(), turn: spec.CommitsInOrder()}}
		for slot := range 3 {
			run.m.warps = append(run.m.warps, &one{})
			run.q.Start(slot)
		}
		run.all(rapid.IntRange(1, 40).Draw(t, "instructions"))
	})
}

type randomRun struct {
	t      *rapid.T
	rng    *rand.Rand
	spec   Spec
	faults bool
	base   uint8 // lowest register
	lazy   int   // average number of cycles for each fetch
	q      *Queue
	m      *model
	now    uint64
	busy   bool // something was called in this tick
}

func (x *randomRun) all(limit int) {
	for x.now = 1; x.now < 20_000; x.now++ {
		awake := x.q.Edge(x.now)
		x.busy = false
		for slot, w := range x.m.warps {
			x.complete(slot, w)
			x.fault(slot, w)
		}
		x.issue()
		x.fetch(limit)
		x.requireCounts()
		if x.m.ended(limit) {
			x.requireOnce()
			return
		}
		if !awake && !x.busy {
			x.sleep()
		}
	}
	require.Fail(x.t, "not all instructions commit")
}

// sleep leaves out cycles in which nothing is due, and in which nothing may change.
func (x *randomRun) sleep() {
	next := x.now + 8
	for _, w := range x.m.warps {
		for _, r := range w.list {
			if r.issued != 0 && !r.committed {
				for _, c := range []uint64{r.checkAt, r.doneAt} {
					if c > x.now {
						next = min(next, c)
					}
				}
			}
		}
		if w.quiet {
			next = min(next, max(w.resume, x.now+1))
		}
	}
	for c := x.now + 1; c < next; c++ {
		for u := range warps.NumUnits {
			require.Equal(x.t, x.m.ready(u, x.now), x.m.ready(u, c), "asleep in %d", c)
		}
		x.now = c
	}
}

func (m *model) ended(limit int) bool {
	for _, w := range m.warps {
		if len(w.list) < limit || slices.ContainsFunc(w.list, func(r *record) bool { return !r.committed }) {
			return false
		}
	}
	return true
}

func (x *randomRun) requireOnce() {
	for slot, w := range x.m.warps {
		for _, r := range w.list {
			require.Equal(x.t, 1+r.squashes, r.plays)
		}
		require.True(x.t, x.q.Idle(slot))
	}
	require.Zero(x.t, x.q.count)
}

// complete delivers what is due, and commits in the model.
func (x *randomRun) complete(slot int, w *one) {
	for _, i := range x.rng.Perm(len(w.list)) {
		r := w.list[i]
		if r.issued == 0 || r.committed || r.faulty {
			continue
		}
		if r.kind == Memory && x.now == r.checkAt {
			x.busy = true
			if r.faults {
				r.faulty = true
				x.stop(slot, w, i)
				continue
			}
			r.checked = x.now - 1
			x.q.Checked(r.id, x.now)
		}
		if x.now == r.doneAt {
			x.busy = true
			r.done = x.now - 1
			x.q.Commit(r.id, x.now)
			if !x.m.turn {
				r.committed = true
			}
		}
	}
	if x.m.turn && w.commitAt < x.now-1 {
		for _, r := range w.list {
			if r.committed {
				continue
			}
			if r.done != 0 {
				r.committed, w.commitAt = true, x.now-1
			}
			break
		}
	}
}

// stop is a fault of a warp's instruction.
func (x *randomRun) stop(slot int, w *one, i int) {
	x.q.Fault(slot)
	if w.faulted {
		return
	}
	w.faulted = true
	if x.m.rules.FetchOpens == AtIssue {
		for _, r := range w.list {
			r.joined = r.issued == 0
		}
		return
	}
	require.Equal(x.t, len(w.list)-1, i, "nothing behind it has been fetched")
	for _, r := range w.list[:i] {
		r.drains = r.issued == 0
	}
}

// fault squashes what has faulted once the rest has drained, and lets the warp go on.
func (x *randomRun) fault(slot int, w *one) {
	if !w.faulted {
		return
	}
	if !w.quiet {
		for _, r := range w.list {
			if r.faulty && r.issued != 0 && x.rng.Intn(3) == 0 { // ahead of the warp's other faults
				x.squash(r)
			}
		}
		for _, r := range w.list {
			if r.drains && r.issued == 0 || r.issued != 0 && !r.committed && !r.faulty {
				require.False(x.t, x.q.Idle(slot))
				return
			}
		}
		x.stopped(slot, w)
	}
	if x.now == w.resume {
		x.q.Resume(slot, x.now)
		w.faulted, w.quiet, x.busy = false, false, true
		for _, r := range w.list {
			if r.replayed && r.issued == 0 && x.m.rules.FetchOpens != AtIssue {
				r.from = x.now + 1
			}
		}
	}
}

func (x *randomRun) squash(r *record) {
	x.q.Squash(r.id)
	x.busy = true
	r.faulty, r.replayed, r.issued = false, true, 0
	r.logged = x.m.scheme == "operand-log"
	r.squashes++
}

// stopped squashes what is left in flight, compares the replay queue, and may move it.
func (x *randomRun) stopped(slot int, w *one) {
	var queue []*record
	for _, r := range w.list {
		r.drains = false
		if r.faulty {
			require.False(x.t, x.q.Idle(slot))
			x.squash(r)
		}
		if !r.committed {
			queue = append(queue, r)
		}
	}
	require.True(x.t, x.q.Idle(slot))
	w.quiet, w.resume, x.busy = true, x.now+uint64(x.rng.Intn(5)), true
	ids := slices.Clone(x.q.Waiting(slot))
	require.Len(x.t, ids, len(queue))
	move := x.rng.Intn(2) == 0
	var copies []workload.Inst
	for i, r := range queue {
		require.Equal(x.t, r.id, ids[i])
		require.Equal(x.t, r.replayed, x.q.Replayed(r.id))
		copies = append(copies, *x.q.Inst(r.id))
	}
	if !move {
		return
	}
	x.q.Clear(slot)
	x.q.Start(slot)
	if len(queue) == 0 {
		x.q.Fault(slot)
	}
	for i, r := range queue {
		require.Equal(x.t, r.inst, copies[i])
		r.id = x.q.Restore(slot, &copies[i], r.unit, r.kind, r.replayed)
		r.from = 0
	}
}

// issue compares what can issue, and takes some.
func (x *randomRun) issue() {
	for range x.spec.Width {
		var any warps.Mask
		for u := range warps.NumUnits {
			want := x.m.ready(u, x.now)
			require.Equal(x.t, want, x.q.Ready(u), "cycle %d, unit %d", x.now, u)
			any |= want
		}
		for slot, w := range x.m.warps {
			if hazard, _ := blocked(x.q, slot); !w.faulted {
				waits := slices.ContainsFunc(w.list, func(r *record) bool { return r.issued == 0 })
				require.Equal(x.t, waits && any&bitOf(slot) == 0, hazard)
			}
		}
		if any == 0 || x.rng.Intn(6) == 0 {
			return
		}
		slot := x.choose(any)
		x.pick(slot, uint16(1+x.rng.Intn(1<<warps.NumUnits-1)))
	}
}

func (x *randomRun) pick(slot int, units uint16) {
	w := x.m.warps[slot]
	i := slices.IndexFunc(w.list, func(r *record) bool {
		return units>>r.unit&1 != 0 && x.m.can(w, slices.Index(w.list, r), x.now)
	})
	id, ok := x.q.Pick(slot, units)
	require.Equal(x.t, i >= 0, ok)
	if !ok {
		return
	}
	r := w.list[i]
	require.Equal(x.t, r.id, id)
	require.Equal(x.t, []any{slot, r.unit, r.kind}, []any{x.q.Slot(id), x.q.Unit(id), x.q.Kind(id)})
	x.q.Issue(id, x.now)
	x.busy = true
	r.issued = x.now
	r.plays++
	r.checkAt = x.now + 3 + uint64(x.rng.Intn(9))
	r.doneAt = x.now + 4 + uint64(x.rng.Intn(3))
	if r.kind.isMemory() {
		r.doneAt = r.checkAt + uint64(x.rng.Intn(9))
		r.doneAt = max(r.doneAt, x.now+4)
	}
	r.faults = x.faults && r.kind == Memory && x.rng.Intn(4) == 0
}

func (x *randomRun) fetch(limit int) {
	var wanted warps.Mask
	for slot, w := range x.m.warps {
		if x.m.open(w, limit) && x.m.waiting() < x.spec.Entries {
			wanted |= bitOf(slot)
		}
	}
	require.Equal(x.t, wanted, x.q.Wanted(), "cycle %d", x.now)
	require.Equal(x.t, x.m.waiting() >= x.spec.Entries, x.q.Full())
	if wanted == 0 || x.rng.Intn(x.lazy) != 0 {
		return
	}
	slot := x.choose(wanted)
	w := x.m.warps[slot]
	for range x.spec.FetchWidth {
		if len(w.list) == limit || !open(x.q, slot) {
			return
		}
		r := &record{from: x.now + 1}
		r.inst, r.kind, r.unit = randomInst(x.rng, x.base)
		r.inst.PC = uint32(len(w.list))
		r.id = x.q.Enter(slot, &r.inst, r.unit, r.kind)
		w.list = append(w.list, r)
		x.busy = true
	}
}

// choose draws a slot of a set.
func (x *randomRun) choose(m warps.Mask) int {
	return warps.First(m, x.rng.Intn(len(x.m.warps)))
}

func (x *randomRun) requireCounts() {
	for slot, w := range x.m.warps {
		var want [2]int
		for _, r := range w.list {
			switch {
			case r.committed:
			case r.issued == 0:
				want[0]++
			default:
				want[1]++
			}
		}
		waiting, flying := x.q.Len(slot)
		require.Equal(x.t, want, [2]int{waiting, flying}, fmt.Sprint("cycle ", x.now))
	}
	require.Zero(x.t, bits.OnesCount64(x.q.Wanted()>>len(x.m.warps)))
}
