package sm

import (
	"testing"

	"cotenant/sm/ews"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/golang/mock/gomock"
	"github.com/stretchr/testify/require"
)

// scheduled is a bench with mocks for the SM's warp schedulers.
func scheduled(t *testing.T, spec Spec) (*bench, []*MockScheduler) {
	b, ctrl := newBench(t, spec), gomock.NewController(t)
	var policies []*MockScheduler
	for i := range b.sm.residents.Schedulers {
		p := NewMockScheduler(ctrl)
		b.sm.residents.Schedulers[i].Policy = p
		policies = append(policies, p)
	}
	return b, policies
}

func TestSchedulerIsAskedWithReadyAndStalledWarpsAndToldOfEachIssue(t *testing.T) {
	b, p := scheduled(t, oneScheduler())
	s := p[0].EXPECT()
	calls := []*gomock.Call{s.Placed(0, tenant.ID(1)), s.Placed(1, tenant.ID(1)),
		// The load of slot 0 issues before slot 1 has an instruction, and has
		// missed when that has one.
		s.Pick(uint64(0b01), uint64(0)).Return(0), s.Issued(0, uint64(0))}
	for range 3 {
		calls = append(calls, s.Pick(uint64(0b10), uint64(0b01)).Return(1), s.Issued(1, uint64(0b01)))
	}
	calls = append(calls, s.Removed(1),
		s.Pick(uint64(0b01), uint64(0)).Return(0), s.Issued(0, uint64(0)), s.Removed(0))
	gomock.InOrder(calls...)
	b.place(1, program(load(1, 0), use(1)), independent(3))
	b.run()
}

func TestSchedulerChoosesAmongAllThatAreReady(t *testing.T) {
	b, p := scheduled(t, oneScheduler())
	s := p[0].EXPECT()
	s.Placed(gomock.Any(), tenant.ID(0)).Times(2)
	gomock.InOrder( // the second warp's first instruction comes a cycle later
		s.Pick(uint64(0b01), uint64(0)).Return(0), s.Issued(0, uint64(0)),
		s.Pick(uint64(0b11), uint64(0)).Return(1), s.Issued(1, uint64(0)),
		s.Pick(uint64(0b11), uint64(0)).Return(1), s.Issued(1, uint64(0)),
		s.Pick(uint64(0b01), uint64(0)).Return(0), s.Issued(0, uint64(0)))
	s.Removed(gomock.Any()).Times(2)
	r := b.place(0, independent(2), independent(2))
	b.run()
	require.Equal(t, []uint64{0, 3}, relative(r[0].issued, r[0].issued[0]))
	require.Equal(t, []uint64{1, 2}, relative(r[1].issued, r[0].issued[0]))
}

func TestCycleInWhichNoWarpIsPickedIsABubbleAndTheNextOneAsksAgain(t *testing.T) {
	b, p := scheduled(t, oneScheduler())
	s := p[0].EXPECT()
	s.Placed(0, tenant.ID(3))
	gomock.InOrder(s.Pick(uint64(1), uint64(0)).Times(5).Return(ews.None),
		s.Pick(uint64(1), uint64(0)).Return(0), s.Issued(0, uint64(0)), s.Removed(0))
	r := b.place(3, program(step))[0]
	b.run()
	require.Equal(t, uint64(3+5), r.issued[0], "placed at 1, fetched at 2, ready at 3")
	require.Equal(t, uint64(5), b.kernel(3).Stalls[Bubble])
	require.Equal(t, uint64(1), b.kernel(3).Stalls[Control])
}

func TestBubbleIsChargedToTheOldestWarpThatCouldIssue(t *testing.T) {
	b, p := scheduled(t, oneScheduler())
	s := p[0].EXPECT()
	s.Placed(gomock.Any(), gomock.Any()).Times(2)
	picks := 0
	s.Pick(gomock.Any(), gomock.Any()).AnyTimes().DoAndReturn(func(ready, _ uint64) int {
		if picks++; picks <= 4 {
			return ews.None
		}
		return int(ready >> 1 & 1)
	})
	s.Issued(gomock.Any(), gomock.Any()).Times(2)
	s.Removed(gomock.Any()).Times(2)
	b.place(2, program(step))
	b.place(1, program(step))
	b.run()
	require.Equal(t, uint64(4), b.kernel(2).Stalls[Bubble])
	require.Zero(t, b.kernel(1).Stalls[Bubble])
}

