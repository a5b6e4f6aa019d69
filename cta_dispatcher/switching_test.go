package dispatcher

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/stub"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/host"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// slots is an SM for n thread blocks.
func slots(n int) occupancy.Capacity {
	c := small
	c.TBs, c.Threads, c.Warps = n, 1024, 32
	return c
}

// switchingBench switches thread blocks, by default at most four extra ones. The times are
// the transcript's: 1,000 cycles each way.
func switchingBench(t *testing.T, s setup) *bench {
	t.Helper()
	if s.switching.Extra == 0 {
		s.switching.Extra = 4
	}
	b := newBench(t, s)
	thousand := func() uint64 { return 1000 }
	b.gpu.Times.Save, b.gpu.Times.Load, b.gpu.Times.Acknowledge = thousand, thousand, func() uint64 { return 0 }
	return b
}

// large is a kernel with a context.
func large(name string, tbs int) *workload.Kernel {
	k := kernel(name, tbs)
	k.RegistersPerTB = 100
	return k
}

// now is the present cycle.
func (b *bench) now() uint64 { return uint64(b.engine.Now() / b.domain.Period()) }

// lateSecond makes two tenants. The second comes at a cycle, at which the policy is asked.
func lateSecond(at uint64, first, second *workload.App) []host.Process {
	list := tenants(first, second)
	list[1].Arrival.Cycles = at
	return list
}

// state lists the thread blocks of the first SM: on the SM, off it, and the ready ones
// of the latter.
func (b *bench) state() (active, off, ready []string) {
	active, off, ready = []string{}, []string{}, []string{}
	for _, e := range b.driver.Blocks().Off(0) {
		name := string(rune('A' + e.TB.ID))
		off = append(off, name)
		if e.State() == tbtable.Ready {
			ready = append(ready, name)
		}
	}
	for _, e := range b.driver.Blocks().On(0) {
		switch name := string(rune('A' + e.TB.ID)); e.State() {
		case tbtable.Switching, tbtable.SwitchingServed:
			off = append(off, name+" (saving)")
		case tbtable.Restoring:
			active = append(active, name+" (restoring)")
		case tbtable.Saving:
		default:
			active = append(active, name)
		}
	}
	return active, off, ready
}

// events keeps a line for each thing that the driver does or learns of a thread block.
func (b *bench) events() *[]string {
	list := &[]string{}
	at := func(what string) func(TBEvent) {
		return func(e TBEvent) { *list = append(*list, fmt.Sprintf("%d %s %c", e.Cycle, what, 'A'+e.TB)) }
	}
	b.driver.listener = Listener{TBPlaced: at("place"), TBFinished: at("end"), TBLeaving: at("leave"), TBPreempted: at("left"),
		TBReturning: at("return"), TBRestored: at("restored")}
	return list
}

// TestTranscriptOnTheDriver runs the specification's transcript of block switching
// (faults_results.json, block_switching_transcript). Messages delay each row: by one cycle
// for each report from the SM, which is the row's event, and by two for an order to the SM.
func TestTranscriptOnTheDriver(t *testing.T) {
	var want struct {
		Rows []struct {
			Cycle    uint64
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
	const r1, r2 = 12_100, 26_500 // served
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 10)))})
	ends := map[int]uint64{1: 4000, 3: 13_000} // of B and D
	b.gpu.Times.Run = func(_ tenant.ID, _ uint64, tb int) uint64 {
		if end, ok := ends[tb]; ok {
			return end - b.now()
		}
		return 40_000
	}
	faults := map[int][2]uint64{0: {100, r1}, 2: {2000, r1}, 4: {14_500, r2}} // of A, C and E
	b.gpu.Faults = func(_ tenant.ID, _ uint64, tb int) stub.Fault {
		f, ok := faults[tb]
		if delete(faults, tb); !ok {
			return stub.Fault{}
		}
		return stub.Fault{After: f[0] - b.now(), For: f[1] - f[0]}
	}
	events := b.events()
	for _, w := range want.Rows {
		b.run(w.Cycle + 8)
		active, off, ready := b.state()
		slices.SortFunc(active, func(x, y string) int { // as the slots are
			return slices.IndexFunc(w.Active, func(s string) bool { return strings.HasPrefix(s, x[:1]) }) -
				slices.IndexFunc(w.Active, func(s string) bool { return strings.HasPrefix(s, y[:1]) })
		})
		require.Equal(t, w.Active, active, w.Event)
		require.Equal(t, w.OffChip, off, w.Event)
		require.Equal(t, w.OffReady, ready, w.Event)
		require.Equal(t, w.Extra, len(off), w.Event)
	}
	require.Equal(t, []string{"1 place A", "1 place B",
		"101 leave A", "1103 left A", "1103 place C",
		"2001 leave C", "3003 left C", "3003 place D",
		"4001 end B", "4001 place E",
		"13001 end D", "13001 return A", "14003 restored A",
		"14501 leave E", "15503 left E", "15503 return C", "16505 restored C"}, *events)
	b.run(1_000_000)
	require.True(t, b.host.Done())
	require.Equal(t, uint64(3), b.driver.Stats().Tenants[0].BlockSwitches)
	require.Equal(t, uint64(2), b.driver.Stats().OffChipMax)
	require.Empty(t, b.driver.Kernels(), "nothing is kept of a kernel that has ended")
}

