package ews

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"cotenant/tenant"
)

// mask is the mask of the given slots.
func mask(slots ...int) (m uint64) {
	for _, s := range slots {
		m |= 1 << s
	}
	return m
}

// scheduler makes a scheduler with warps in slots 0, 1, ... of the given
// kernels, in order of age.
func scheduler(t *testing.T, name string, kernels ...tenant.ID) Scheduler {
	t.Helper()
	s, err := New(name)
	require.NoError(t, err)
	for slot, kernel := range kernels {
		s.Placed(slot, kernel)
	}
	return s
}

// order lets a scheduler issue n times from the same warps and returns the
// slots.
func order(s Scheduler, n int, ready, stalled uint64) (slots []int) {
	for range n {
		slot := s.Pick(ready, stalled)
		s.Issued(slot, stalled)
		slots = append(slots, slot)
	}
	return slots
}

// examples are names of all schedulers. A scheduler with a number appears with several.
func examples() (names []string) {
	for _, name := range Names() {
		base, takes := strings.CutSuffix(name, "-N")
		if !takes {
			names = append(names, name)
			continue
		}
		for _, n := range []string{"1", "4", "64"} {
			names = append(names, base+"-"+n)
		}
	}
	return names
}

func TestNewKnowsEveryName(t *testing.T) {
	require.Subset(t, examples(), []string{"gto", "lrr", "2lvl-1", "2lvl-64", "kernel-lrr"})
	require.True(t, slices.IsSorted(Names()))
	for _, name := range examples() {
		s, err := New(name)
		require.NoError(t, err, name)
		require.NotNil(t, s, name)
	}
}

func TestTwoSchedulersOfOneNameAreAFaultOfTheProgram(t *testing.T) {
	require.PanicsWithValue(t, "two warp schedulers are called gto", func() { register(policy{name: "gto"}) })
}

func TestEverySchedulerIsDescribedInALine(t *testing.T) {
	require.Contains(t, All(), Description{"gto", "greedy then oldest"})
	for _, d := range All() {
		require.Regexp(t, `^.+$`, d.About, d.Name)
	}
}

func TestNewNamesWhatIsWrong(t *testing.T) {
	for _, name := range []string{"", "GTO", "gto-4", "lrr-", "2lvl", "2lvl-", "2lvl-x", "2lvl--1", "-8", "kernel", "kernel-lrr-2"} {
		_, err := New(name)
		require.EqualError(t, err, fmt.Sprintf("unknown warp scheduler %q; valid: %s", name, strings.Join(Names(), ", ")))
	}
	for _, name := range []string{"2lvl-0", "2lvl-65", "2lvl-99999999999999999999"} {
		_, err := New(name)
		require.EqualError(t, err, fmt.Sprintf("warp scheduler %q: the number must be 1 to 64", name))
	}
}

// The contract of Pick, over any life of any scheduler.
func TestPickReturnsAReadySlotAndChangesNothing(t *testing.T) {
	for _, name := range examples() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s, err := New(name)
				require.NoError(t, err)
				placed := uint64(0)
				for range rapid.IntRange(1, 100).Draw(t, "steps") {
					slot := rapid.IntRange(0, MaxSlots-1).Draw(t, "slot")
					switch {
					case placed>>slot&1 == 0:
						s.Placed(slot, tenant.ID(rapid.IntRange(0, 15).Draw(t, "kernel")))
						placed |= 1 << slot
					case rapid.Bool().Draw(t, "removed"):
						s.Removed(slot)
						placed &^= 1 << slot
					}
					ready := placed & rapid.Uint64().Draw(t, "ready")
					stalled := placed &^ ready & rapid.Uint64().Draw(t, "stalled")
					if ready == 0 {
						continue
					}
					before := fmt.Sprintf("%+v", s)
					pick := s.Pick(ready, stalled)
					require.Equal(t, before, fmt.Sprintf("%+v", s))
					if pick == None {
						continue
					}
					require.NotZero(t, ready&mask(pick))
					if rapid.Bool().Draw(t, "issue") {
						s.Issued(pick, stalled)
					}
				}
			})
		})
	}
}