func TestSchedulersAreToldOfWarpsInOrderOfAgeAndOfTheSlotsThatAreFreeAgain(t *testing.T) {
	spec := testSpec() // two schedulers
	spec.Threads = 128 // of two slots
	b, p := scheduled(t, spec)
	for _, m := range p {
		s := m.EXPECT()
		gomock.InOrder(s.Placed(0, tenant.ID(1)), s.Placed(1, tenant.ID(1)), s.Removed(1), s.Placed(1, tenant.ID(2)))
		s.Pick(gomock.Any(), gomock.Any()).AnyTimes().DoAndReturn(func(ready, _ uint64) int { return int(ready >> 1 & 1) })
		s.Issued(gomock.Any(), gomock.Any()).AnyTimes()
		s.Removed(gomock.Any()).AnyTimes()
	}
	b.place(1, independent(200), independent(200))
	b.place(1, program(step), program(step))
	b.RunTo(60)
	b.place(2, program(step), program(step))
	b.RunTo(1000)
	require.Len(t, b.driver.Got, 3)
}

func TestWarpGoesToTheFirstSchedulerThatHasFewest(t *testing.T) {
	b, p := scheduled(t, testSpec())
	gomock.InOrder(p[0].EXPECT().Placed(0, tenant.ID(0)), p[1].EXPECT().Placed(0, tenant.ID(0)), p[0].EXPECT().Placed(1, tenant.ID(0)),
		p[1].EXPECT().Placed(1, tenant.ID(0)), p[0].EXPECT().Placed(2, tenant.ID(0)))
	b.place(0, program(step), program(step), program(step))
	b.place(0, program(step), program(step))
	b.RunTo(3) // nothing is ready yet
}

func TestSchedulerIsToldOnceOfTwoInstructionsThatIssueTogether(t *testing.T) {
	b, p := scheduled(t, dualIssue())
	s := p[0].EXPECT()
	gomock.InOrder(s.Placed(0, tenant.ID(0)), s.Pick(uint64(1), uint64(0)).Return(0), s.Issued(0, uint64(0)), s.Removed(0))
	b.place(0, program(script.Op(workload.Int, 1), script.Op(workload.SFU, 2)))
	b.run()
}

func TestSchedulerIsNotAskedWhileNoPipeIsFree(t *testing.T) {
	b, p := scheduled(t, oneScheduler())
	s := p[0].EXPECT()
	s.Placed(0, tenant.ID(0))
	s.Pick(uint64(1), uint64(0)).Times(2).Return(0) // and not in the 15 cycles between
	s.Issued(0, uint64(0)).Times(2)
	s.Removed(0)
	b.place(0, program(script.Op(workload.FP64, 1), script.Op(workload.FP64, 2)))
	b.run()
}

func TestStreamIsFetchedAndExecutedInTurnUntilItEnds(t *testing.T) {
	b, stream := newBench(t, oneScheduler()), NewMockStream(gomock.NewController(t))
	fetch := func(inst workload.Inst, more bool) *gomock.Call {
		return stream.EXPECT().Fetch(gomock.Any()).DoAndReturn(func(next *workload.Inst) bool {
			*next = inst
			return more
		})
	}
	execute := func(at uint64, dst uint8) *gomock.Call {
		return stream.EXPECT().Execute(gomock.Any()).Do(func(inst *workload.Inst) {
			require.Equal(t, dst, inst.Dst[0])
			require.Equal(t, at, b.sm.residents.Cycle)
		})
	}
	gomock.InOrder(fetch(script.Op(workload.SFU, 1), true), execute(3, 1),
		fetch(script.Op(workload.Int, 2, 1), true), execute(23, 2), fetch(workload.Inst{}, false))
	b.placeStreams(0, stream)
	b.run()
}
