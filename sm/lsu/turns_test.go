package lsu

import (
	"slices"
	"testing"

	"cotenant/sm/l1"
	"cotenant/sm/tlb"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// shop is a cache that refuses the tenants of a set, and notes whom it has served.
type shop struct {
	refuses uint16
	served  []l1.Request
	lines   []uint64
	refused [tenant.Max]int
}

func (s *shop) Access(m *l1.Request, a *l1.Access, _ uint64) l1.Outcome {
	if s.refuses>>m.Account.Tenant()&1 != 0 {
		return l1.Refused
	}
	s.served, s.lines = append(s.served, *m), append(s.lines, a.Line%(1<<tenant.AddressShift)/128)
	return l1.Posted
}

func (s *shop) Refused(a tenant.Account) { s.refused[a.Tenant()]++ }

// deaf is a parent that ignores all calls.
type deaf struct{}

func (deaf) DoneAt(uint64, uint32)            {}
func (deaf) Missed(uint32, int, *[4]uint8)    {}
func (deaf) Performed(uint32, int, *[4]uint8) {}
func (deaf) Completed(int, int)               {}

func newSkipping(depth int, skip bool, tenants ...tenant.ID) (*Unit, *shop) {
	spec := testSpec()
	spec.QueueDepth, spec.Skip = depth, skip
	s := &shop{}
	u := New(spec, Parts{Cache: s, Parent: deaf{}, HitLatency: hitLatency, Banks: l1.Banks{Count: 1, Bytes: 32}, AccessBytes: 128})
	for _, id := range tenants {
		u.Arrive(id)
	}
	return u, s
}

func TestAnotherTenantsInstructionGoesWhereTheOldestIsRefused(t *testing.T) {
	for _, skip := range []bool{false, true} {
		u, s := newSkipping(8, skip, 0, 1, 2)
		s.refuses = 1 << 0
		u.Issue(0, 0, load(1, 2))
		u.Issue(0, 0, load(10, 1))
		u.Issue(0, 2, load(20, 2))
		u.Issue(0, 1, load(30, 1))
		u.Issue(0, 2, load(40, 1))
		require.Equal(t, 5, u.Queued())
		require.Equal(t, skip, u.Step(0))
		if !skip {
			require.Empty(t, s.lines)
			continue
		}
		require.Equal(t, []uint64{20}, s.lines, "in the same cycle, the oldest of the others")
		s.refuses |= 1 << 2
		require.True(t, u.Step(1))
		require.Equal(t, []uint64{20, 30}, s.lines, "the next oldest, where that is refused too")
		require.Equal(t, 4, u.Queued())
		require.False(t, u.Step(2))
		require.False(t, u.Step(3))
		require.Equal(t, [tenant.Max]int{1, 0, 1}, s.refused, "once for each that has to wait")
		s.refuses = 1 << 2
		require.True(t, u.Step(4))
		require.Equal(t, []uint64{20, 30, 1}, s.lines, "the oldest goes first again")
		s.refuses = 1 << 0
		require.True(t, u.Step(5))
		require.True(t, u.Step(6))
		require.Equal(t, []uint64{20, 30, 1, 21, 40}, s.lines)
		s.refuses = 0
		require.True(t, u.Step(7))
		require.True(t, u.Step(8))
		require.Equal(t, []uint64{20, 30, 1, 21, 40, 2, 10}, s.lines, "those of one tenant in their order")
		require.False(t, u.Step(9))
		require.Zero(t, u.Queued())
	}
}

func TestEachTenantHasItsShareOfTheQueue(t *testing.T) {
	u, s := newSkipping(8, true)
	full := func() (list []int) {
		for id := range tenant.Max {
			if u.FullFor()>>id&1 != 0 {
				list = append(list, id)
			}
		}
		return list
	}
	issue := func(id tenant.ID, n int) {
		for range n {
			require.NotContains(t, full(), int(id))
			require.False(t, u.Full())
			u.Issue(0, tenant.Account(id), load(1, 1))
		}
	}
	u.Arrive(5)
	issue(5, 7)
	require.Empty(t, full())
	u.Arrive(1) // 4 and 4
	require.Equal(t, []int{5}, full())
	issue(1, 1)
	require.True(t, u.Full(), "eight in all")
	for range 4 {
		require.True(t, u.Step(0))
	}
	require.Empty(t, full(), "three are left")
	issue(5, 1)
	require.Equal(t, []int{5}, full())
	issue(1, 3)
	require.Equal(t, []int{1, 5}, full())
	for range 8 {
		require.True(t, u.Step(0))
	}
	require.Len(t, s.lines, 12)
	u.Arrive(0) // 3, 3 and 2: by arrival
	issue(0, 2)
	require.Equal(t, []int{0}, full())
	issue(5, 3)
	issue(1, 3)
	require.Equal(t, []int{0, 1, 5}, full())
	for range 8 {
		u.Step(0)
	}
	u.Leave(5)
	issue(1, 4)
	require.Equal(t, []int{1}, full())
	require.False(t, u.Full())
	for range 4 {
		u.Step(0)
	}
	u.Leave(1)
	issue(0, 8)
	require.True(t, u.Full())
}

func TestMoreTenantsThanEntriesHaveOneEach(t *testing.T) {
	u, _ := newSkipping(2, true, 0, 1, 2)
	u.Issue(0, 2, load(1, 1))
	require.Equal(t, uint16(1<<2), u.FullFor())
	u.Issue(0, 0, load(1, 1))
	require.True(t, u.Full())
}

func TestNobodysShareIsFullUnlessTheUnitMaySkip(t *testing.T) {
	u, _ := newSkipping(2, false, 0, 1)
	u.Issue(0, 0, load(1, 1))
	require.Zero(t, u.FullFor())
	require.False(t, u.Full())
	u.Issue(0, 0, load(1, 1))
	require.True(t, u.Full())
}

// A unit that may skip serves, each cycle, the oldest that a plain search over all
// that wait finds; with one tenant it is the unit that may not.
func TestUnitThatMaySkipIsAPlainSearch(t *testing.T) {
	type waits struct {
		tenant tenant.ID
		line   uint64
		left   int
	}
	rapid.Check(t, func(t *rapid.T) {
		depth := rapid.IntRange(1, 9).Draw(t, "depth")
		tenants := rapid.SampledFrom([][]tenant.ID{{3}, {0, 3}, {3, 0, 9}}).Draw(t, "tenants")
		u, s := newSkipping(depth, true, tenants...)
		inOrder, same := newSkipping(depth, false)
		var list []waits
		var want []uint64
		for cycle := range uint64(rapid.IntRange(1, 80).Draw(t, "cycles")) {
			s.refuses = 0
			for _, id := range tenants {
				s.refuses |= uint16(rapid.IntRange(0, 1).Draw(t, "refused")) << id
			}
			same.refuses = s.refuses
			moved := false
			for i := range list {
				w := &list[i]
				older := slices.ContainsFunc(list[:i], func(o waits) bool { return o.tenant == w.tenant })
				if older || s.refuses>>w.tenant&1 != 0 {
					continue
				}
				want = append(want, w.line)
				w.line++
				if w.left--; w.left == 0 {
					list = slices.Delete(list, i, i+1)
				}
				moved = true
				break
			}
			require.Equal(t, moved, u.Step(cycle))
			require.Equal(t, want, s.lines)
			if len(tenants) == 1 {
				require.Equal(t, moved, inOrder.Step(cycle))
				require.Equal(t, want, same.lines)
			}
			for range rapid.IntRange(0, 3).Draw(t, "issued") {
				slot := rapid.IntRange(0, len(tenants)-1).Draw(t, "whose")
				id, n := tenants[slot], 0
				for _, w := range list {
					if w.tenant == id {
						n++
					}
				}
				share := depth / len(tenants)
				if slot < depth%len(tenants) {
					share++
				}
				require.Equal(t, len(list) == depth, u.Full())
				require.Equal(t, n >= max(1, share), u.FullFor()>>id&1 != 0)
				if u.Full() || n >= max(1, share) {
					continue
				}
				w := waits{id, 100 * (cycle + 1), rapid.IntRange(1, 4).Draw(t, "lines")}
				list = append(list, w)
				u.Issue(0, tenant.Account(id), load(w.line, w.left))
				if len(tenants) == 1 {
					inOrder.Issue(0, tenant.Account(id), load(w.line, w.left))
				}
			}
		}
	})
}

// Instructions that need no cache skip and are skipped as any.
func TestPassesGoOnWhileAnotherIsRefused(t *testing.T) {
	u, s := newSkipping(8, true, 0, 1)
	s.refuses = 1
	u.Issue(0, 0, load(1, 1))
	u.Issue(0, 1, &workload.Inst{Class: workload.Load, Space: workload.Shared, Stride: 8, Width: 4, Active: ^uint32(0), Dst: workload.NoRegs4})
	require.True(t, u.Step(0))
	require.True(t, u.Step(1), "the second pass: two lanes a bank")
	require.False(t, u.Step(2))
	require.Equal(t, 1, u.Queued())
}

// absent is a translator that has no page.
type absent struct{ *MockFaults }

func (absent) LookUp(uint64, tenant.Account, bool, uint32) tlb.Outcome { return tlb.Waits }
func (absent) Checked(uint32, uint64)                                  {}

// An access with a late page does not wait for another tenant's access that the cache
// refuses, nor does the queue; a tenant's own accesses stay in order.
func TestLateTranslationsOfATenantHoldUpItsOwnAlone(t *testing.T) {
	for _, skip := range []bool{false, true} {
		spec := testSpec()
		spec.QueueDepth, spec.Skip = 8, skip
		s := &shop{}
		u := New(spec, Parts{Cache: s, Parent: deaf{}, HitLatency: hitLatency, Banks: l1.Banks{Count: 1, Bytes: 32}, AccessBytes: 128,
			Translator: absent{}, Faults: absent{}})
		for id := range tenant.ID(3) {
			u.Arrive(id)
		}
		for i, id := range []tenant.Account{0, 0, 1, 1} {
			u.Issue(i, id, load(uint64(10*i+10), 1))
		}
		for cycle := range uint64(4) {
			require.True(t, u.Step(cycle))
		}
		shared := script.Access(workload.Load, workload.Shared, 0, 4, 4, 1)
		u.Issue(4, 0, &shared)
		u.Issue(5, 2, &shared)
		for access := range uint32(4) {
			u.Translated(access, 4)
		}
		s.refuses = 1 << 0
		steps := 0
		for u.Step(uint64(5 + steps)) {
			steps++
		}
		if !skip {
			require.Zero(t, steps)
			require.Empty(t, s.lines)
		} else {
			require.Equal(t, 3, steps, "two accesses of tenant 1, and shared memory of 2")
			require.Equal(t, []uint64{30, 40}, s.lines)
			require.Equal(t, 1, u.Queued())
		}
		require.Equal(t, [tenant.Max]int{1}, s.refused, "each instruction counts once")
		s.refuses = 0
		for u.Step(20) {
		}
		require.Equal(t, map[bool][]uint64{false: {10, 20, 30, 40}, true: {30, 40, 10, 20}}[skip], s.lines)
		require.Zero(t, u.Queued())
	}
}