// faulting gives thread blocks of the first tenant a fault 50 cycles after they start.
// served holds, by their numbers, the cycles at which the faults are served.
func (b *bench) faulting(served map[int]uint64) {
	b.gpu.Faults = func(id tenant.ID, _ uint64, tb int) stub.Fault {
		at, ok := served[tb]
		if !ok || id != 0 {
			return stub.Fault{}
		}
		delete(served, tb)
		return stub.Fault{After: 50, For: at - b.now() - 50}
	}
}

func TestAtMostSoManyExtraThreadBlocks(t *testing.T) {
	served := map[int]uint64{}
	for tb := range 20 {
		served[tb] = 100_000
	}
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 20))), switching: SwitchingSpec{Extra: 3}})
	b.faulting(served)
	b.run(99_000)
	require.Equal(t, uint64(3), b.driver.Stats().OffChipMax)
	require.Equal(t, [][]int{{0, 1, 2, 3, 4}}, b.ids(0), "two on the SM, three off")
	b.run(1_000_000)
	require.True(t, b.host.Done())
}

func TestOneIsNotSwitchedForNobody(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 2)))})
	b.faulting(map[int]uint64{0: 5000, 1: 6000})
	b.run(100_000)
	require.True(t, b.host.Done())
	require.Zero(t, b.driver.Stats().Tenants[0].BlockSwitches)
}

// A fault can be served while the order to leave is on its way. The thread block then
// leaves without a fault to wait for, and must wait until its context is in memory.
func TestServedWhileItLeaves(t *testing.T) {
	for served := uint64(51); served < 1500; served += 1 + served/8 {
		for _, ideal := range []bool{false, true} {
			b := switchingBench(t, setup{sms: 1, capacity: slots(1), tenants: tenants(app(large("k", 3))), switching: SwitchingSpec{Extra: 4, Ideal: ideal}})
			b.gpu.Times.Acknowledge = func() uint64 { return 300 }
			b.gpu.Times.Run = func(tenant.ID, uint64, int) uint64 { return 200 }
			b.faulting(map[int]uint64{0: served + 2, 1: 2500})
			b.run(100_000)
			require.True(t, b.host.Done(), "served at %d", served)
			require.Equal(t, [][]int{{0, 1, 2}}, b.ids(0))
			require.Equal(t, uint64(3), b.driver.Stats().Tenants[0].TBsCompleted)
			require.Zero(t, b.driver.ledger.view.SMs[0].Leaving[0], "one that ends instead is not leaving")
		}
	}
}

func TestAThreadBlockComesBackWhenItsContextIsInMemory(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(1), tenants: tenants(app(large("k", 2)))})
	b.gpu.Times.Acknowledge = func() uint64 { return 300 }
	b.faulting(map[int]uint64{0: 1100})
	events := b.events()
	b.run(100_000)
	require.True(t, b.host.Done())
	// It is served at 1,100, and its slot is vacant at 1,205; all of its context is in memory
	// 300 cycles after it has left.
	require.Equal(t, []string{"1 place A", "53 leave A", "1055 left A", "1055 place B", "1157 end B", "1355 return A"}, (*events)[:6])
}