func TestGTOStaysWithTheWarpThatIssued(t *testing.T) {
	s := scheduler(t, "gto", 0, 0, 0)
	s.Issued(2, 0)
	require.Equal(t, []int{2, 2, 2}, order(s, 3, mask(0, 1, 2), 0))
}

func TestGTOFallsBackToTheOldest(t *testing.T) {
	s := scheduler(t, "gto")
	for _, slot := range []int{5, 2, 60} {
		s.Placed(slot, 0)
	}
	require.Equal(t, []int{5}, order(s, 1, mask(2, 5, 60), 0))
	require.Equal(t, []int{2}, order(s, 1, mask(2, 60), 0))
	// It is greedy for 2 now, though 5 is older.
	require.Equal(t, []int{2}, order(s, 1, mask(2, 5, 60), 0))
}

func TestGTOForgetsARemovedWarp(t *testing.T) {
	s := scheduler(t, "gto", 0, 0, 0)
	s.Issued(0, 0)
	s.Removed(0)
	require.Equal(t, []int{1}, order(s, 1, mask(1, 2), 0))
	// A slot's next warp is the youngest, and has not issued.
	s.Removed(1)
	s.Placed(1, 0)
	require.Equal(t, []int{2}, order(s, 1, mask(1, 2), 0))
}

func TestGTOKeepsTheOrderOfAgeInAFullScheduler(t *testing.T) {
	s := scheduler(t, "gto", make([]tenant.ID, MaxSlots)...)
	for slot := range MaxSlots {
		s.Removed(slot)
		s.Placed(slot, 0)
	}
	require.Equal(t, 0, s.Pick(^uint64(0), 0))
	s.Removed(0)
	require.Equal(t, 1, s.Pick(^uint64(0)&^1, 0))
}

func TestLRRTakesTurns(t *testing.T) {
	s := scheduler(t, "lrr", 0, 0, 0, 0)
	require.Equal(t, []int{0, 1, 3, 0, 1, 3}, order(s, 6, mask(0, 1, 3), 0))
}

func TestLRRSkipsWhatIsNotReadyAndGoesOnBehindIt(t *testing.T) {
	s := scheduler(t, "lrr", 0, 0, 0, 0)
	require.Equal(t, []int{2}, order(s, 1, mask(2), 0))
	require.Equal(t, []int{3, 0, 1, 2}, order(s, 4, mask(0, 1, 2, 3), 0))
	require.Equal(t, []int{63, 0}, order(s, 2, mask(0, 63), 0))
}

func TestTwoLevelTakesTurnsInsideTheActiveSet(t *testing.T) {
	s := scheduler(t, "2lvl-2", 0, 0, 0, 0)
	require.Equal(t, []int{0, 1, 0, 1, 0}, order(s, 5, mask(0, 1, 2, 3), 0))
}

func TestTwoLevelStalledWarpYieldsItsPlace(t *testing.T) {
	s := scheduler(t, "2lvl-2", 0, 0, 0, 0)
	order(s, 2, mask(0, 1, 2, 3), 0)
	// 1 waits for memory: 2 joins 0.
	require.Equal(t, []int{2, 0, 2, 0}, order(s, 4, mask(0, 2, 3), mask(1)))
	// 1 is ready again, and has to wait until a place is free.
	require.Equal(t, []int{2, 0, 2, 0}, order(s, 4, mask(0, 1, 2, 3), 0))
	require.Equal(t, []int{1, 2, 1}, order(s, 3, mask(1, 2, 3), mask(0)))
}

