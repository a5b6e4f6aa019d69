package dispatcher

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// scripted places thread blocks by fcfs. When the second thread block finishes, the test
// acts instead; the successor of the first thread block has just begun then.
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
	save, load := b.saves[0], b.loads[0]
	require.Equal(t, save.Addr, load.Addr)
	require.NotEqual(t, save.Serial, load.Serial)
	require.Equal(t, []bool{false, false}, []bool{save.Halt, save.Free})
}

func TestTheLastPlacedLeaveFirst(t *testing.T) {
	four := small
	four.TBs = 4
	b := newBench(t, setup{sms: 1, capacity: four, tenants: tenants(app(kernel("k", 4)))})
	decide := b.driver.policy
	b.driver.policy = policyFunc(func(v *policy.View, a policy.Actions) {
		decide.Decide(v, a)
		if v.Event == policy.KernelArrived {
			a.Preempt(0, 0, 2, policy.Switch)
		}
	})
	b.run(10)
	require.Equal(t, []uint64{3, 2}, []uint64{b.saves[0].Serial, b.saves[1].Serial})
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
		for _, o := range b.saves {
			require.Equal(t, m == policy.Switch, o.Halt)
			require.Equal(t, m == policy.Ideal, o.Free)
		}
		if m == policy.Drain {
			require.Empty(t, b.saves)
		} else {
			require.NotEmpty(t, b.saves)
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
	require.Equal(t, []uint64{3, 1, 0, 40, 40, 40},
		[]uint64{stats.TBsCompleted, stats.Relocations, stats.Preemptions, stats.ContextBytes, stats.RestoredBytes, stats.RelocationBytes})
}

func TestThreadBlockComesBackWithItsCode(t *testing.T) {
	k := kernel("k", 3)
	b := newBench(t, setup{sms: 1, tenants: tenants(app(k)), policy: scripted(func(v *policy.View, a policy.Actions) {
		a.Relocate(0, 0, 1, policy.Switch)
	})})
	b.driver.codes[code{1, "another"}] = 0 // so that its own is 1
	b.run(10_000)
	require.Len(t, b.loads, 1)
	require.Equal(t, uint32(1), b.loads[0].Code)
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
	stats := b.driver.Stats().Tenants[0]
	require.Equal(t, []uint64{3, 1, 1, 40, 0}, []uint64{stats.TBsCompleted, stats.Relocations, stats.Preemptions, stats.ContextBytes, stats.RelocationBytes})
	require.Len(t, b.saves, 1)
}

// A thread block that is to come back to its SM is preempted before a running one.
func TestWhoIsRelocatedIsPreemptedFirst(t *testing.T) {
	four := small
	four.TBs = 4
	b := newBench(t, setup{sms: 1, capacity: four, tenants: tenants(app(kernel("k", 4))), policy: acting(func(v *policy.View, a policy.Actions) {
		if v.Event == policy.KernelArrived {
			a.Relocate(0, 0, 1, policy.Switch)
			a.Preempt(0, 0, 1, policy.Switch)
		}
	})})
	b.run(10)
	require.Len(t, b.saves, 1)
	require.Equal(t, 3, b.driver.ledger.view.SMs[0].Staying(0))
}

// A thread block that has left its SM and would come back is preempted first: its room is
// free at once.
func TestAMovingThreadBlockIsPreemptedFirst(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 2)))})
	b.gpu.Times.Acknowledge = func() uint64 { return 500 }
	b.duration = 9000
	relocate := func(until uint64) {
		b.driver.Relocate(0, 0, 1, policy.Switch)
		b.driver.Wake()
		b.run(until)
	}
	b.run(10)
	relocate(1100)
	relocate(1110)
	b.driver.Preempt(0, 0, 1, policy.Switch)
	require.Equal(t, 1, b.driver.ledger.view.SMs[0].Usage.TBs)
	b.driver.Wake()
	b.run(100_000)
	require.True(t, b.host.Done())
}