// The policy takes the last slot of a kernel with a ready thread block: the thread block
// runs on another SM.
func TestOneThatIsReadyWhenTheLastIsTakenRunsElsewhere(t *testing.T) {
	b := switchingBench(t, setup{sms: 2, capacity: slots(1), tenants: lateSecond(3000, app(large("k", 3)), app(large("other", 1))),
		policy: policyFunc(func(v *policy.View, a policy.Actions) {
			other := v.Tenants[1].Present
			if v.Event == policy.KernelArrived && other {
				a.Preempt(0, 0, 1, policy.Switch)
			}
			for sm := range v.SMs {
				switch {
				case other && sm == 0 && v.Fits(1, sm):
					a.Place(1, sm)
				case !(other && sm == 0) && v.Fits(0, sm):
					a.Place(0, sm)
				}
			}
		})})
	b.faulting(map[int]uint64{0: 2000})
	b.gpu.Times.Run = func(id tenant.ID, _ uint64, _ int) uint64 { return 6000 + 1_000_000*uint64(id) }
	b.run(2500)
	_, off, ready := b.state()
	require.Equal(t, [][]string{{"A"}, {"A"}}, [][]string{off, ready})
	b.run(100_000)
	require.Equal(t, uint64(3), b.driver.Stats().Tenants[0].TBsCompleted)
}

// The policy takes the SM at every moment of a switch: before, while the context leaves,
// while it waits off the chip and while it comes back. Thread blocks off the chip run on
// another SM.
func TestAnSMIsTakenWhoseThreadBlocksAreOffTheChip(t *testing.T) {
	for _, m := range []policy.Mechanism{policy.Switch, policy.Ideal, policy.Drain} {
		for at := uint64(40); at < 9000; at += 1 + at/6 {
			fcfs, _ := policy.Parse("fcfs")
			taken := false
			b := switchingBench(t, setup{sms: 2, capacity: slots(2), tenants: lateSecond(at, app(large("k", 8)), app(large("other", 3))),
				policy: policyFunc(func(v *policy.View, a policy.Actions) {
					if v.Tenants[1].Present && !taken && v.SMs[0].TBsStaying() > 0 {
						taken = true
						a.PreemptSM(0, m)
					}
					if taken && !v.SMs[0].Reserved { // it is the other's
						for v.Fits(1, 0) {
							a.Place(1, 0)
						}
						for v.Fits(0, 1) {
							a.Place(0, 1)
						}
						return
					}
					fcfs.Decide(v, a)
				})})
			b.faulting(map[int]uint64{0: 4000, 1: 4500, 2: 5000, 4: 5500})
			b.gpu.Times.Run = func(tenant.ID, uint64, int) uint64 { return 400 }
			b.gpu.Times.Acknowledge = func() uint64 { return 200 }
			returned := 0
			b.driver.listener.TBReturning = func(e TBEvent) {
				if taken && e.SM == 0 && e.Tenant == 0 {
					returned++
				}
			}
			b.run(200_000)
			require.NoError(t, b.driver.Err())
			require.True(t, b.host.Done(), "%v at %d", m, at)
			require.Zero(t, returned, "%v at %d: the SM is not the kernel's any more", m, at)
			require.Equal(t, uint64(8), b.driver.Stats().Tenants[0].TBsCompleted)
		}
	}
}

// A policy takes single thread blocks until a kernel has none on the SM. No thread block
// there could end and make room for the thread blocks off the chip.
func TestTheLastIsTakenOfAKernelWithOthersOffTheChip(t *testing.T) {
	for at := uint64(40); at < 9000; at += 1 + at/6 {
		fcfs, _ := policy.Parse("fcfs")
		taken := false
		b := switchingBench(t, setup{sms: 2, capacity: slots(2), tenants: lateSecond(at, app(large("k", 8)), app(large("other", 6))),
			policy: policyFunc(func(v *policy.View, a policy.Actions) {
				if n := v.SMs[0].Staying(0); v.Tenants[1].Present && !taken && n > 0 {
					taken = true
					a.Preempt(0, 0, n, policy.Switch)
				}
				if !taken {
					fcfs.Decide(v, a)
					return
				}
				for v.Fits(1, 0) {
					a.Place(1, 0)
				}
				for v.Fits(0, 1) {
					a.Place(0, 1)
				}
			})})
		b.faulting(map[int]uint64{0: 4000, 1: 4500, 2: 5000, 4: 5500})
		b.gpu.Times.Run = func(id tenant.ID, _ uint64, _ int) uint64 { return 400 + 20_000*uint64(id) }
		b.run(500_000)
		require.NoError(t, b.driver.Err())
		require.True(t, b.host.Done(), "at %d", at)
		require.Equal(t, uint64(8), b.driver.Stats().Tenants[0].TBsCompleted)
	}
}

