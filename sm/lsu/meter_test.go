package lsu

import (
	"testing"

	"cotenant/sm/l1"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/golang/mock/gomock"
)

// metered is a bench with a Meter.
func metered(t *testing.T) (*bench, *MockMeter) {
	b := newBench(t)
	m := NewMockMeter(gomock.NewController(t))
	b.meter = m
	return b, m
}

func TestMeterIsToldOfInstructionsFromIssueToTheLastAccess(t *testing.T) {
	b, m := metered(t)
	b.then(m.EXPECT().Sent(tenant.ID(2), 2))
	b.Issue(3, 2, load(10, 2))
	for cycle := range uint64(2) {
		b.accesses(10+cycle, cycle, l1.Posted)
		b.then(m.EXPECT().Accessed(tenant.ID(2), 1, uint64(0)))
		b.step(cycle, true)
	}
	b.AccessDone(0)
	b.then(m.EXPECT().Done(tenant.ID(2)))
	b.then(b.parent.EXPECT().Performed(gomock.Any(), 3, &loaded))
	b.AccessDone(0)
}

func TestMeterIsToldForHowLongAnAccessWasRefused(t *testing.T) {
	for _, tries := range [][]uint64{{50, 57}, {50, 51, 52, 57}} { // a unit that sleeps is not asked
		b, m := metered(t)
		m.EXPECT().Sent(tenant.ID(2), 2)
		b.Issue(3, 2, load(10, 2))
		b.cache.EXPECT().Refused(tenant.Account(2))
		for _, cycle := range tries[:len(tries)-1] {
			b.accesses(10, cycle, l1.Refused)
			b.step(cycle, false)
		}
		b.accesses(10, 57, l1.Posted)
		b.then(m.EXPECT().Accessed(tenant.ID(2), 1, uint64(7)))
		b.step(57, true)
		b.accesses(11, 58, l1.Posted)
		b.then(m.EXPECT().Accessed(tenant.ID(2), 1, uint64(0)))
		b.step(58, true)
	}
}

func TestMeterIsToldOfGlobalMemoryOnly(t *testing.T) {
	for _, inst := range []workload.Inst{
		script.Access(workload.Load, workload.Shared, 0, 4, 4, 1), script.Access(workload.Atomic, workload.Shared, 0, 4, 4, 1),
		script.Access(workload.Load, workload.Local, 0, 4, 4, 1), script.Access(workload.Load, workload.Texture, 0, 4, 4, 1),
		script.Access(workload.Constant, workload.Constants, 0, 4, 4, 1),
	} {
		b, _ := metered(t)
		b.cache.EXPECT().Access(gomock.Any(), gomock.Any(), gomock.Any()).AnyTimes().Return(l1.Posted)
		b.parent.EXPECT().DoneAt(gomock.Any(), gomock.Any()).AnyTimes()
		b.parent.EXPECT().Performed(gomock.Any(), gomock.Any(), gomock.Any()).AnyTimes()
		b.Issue(3, 2, &inst)
		for cycle := uint64(0); b.Queued() > 0; cycle++ {
			b.Step(cycle)
		}
		for b.InFlight() > 0 {
			b.AccessDone(0)
		}
	}
	for _, class := range []workload.Class{workload.Load, workload.Store, workload.Atomic, workload.Reduction} {
		b, m := metered(t)
		m.EXPECT().Sent(tenant.ID(2), 1)
		inst := script.Access(class, workload.Global, 0, 4, 4, 1)
		b.Issue(3, 2, &inst)
	}
}