func TestThePlaceOfAContextIsFreeOnceItIsBack(t *testing.T) {
	k := kernel("k", 9)
	k.RegistersPerTB = 100
	b := newBench(t, setup{sms: 1, tenants: tenants(app(k)), policy: acting(func(v *policy.View, a policy.Actions) {
		if v.Event == policy.TBFinished && v.SMs[0].Leaving[0] == 0 && v.Tenants[0].Saving == 0 && v.Tenants[0].Loading == 0 {
			a.Preempt(0, 0, 1, policy.Switch)
		}
	})})
	b.run(10_000)
	require.True(t, b.host.Done())
	require.Len(t, b.loads, 2)
	for _, o := range b.saves {
		require.Equal(t, b.saves[0].Addr, o.Addr)
	}
}

// restartable is a source of thread blocks that can be flushed.
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

func TestAKernelWhoseSourceCannotRestartIsNotIdempotent(t *testing.T) {
	k := kernel("k", 3)
	k.Idempotent = true
	b := newBench(t, setup{sms: 1, tenants: tenants(app(k)), policy: scripted(func(v *policy.View, _ policy.Actions) {
		require.False(t, v.Tenants[0].Idempotent)
	})})
	b.run(10_000)
	require.True(t, b.host.Done())
}

// periodic is fcfs with epochs.
type periodic struct {
	policy.Policy
	seen []uint64
}

func (p *periodic) Needs() policy.Needs { return policy.Needs{Epoch: 50} }

func (p *periodic) Decide(v *policy.View, a policy.Actions) {
	if v.Event == policy.Epoch {
		window, cycles := v.SMWindow(0)
		p.seen = append(p.seen, cycles, window.Tenants[0].WarpInstructions)
		return
	}
	p.Policy.Decide(v, a)
}

func TestEpochShowsWhatWasIssuedInTheWindow(t *testing.T) {
	fcfs, _ := policy.Parse("fcfs")
	p := &periodic{Policy: fcfs}
	b := newBench(t, setup{sms: 1, tenants: tenants(app(kernel("k", 1))), policy: p})
	b.duration = 1000
	b.run(160)
	// It issues ten instructions a cycle, from 2 on. The SM is asked at 51, 101
	// and 151.
	require.Equal(t, []uint64{50, 490, 50, 500, 50, 500}, p.seen)
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

// watcher is a policy that wants ContextsLoaded events.
type watcher struct{ policy.Policy }

func (watcher) Needs() policy.Needs { return policy.Needs{Loads: true} }

// Two contexts of an SM are loaded. The second arrival is the event, and only a policy that
// asks for the event gets it. Contexts that take no time make no event.
func TestLoadWatcherHearsOfTheLastContext(t *testing.T) {
	for _, c := range []struct {
		watches bool
		m       policy.Mechanism
		want    int
	}{{true, policy.Switch, 1}, {false, policy.Switch, 0}, {true, policy.Ideal, 0}} {
		var loaded, restored []uint64
		var b *bench
		k := kernel("k", 2)
		k.RegistersPerTB = 10
		p := acting(func(v *policy.View, a policy.Actions) {
			switch v.Event {
			case policy.KernelArrived:
				a.Window(50)
			case policy.WindowEnded:
				a.PreemptSM(0, c.m)
			case policy.ContextsLoaded:
				loaded = append(loaded, b.driver.cycle)
				require.Zero(t, v.Tenants[0].Loading)
			}
		})
		if c.watches {
			p = watcher{p}
		}
		b = newBench(t, setup{sms: 1, tenants: tenants(app(k)), policy: p})
		b.driver.listener = Listener{TBRestored: func(e TBEvent) { restored = append(restored, e.Cycle) }}
		b.duration = 500
		b.run(10_000)
		require.True(t, b.host.Done())
		require.Len(t, restored, 2)
		require.Len(t, loaded, c.want, "%+v", c)
		if c.want > 0 {
			require.Equal(t, restored[1], loaded[0])
		}
	}
}
