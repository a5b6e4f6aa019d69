package issuequeue

import (
	"testing"

	"cotenant/sm/warps"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

func TestValidate(t *testing.T) {
	good := Spec{Entries: 96, Width: 2, FetchWidth: 2, Order: outOfOrder}
	require.NoError(t, good.Validate("operand-log"))
	require.NoError(t, (&Spec{}).Validate("none"), "no queue")
	for want, change := range map[string]func(*Spec){
		"entries is 4097, must be 0 to 4096":                 func(s *Spec) { s.Entries = 4097 },
		"entries is -1, must be 0 to 4096":                   func(s *Spec) { s.Entries = -1 },
		"width is 0, must be 1 to 8":                         func(s *Spec) { s.Width = 0 },
		"fetch_width is 9, must be 1 to 8":                   func(s *Spec) { s.FetchWidth = 9 },
		`order is "fifo", must be one of out-of-order`:       func(s *Spec) { s.Order = "fifo" },
		`order is "in-order-commit", which goes with`:        func(s *Spec) { s.Order = inOrderCommit },
		"in-order-both\", which goes with the schemes none ": func(s *Spec) { s.Order = inOrderBoth },
	} {
		s := good
		change(&s)
		require.ErrorContains(t, s.Validate("operand-log"), want)
	}
	good.Order = inOrderBoth
	require.NoError(t, good.Validate("stall"))
	_, err := RulesOf("wd")
	require.EqualError(t, err, `scheme is "wd", must be one of none, stall, wd-commit, wd-lastcheck, replay-queue, operand-log`)
}

// TestLongIsAResultFromBeyondTheL1: two loads are in flight, and an add waits for the
// first. Only a miss of the first makes it long.
func TestLongIsAResultFromBeyondTheL1(t *testing.T) {
	q := newQueue("stall", "", "")
	q.Start(slot)
	enter := func(text string, cycle uint64) ID {
		q.Edge(cycle)
		inst, kind, unit, _ := parse(text)
		return q.Enter(slot, &inst, unit, kind)
	}
	blocked := func() [2]bool {
		hazard, long := blocked(q, slot)
		return [2]bool{hazard, long}
	}
	near := enter("R3 <- ld [R2]", 1)
	q.Edge(2)
	q.Issue(near, 2)
	far := enter("R4 <- ld [R2]", 2)
	q.Edge(3)
	q.Issue(far, 3)
	require.Equal(t, [2]bool{false, false}, blocked(), "nothing waits")
	add := enter("R5 <- add R3, 8", 3)
	q.Edge(4)
	require.Equal(t, [2]bool{true, false}, blocked())
	q.Missed(far)
	require.Equal(t, [2]bool{true, false}, blocked(), "of another register")
	q.Missed(near)
	require.Equal(t, [2]bool{true, true}, blocked())
	q.Commit(near, 4)
	require.Equal(t, [2]bool{false, false}, blocked(), "it can issue")
	q.Issue(add, 4)
	fence := q.Enter(slot, &workload.Inst{Class: workload.Fence, Dst: workload.NoRegs4, Src: workload.NoRegs10}, warps.Control, Fence)
	q.Edge(5)
	require.Equal(t, [2]bool{true, true}, blocked(), "a fence for memory")
	q.Commit(far, 5)
	id, ok := q.Pick(slot, 1<<warps.Control)
	require.True(t, ok)
	require.Equal(t, fence, id)
}

// TestReplayIsLongOnlyIfItMissesAgain has an add wait for a load that has missed, faulted and
// issued again.
func TestReplayIsLongOnlyIfItMissesAgain(t *testing.T) {
	q := newQueue("replay-queue", "", "")
	q.Start(slot)
	var ids []ID
	for i, text := range []string{"R3 <- ld [R2]", "R5 <- add R3, 8"} {
		q.Edge(uint64(i))
		inst, kind, unit, _ := parse(text)
		ids = append(ids, q.Enter(slot, &inst, unit, kind))
	}
	q.Edge(2)
	q.Issue(ids[0], 2)
	q.Missed(ids[0])
	q.Fault(slot)
	q.Squash(ids[0])
	q.Edge(3)
	q.Resume(slot, 3)
	q.Issue(ids[0], 3)
	q.Edge(4)
	hazard, long := blocked(q, slot)
	require.Equal(t, [2]bool{true, false}, [2]bool{hazard, long})
	q.Missed(ids[0])
	_, long = blocked(q, slot)
	require.True(t, long)
}

// TestAwakeUntilAllHaveCommittedInOrder has three instructions finish in one cycle: one commits
// at each edge, and the queue must not sleep before the last.
func TestAwakeUntilAllHaveCommittedInOrder(t *testing.T) {
	q := newQueue("stall", "", "inorder")
	q.Start(slot)
	var ids []ID
	for i, text := range []string{"R3 <- add R2, 1", "R4 <- add R2, 1", "R5 <- add R2, 1"} {
		inst, kind, unit, _ := parse(text)
		ids = append(ids, q.Enter(slot, &inst, unit, kind))
		q.Edge(uint64(i + 1))
		q.Issue(ids[i], uint64(i+1))
	}
	q.Edge(10)
	for _, id := range ids {
		q.Commit(id, 10)
	}
	for _, want := range []struct {
		flying int
		awake  bool
	}{{1, true}, {0, false}} {
		awake := q.Edge(11 + uint64(1-want.flying))
		_, flying := q.Len(slot)
		require.Equal(t, want.flying, flying)
		require.Equal(t, want.awake, awake)
	}
	require.True(t, q.Idle(slot))
}

// TestAwakeWhileSourcesAreRead has an add wait for the operand read of another: not to
// issue a cycle after it, and to issue two cycles after it.
func TestAwakeWhileSourcesAreRead(t *testing.T) {
	q := newQueue("stall", "", "")
	q.Start(slot)
	require.False(t, q.Edge(1))
	for _, text := range []string{"R3 <- add R2, 1", "R2 <- add R4, 1"} {
		inst, kind, unit, _ := parse(text)
		q.Enter(slot, &inst, unit, kind)
	}
	for i, ready := range []bool{true, false, true} {
		cycle := uint64(2 + i)
		require.True(t, q.Edge(cycle), cycle)
		id, ok := q.Pick(slot, 1<<warps.ALU)
		require.Equal(t, ready, ok, cycle)
		if ok {
			q.Issue(id, cycle)
		}
	}
	require.False(t, q.Edge(5), "nothing waits")
}

// TestClearLeavesNothing clears a warp in the middle of everything.
func TestClearLeavesNothing(t *testing.T) {
	q := newQueue("replay-queue", "", "")
	for round := range 3 {
		q.Start(slot)
		now := uint64(10 * round)
		for i, text := range []string{"R3 <- ld [R2]", "R4 <- add R3, 1", "R5 <- ld [R3]"} {
			inst, kind, unit, _ := parse(text)
			q.Edge(now + uint64(i))
			if id, ok := q.Pick(slot, 0xff); ok {
				q.Issue(id, now+uint64(i))
			}
			q.Enter(slot, &inst, unit, kind)
		}
		if round == 1 {
			q.Fault(slot)
		}
		q.Clear(slot)
		require.Zero(t, q.count)
		require.True(t, q.Idle(slot))
		require.Zero(t, q.Wanted())
		require.False(t, q.Edge(now+5))
		for u := range warps.NumUnits {
			require.Zero(t, q.Ready(u))
		}
		require.Empty(t, q.Waiting(slot))
	}
	require.Len(t, q.chunks, 1, "the numbers are used again")
}

// BenchmarkCycle is a cycle of an SM of 32 warps that issues two instructions: three of
// four are arithmetic of 4 cycles, one is a load of 40.
func BenchmarkCycle(b *testing.B) {
	for _, scheme := range []string{"stall", "replay-queue"} {
		b.Run(scheme, func(b *testing.B) {
			rules, err := RulesOf(scheme)
			require.NoError(b, err)
			q := New(Spec{Entries: 96, Width: 2, FetchWidth: 2, Order: outOfOrder}, rules, warps.Slots{Schedulers: 1, Each: 32})
			for s := range 32 {
				q.Start(s)
			}
			type due struct {
				id    ID
				check bool
			}
			var wheel [64][]due
			program := []string{"R3 <- ld [R2]", "R2 <- add R2, 8", "R4 <- mul R3, R4", "R5 <- add R5, 1"}
			var insts [4]workload.Inst
			var kinds [4]Kind
			var units [4]warps.Unit
			for i, text := range program {
				insts[i], kinds[i], units[i], _ = parse(text)
			}
			var next [32]uint8
			turn, now, issued := 0, uint64(0), 0
			cycle := func() {
				now++
				q.Edge(now)
				for _, d := range wheel[now%64] {
					if d.check {
						q.Checked(d.id, now)
					} else {
						q.Commit(d.id, now)
					}
				}
				wheel[now%64] = wheel[now%64][:0]
				for range 2 {
					m := q.Ready(warps.ALU) | q.Ready(warps.LSU)
					if m == 0 {
						break
					}
					turn = warps.First(m, turn)
					id, _ := q.Pick(turn, 1<<warps.ALU|1<<warps.LSU)
					latency := uint64(4)
					if q.Kind(id) == Memory {
						latency = 40
						at := &wheel[(now+9)%64]
						*at = append(*at, due{id, true})
					}
					q.Issue(id, now)
					issued++
					at := &wheel[(now+latency)%64]
					*at = append(*at, due{id, false})
				}
				if m := q.Wanted(); m != 0 {
					s := warps.First(m, int(now%32))
					for range 2 {
						if !open(q, s) {
							break
						}
						i := next[s] % 4
						next[s]++
						q.Enter(s, &insts[i], units[i], kinds[i])
					}
				}
			}
			for range 10_000 {
				cycle()
			}
			issued = 0
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				cycle()
			}
			b.ReportMetric(float64(issued)/float64(b.N), "issued/cycle")
		})
	}
}