// Relocation is another way to leave and come back.
func TestRelocationOfOneThatIsBlocked(t *testing.T) {
	fcfs, _ := policy.Parse("fcfs")
	for at := uint64(40); at < 3000; at += 1 + at/6 {
		done := false
		b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: lateSecond(at, app(large("k", 6)), app(large("tick", 1))),
			policy: policyFunc(func(v *policy.View, a policy.Actions) {
				if n := v.SMs[0].Staying(0); v.Tenants[1].Present && !done && n > 0 {
					done = true
					a.Relocate(0, 0, n, policy.Switch)
				}
				fcfs.Decide(v, a)
			})})
		b.faulting(map[int]uint64{0: 2000, 1: 1500, 2: 2500, 4: 5500})
		b.run(500_000)
		require.True(t, b.host.Done(), "at %d", at)
		require.Equal(t, uint64(6), b.driver.Stats().Tenants[0].TBsCompleted)
	}
}

func TestTwoTenantsSwitchTheirOwn(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("a", 4)), app(large("b", 4))),
		policy: policyFunc(func(v *policy.View, a policy.Actions) { // a thread block of each tenant
			for tenant := range v.Tenants {
				if v.SMs[0].TBs[tenant] == 0 && v.Fits(tenant, 0) {
					a.Place(tenant, 0)
				}
			}
		})})
	b.faulting(map[int]uint64{0: 5000, 2: 9000})
	b.gpu.Times.Run = func(tenant.ID, uint64, int) uint64 { return 600 }
	b.run(100_000)
	require.True(t, b.host.Done())
	stats := b.driver.Stats()
	require.Equal(t, []uint64{2, 0}, []uint64{stats.Tenants[0].BlockSwitches, stats.Tenants[1].BlockSwitches})
}

func TestIdealSwitchingMovesNothing(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(2), tenants: tenants(app(large("k", 8))), switching: SwitchingSpec{Extra: 4, Ideal: true}})
	b.faulting(map[int]uint64{0: 5000, 1: 5000, 3: 7000})
	b.run(100_000)
	require.True(t, b.host.Done())
	s := b.driver.Stats().Tenants[0]
	require.Equal(t, []uint64{3, 0, 0}, []uint64{s.BlockSwitches, s.ContextBytes, s.RestoredBytes})
	// A stops at 52, the driver knows at 53, the order is at the SM at 54, the report at
	// 55, and the next is there at 56.
	require.Equal(t, uint64(56), b.log[2].at)
}

// The SM and its engine report on links of their own. When the SM says that a thread
// block waits, its context has arrived, though the engine has not said so yet.
func TestTheSMsWordCanComeBeforeTheEngines(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(1), tenants: tenants(app(large("k", 2)))})
	b.faulting(map[int]uint64{0: 1100})
	b.run(1500)
	e := b.driver.Blocks().Last(0, 0, tbtable.Restoring)
	require.NotNil(t, e)
	require.Equal(t, 1, b.driver.ledger.view.Tenants[0].Loading)
	b.driver.blocked(0, &protocol.TBBlocked{Serial: e.Serial, On: true})
	require.Equal(t, tbtable.Blocked, e.State())
	require.Zero(t, b.driver.ledger.view.Tenants[0].Loading)
	b.run(100_000)
	require.True(t, b.host.Done())
	stats := b.driver.Stats().Tenants[0]
	require.Equal(t, []uint64{2, 400, 400}, []uint64{stats.TBsCompleted, stats.ContextBytes, stats.RestoredBytes})
}

// A relocated thread block is off its SM, and the policy takes its room. The kernel has no
// other thread block there to make room for the ready one by its end.
func TestThePolicyTakesTheRoomOfTheLastThreadBlockWhileItMoves(t *testing.T) {
	b := switchingBench(t, setup{sms: 1, capacity: slots(1), tenants: tenants(app(large("k", 2)))})
	b.gpu.Times.Acknowledge = func() uint64 { return 500 }
	b.duration = 9000
	b.faulting(map[int]uint64{0: 2000})
	b.run(2500)
	_, _, ready := b.state()
	require.Equal(t, []string{"A"}, ready)
	b.driver.Relocate(0, 0, 1, policy.Switch)
	b.driver.Wake()
	b.run(3200)
	require.NotNil(t, b.driver.Blocks().Last(0, 0, tbtable.Moving))
	b.driver.Preempt(0, 0, 1, policy.Switch)
	require.Empty(t, b.driver.Blocks().Off(0), "A waits for any slot")
	b.driver.Wake()
	b.run(100_000)
	require.True(t, b.host.Done())
	require.Equal(t, uint64(2), b.driver.Stats().Tenants[0].TBsCompleted)
}
