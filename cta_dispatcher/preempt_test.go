package dispatcher

import (
	"testing"

	"cotenant/components"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

const (
	saveCycles = 20 // from the order until the thread block has left
	ackCycles  = 10 // from then until its context is in memory
	loadCycles = 30 // from the order until the thread block runs
)

// mockEngine is a preemption engine that takes a fixed time for everything. It
// takes thread blocks off its mock SM, and puts them back with the time that
// they had left.
type mockEngine struct {
	components.Module
	port   *components.Port
	sm     *mockSM
	saves  []*protocol.SaveTB
	loads  []*protocol.LoadTB
	outbox []delayed
	left   map[*protocol.Context]uint64 // cycles that a thread block has left to run
}

type delayed struct {
	msg sim.Msg
	at  uint64
	do  func(cycle uint64)
}

func (e *mockEngine) Tick(cycle uint64) (moved bool) {
	for len(e.outbox) > 0 && e.outbox[0].at <= cycle && e.port.Push(e.outbox[0].msg) {
		if e.outbox[0].do != nil {
			e.outbox[0].do(cycle)
		}
		e.outbox = e.outbox[1:]
		moved = true
	}
	switch o := e.port.Pop().(type) {
	case *protocol.SaveTB:
		e.saves = append(e.saves, o)
		e.save(o, cycle)
		moved = true
	case *protocol.LoadTB:
		e.loads = append(e.loads, o)
		e.later(&protocol.TBRestored{Serial: o.Serial, Bytes: 4 * o.Demand.Registers}, cycle+loadCycles, func(cycle uint64) {
			r := protocol.TBFinished{TB: o.TB, SM: e.sm.id, Tenant: o.Tenant, Serial: o.Serial}
			e.sm.running = append(e.sm.running, finish{r, cycle + e.left[o.Context]})
			e.sm.Wake()
		})
		moved = true
	}
	if len(e.outbox) > 0 {
		e.WakeAt(max(cycle+1, e.outbox[0].at))
	}
	return moved
}

func (e *mockEngine) later(msg sim.Msg, at uint64, do func(uint64)) {
	e.outbox = append(e.outbox, delayed{msg, at, do})
}

func (e *mockEngine) save(o *protocol.SaveTB, cycle uint64) {
	for i, f := range e.sm.running {
		if f.report.Serial != o.Serial {
			continue
		}
		e.sm.running = append(e.sm.running[:i:i], e.sm.running[i+1:]...)
		context := &protocol.Context{}
		if e.left == nil {
			e.left = map[*protocol.Context]uint64{}
		}
		e.left[context] = f.at - min(f.at, cycle)
		for _, other := range e.sm.b.engines {
			other.left = e.left
		}
		if o.Drop {
			e.later(&protocol.TBPreempted{Serial: o.Serial, Dropped: true}, cycle+saveCycles, nil)
			return
		}
		e.later(&protocol.TBPreempted{Serial: o.Serial, Context: context, Bytes: 4 * o.Demand.Registers}, cycle+saveCycles, nil)
		e.later(&protocol.TBSaved{Serial: o.Serial}, cycle+saveCycles+ackCycles, nil)
		return
	}
}

// scripted places thread blocks by fcfs, and does what a test asks instead when
// the second one finishes: the one that took the place of the first has just
// begun then.
func scripted(act func(v *policy.View, a policy.Actions)) policy.Policy {
	fcfs, _ := policy.Parse("fcfs")
	finished := 0
	return policyFunc(func(v *policy.View, a policy.Actions) {
		if v.Event == policy.TBFinished {
			finished++
			if finished == 2 {
				act(v, a)
				return
			}
		}
		fcfs.Decide(v, a)
	})
}

func TestPreemptedThreadBlockComesBackFirstAndFinishesOnce(t *testing.T) {
	k := kernel("k", 6)
	k.RegistersPerTB = 100
	b := newBench(t, setup{sms: 1, tenants: tenants(app(k)), policy: scripted(func(v *policy.View, a policy.Actions) {
		a.Preempt(0, 0, 1, policy.Switch)
		require.Equal(t, 1, v.SMs[0].Leaving[0])
		require.Equal(t, 1, v.SMs[0].TBs[0], "it holds its resources")
		require.Zero(t, v.SMs[0].Staying(0))
	})})
	b.run(10_000)
	require.True(t, b.host.Done())
	stats := b.driver.Stats().Tenants[0]
	require.Equal(t, uint64(6), stats.TBsCompleted)
	require.Equal(t, uint64(7), stats.TBsPlaced)
	require.Equal(t, []uint64{1, 400, 400}, []uint64{stats.Preemptions, stats.ContextBytes, stats.RestoredBytes})
	require.Equal(t, [][]int{{0, 1, 2, 3, 4, 5}}, b.ids(0), "new ones, in order")
	save, load := b.engines[0].saves[0], b.engines[0].loads[0]
	require.Equal(t, save.Addr, load.Addr)
	require.NotEqual(t, save.Serial, load.Serial)
	require.Equal(t, []bool{false, false}, []bool{save.Halt, save.Free})
}

func TestThreadBlockThatFinishesWhileItIsToLeaveIsDone(t *testing.T) {
	k := kernel("k", 4)
	b := newBench(t, setup{sms: 1, tenants: tenants(app(k)), policy: scripted(func(v *policy.View, a policy.Actions) {
		a.Preempt(0, 0, 1, policy.Switch)
	})})
	b.duration = 1
	b.run(10_000)
	require.True(t, b.host.Done())
	require.Equal(t, uint64(4), b.driver.Stats().Tenants[0].TBsCompleted)
	require.Zero(t, b.driver.ledger.view.SMs[0].Leaving[0])
}

func TestReservedSMIsFreedWhenTheLastHasLeft(t *testing.T) {
	for _, m := range []policy.Mechanism{policy.Switch, policy.Ideal, policy.Drain} {
		var freed, reserved []uint64
		k := kernel("k", 6)
		s := setup{tenants: tenants(app(k)), policy: scripted(func(v *policy.View, a policy.Actions) {
			a.PreemptSM(1, m)
			require.True(t, v.SMs[1].Reserved)
			require.False(t, v.Fits(0, 1))
		})}
		b := newBench(t, s)
		b.driver.listener = Listener{
			SMReserved: func(e SMEvent) { require.Equal(t, m, e.Mechanism); reserved = append(reserved, e.Cycle) },
			SMFreed:    func(e SMEvent) { freed = append(freed, e.Cycle) },
		}
		b.run(10_000)
		require.True(t, b.host.Done())
		require.Len(t, reserved, 1)
		require.Len(t, freed, 1)
		require.Equal(t, uint64(6), b.driver.Stats().Tenants[0].TBsCompleted)
		require.Equal(t, uint64(1), b.driver.Stats().SMPreemptions)
		for _, o := range b.engines[1].saves {
			require.Equal(t, m == policy.Switch, o.Halt)
			require.Equal(t, m == policy.Ideal, o.Free)
		}
		if m == policy.Drain {
			require.Empty(t, b.engines[1].saves)
		} else {
			require.NotEmpty(t, b.engines[1].saves)
		}
	}
}

func TestRelocatedThreadBlockKeepsItsPlace(t *testing.T) {
	k := kernel("k", 3)
	k.RegistersPerTB = 10
	b := newBench(t, setup{sms: 1, tenants: tenants(app(k)), policy: scripted(func(v *policy.View, a policy.Actions) {
		before := v.SMs[0].Usage
		a.Relocate(0, 0, 1, policy.Switch)
		require.Equal(t, before, v.SMs[0].Usage)
	})})
	b.run(10_000)
	require.True(t, b.host.Done())
	stats := b.driver.Stats().Tenants[0]
	require.Equal(t, []uint64{3, 1, 0, 40, 40}, []uint64{stats.TBsCompleted, stats.Relocations, stats.Preemptions, stats.ContextBytes, stats.RestoredBytes})
}

func TestRelocationTurnsIntoAPreemption(t *testing.T) {
	k := kernel("k", 3)
	k.RegistersPerTB = 10
	b := newBench(t, setup{sms: 1, tenants: tenants(app(k)), policy: scripted(func(v *policy.View, a policy.Actions) {
		a.Relocate(0, 0, 1, policy.Switch)
		a.Preempt(0, 0, 1, policy.Switch)
	})})
	b.run(10_000)
	require.True(t, b.host.Done())
	require.Equal(t, uint64(3), b.driver.Stats().Tenants[0].TBsCompleted)
	require.Len(t, b.engines[0].saves, 1)
}

func TestContextMemoryIsUsedAgain(t *testing.T) {
	m := newContextMemory(3, 300)
	require.Equal(t, []int32{0, 1, 2}, []int32{m.take(), m.take(), m.take()})
	require.Equal(t, uint64(384), m.address(2)-m.address(1), "whole lines")
	m.put(1)
	require.Equal(t, int32(1), m.take())
	require.Equal(t, int32(3), m.take())
}

// restartable is a source whose thread blocks can be flushed.
type restartable struct{ *source }

func (r restartable) Open() (workload.Launch, error) {
	l, err := r.source.Open()
	return restarts{l}, err
}

type restarts struct{ workload.Launch }

func (restarts) Restart(*workload.TB) error { return nil }

func TestFlushedThreadBlockStartsAnew(t *testing.T) {
	k := kernel("k", 3)
	k.RegistersPerTB, k.Idempotent, k.Source = 10, true, restartable{k.Source.(*source)}
	b := newBench(t, setup{sms: 1, tenants: tenants(app(k)), policy: scripted(func(v *policy.View, a policy.Actions) {
		require.True(t, v.Tenants[0].Idempotent)
		a.Preempt(0, 0, 1, policy.Flush)
	})})
	b.run(10_000)
	require.True(t, b.host.Done())
	stats := b.driver.Stats().Tenants[0]
	require.Equal(t, []uint64{3, 1, 0, 0}, []uint64{stats.TBsCompleted, stats.Preemptions, stats.ContextBytes, stats.RestoredBytes})
	require.Equal(t, [][]int{{0, 1, 2, 2}}, b.ids(0))
}

// periodic is fcfs with epochs.
type periodic struct {
	policy.Policy
	seen []uint64
}

func (p *periodic) EpochCycles() uint64 { return 50 }

func (p *periodic) Decide(v *policy.View, a policy.Actions) {
	if v.Event == policy.Epoch {
		p.seen = append(p.seen, v.Window, v.SMs[0].Issued[0])
		return
	}
	p.Policy.Decide(v, a)
}

func TestEpochShowsWhatWasIssuedInTheWindow(t *testing.T) {
	fcfs, _ := policy.Parse("fcfs")
	p := &periodic{Policy: fcfs}
	b := newBench(t, setup{sms: 1, tenants: tenants(app(kernel("k", 4))), policy: p})
	b.run(160)
	// The mock SM says that it has issued ten instructions a cycle.
	require.Equal(t, []uint64{50, 510, 50, 500, 50, 500}, p.seen)
}

func TestFaultOfAPolicyEndsTheSimulation(t *testing.T) {
	for _, c := range []struct {
		fault func(v *policy.View, a policy.Actions)
		want  string
	}{
		{func(v *policy.View, a policy.Actions) {
			for range 99 {
				a.Place(0, 0)
			}
		}, "fault of the policy: a thread block of tenant 0 is placed on SM 0, where none fits"},
		{func(v *policy.View, a policy.Actions) { a.Preempt(0, 0, 1, policy.Drain) },
			"fault of the policy: a thread block of tenant 0 on SM 0 is to drain, which only a whole SM can"},
		{func(v *policy.View, a policy.Actions) { a.Preempt(0, 0, 9, policy.Switch) },
			"fault of the policy: 9 thread blocks of tenant 0 are to leave SM 0, where 1 stay"},
		{func(v *policy.View, a policy.Actions) {
			a.PreemptSM(0, policy.Switch)
			a.PreemptSM(0, policy.Switch)
		}, "fault of the policy: SM 0, which is reserved or empty, is to be preempted"},
		{func(v *policy.View, a policy.Actions) { a.PreemptSM(1, policy.Switch) },
			"fault of the policy: SM 1, which is reserved or empty, is to be preempted"},
	} {
		k := kernel("k", 2)
		b := newBench(t, setup{tenants: tenants(app(k)), policy: policyFunc(func(v *policy.View, a policy.Actions) {
			if v.Event == policy.TBFinished {
				c.fault(v, a)
			} else if v.Tenants[0].Waiting == 2 {
				a.Place(0, 0)
				a.Place(0, 0)
			}
		})})
		b.run(10_000)
		require.EqualError(t, b.driver.Err(), c.want)
	}
}