func TestTwoLevelPlaceIsTakenFromTheStalledWarpOnly(t *testing.T) {
	// 0 waits for a short result, 1 for memory: the newcomer displaces 1.
	s := scheduler(t, "2lvl-2", 0, 0, 0, 0)
	order(s, 2, mask(0, 1), 0)
	require.Equal(t, []int{2}, order(s, 1, mask(2), mask(1)))
	require.Equal(t, []int{0, 2, 0, 2}, order(s, 4, mask(0, 1, 2), 0))
}

func TestTwoLevelWarpOutsideHelpsOutWithoutJoining(t *testing.T) {
	s := scheduler(t, "2lvl-2", 0, 0, 0, 0)
	order(s, 2, mask(0, 1, 2, 3), 0)
	// Both members wait for short results.
	require.Equal(t, []int{2, 3}, order(s, 2, mask(2, 3), 0))
	require.Equal(t, []int{0, 1, 0, 1}, order(s, 4, mask(0, 1, 2, 3), 0))
}

func TestTwoLevelPlaceOfARemovedWarpIsFree(t *testing.T) {
	s := scheduler(t, "2lvl-2", 0, 0, 0, 0)
	order(s, 2, mask(0, 1, 2, 3), 0)
	s.Removed(1)
	require.Equal(t, []int{2, 0, 2}, order(s, 3, mask(0, 2, 3), 0))
}

func TestTwoLevelActiveSetNeverExceedsItsSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &twoLevel{size: rapid.IntRange(1, 8).Draw(t, "size")}
		for range 50 {
			ready := rapid.Uint64Range(1, 1<<12-1).Draw(t, "ready")
			stalled := rapid.Uint64Range(0, 1<<12-1).Draw(t, "stalled") &^ ready
			before := s.active
			pick := s.Pick(ready, stalled)
			if ready&before != 0 && bits.OnesCount64(before&^stalled) == s.size {
				require.NotZero(t, before&mask(pick), "a warp outside the full set issues though one inside could")
			}
			s.Issued(pick, stalled)
			require.LessOrEqual(t, bits.OnesCount64(s.active), s.size)
			require.Zero(t, before&^s.active&^stalled, "a warp that is not stalled loses its place")
		}
	})
}

func TestKernelLRRTakesTurnsBetweenKernels(t *testing.T) {
	s := scheduler(t, "kernel-lrr", 0, 0, 1, 1, 15)
	require.Equal(t, []int{0, 2, 4, 0, 2, 4}, order(s, 6, mask(0, 1, 2, 3, 4), 0))
}

func TestKernelLRRSkipsAKernelThatCannotIssue(t *testing.T) {
	s := scheduler(t, "kernel-lrr", 0, 1, 2)
	require.Equal(t, []int{0, 2, 0, 2}, order(s, 4, mask(0, 2), 0))
	require.Equal(t, []int{0, 1, 2}, order(s, 3, mask(0, 1, 2), 0))
}

func TestKernelLRRIsGreedyThenOldestInsideAKernel(t *testing.T) {
	s := scheduler(t, "kernel-lrr", 0, 0, 0, 1)
	s.Issued(2, 0) // greedy for 2
	s.Issued(3, 0)
	require.Equal(t, []int{2, 3, 2}, order(s, 3, mask(0, 1, 2, 3), 0))
	require.Equal(t, []int{3, 0, 3, 0}, order(s, 4, mask(0, 1, 3), 0))
	// It has become greedy for 0.
	require.Equal(t, []int{3, 0}, order(s, 2, mask(0, 1, 2, 3), 0))
}

func TestKernelLRRForgetsARemovedWarp(t *testing.T) {
	s := scheduler(t, "kernel-lrr", 0, 0, 1)
	s.Issued(1, 0)
	s.Removed(1)
	s.Placed(1, 0)
	require.Equal(t, []int{2, 0}, order(s, 2, mask(0, 1, 2), 0), "the slot's next warp is the youngest, and has not issued")
	s.Removed(1)
	s.Placed(1, 1)
	require.Equal(t, []int{2, 2, 2}, order(s, 3, mask(1, 2), 0), "the slot is the other kernel's now")
}
