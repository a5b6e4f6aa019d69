package preeng

import (
	"testing"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/components/rig"
	"cotenant/protocol"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// testSpec moves 16 bytes a cycle at 1000 MHz.
func testSpec() Spec { return Spec{WarpBytes: 8, Bandwidth: 16_000, Outstanding: 64} }

// block takes a context of 1000 registers, 88 bytes of shared memory and one warp: 4096
// bytes, 32 lines.
var block = occupancy.Demand{TBs: 1, Threads: 32, Warps: 1, Registers: 1000, SharedBytes: 88}

const (
	drainCycles  = 10 // that the mock SM takes to drain a thread block
	memoryCycles = 50 // from a packet to its answer
)

// bench drives an engine with an SM driver that sends orders, and an SM that
// drains thread blocks and lets packets pass to a memory that answers after a
// fixed time. Both take and send one message a cycle.
type bench struct {
	*rig.Bench
	t        require.TestingT
	preeng   *Engine
	driver   *rig.Peer[sim.Msg]
	sm       *rig.Peer[sim.Msg]
	finished map[uint64]bool               // serials of thread blocks that have ended
	log      []rig.Event[sim.Msg]          // commands to the SM
	packets  []rig.Event[*protocol.Packet] // copies
}

// at is an order and its cycle.
func at(cycle uint64, order sim.Msg) rig.Event[sim.Msg] { return rig.At(cycle, order) }

func newBench(t rig.T, spec Spec, orders ...rig.Event[sim.Msg]) *bench {
	b := &bench{Bench: rig.New(t, 1_000_000_000), t: t, finished: map[uint64]bool{}}
	var err error
	b.preeng, err = Builder{}.WithSpec(spec).WithDomain(b.Clock, 1000).WithID(3).WithPackets(&components.Pool[protocol.Packet]{}).Build("PreEng")
	require.NoError(t, err)
	b.driver = rig.NewPeer[sim.Msg](b.Bench, "Driver", 4, b.preeng.Driver)
	for _, o := range orders {
		b.driver.Send(o.Cycle, o.Msg)
	}
	b.sm = rig.NewPeer[sim.Msg](b.Bench, "SM", 4, b.preeng.SM)
	b.sm.Answer = b.answer
	return b
}

func (b *bench) answer(cycle uint64, m sim.Msg) {
	switch m := m.(type) {
	case *protocol.Packet:
		b.packets = append(b.packets, rig.At(cycle, rig.Copy(m)))
		m.Kind += protocol.ContextSaved - protocol.ContextSave
		b.sm.Send(cycle+memoryCycles, m)
	case *protocol.EvictTB:
		b.log = append(b.log, at(cycle, m))
		e := &protocol.TBEvicted{Serial: m.Serial}
		if !b.finished[m.Serial] {
			e.Context = &protocol.Context{}
		}
		b.sm.Send(cycle+drainCycles, e)
	default:
		b.log = append(b.log, at(cycle, m))
	}
}

func (b *bench) run() {
	b.Run()
	require.Empty(b.t, b.preeng.transfers)
	require.Zero(b.t, b.preeng.inFlight)
	require.Zero(b.t, b.preeng.halts)
}

// report is the first report of a kind and the cycle of its arrival.
func reported[T sim.Msg](b *bench) (r T, at uint64) {
	for _, s := range b.driver.Got {
		if r, ok := s.Msg.(T); ok {
			return r, s.Cycle
		}
	}
	require.Fail(b.t, "no such report")
	return r, 0
}

func save(serial uint64) *protocol.SaveTB {
	return &protocol.SaveTB{Serial: serial, Demand: block, Addr: 0x1000 * serial}
}

func load(serial uint64) *protocol.LoadTB {
	return &protocol.LoadTB{Serial: serial, Demand: block, Addr: 0x1000 * serial, Context: &protocol.Context{}}
}

// A thread block leaves while the context of another is being loaded.
func TestSaveWaitsForTheLoadOfItsOwnThreadBlockOnly(t *testing.T) {
	for serial, evicted := range map[uint64]uint64{1: 5 + 1 + 256 + memoryCycles, 2: 5 + 1 + 100} {
		b := newBench(t, testSpec(), at(5, load(1)), at(105, save(serial)))
		b.run()
		for _, e := range b.log {
			if _, ok := e.Msg.(*protocol.EvictTB); ok {
				require.InDelta(t, evicted, e.Cycle, 5, "thread block %d", serial)
			}
		}
		r, _ := reported[*protocol.TBPreempted](b)
		require.Equal(t, serial, r.Serial)
	}
}

// At 100 bytes a cycle, 4096 bytes leave part of the last cycle's bandwidth unused. A later
// transfer does not get the rest and takes as long.
func TestBandwidthOfATransferIsNotLeftToTheNext(t *testing.T) {
	spec := testSpec()
	spec.Bandwidth = 100_000
	b := newBench(t, spec, at(5, save(1)), at(1005, save(2)), at(2005, load(3)))
	b.run()
	cycles := rig.Cycles(b.packets)
	require.Len(t, cycles, 3*32)
	for _, from := range []int{32, 64} {
		for i := range 32 {
			require.Equal(t, cycles[i]-cycles[0], cycles[from+i]-cycles[from], "packet %d", i)
		}
	}
	k := b.preeng.Stats().Tenants[0]
	require.Equal(t, k.SaveCycles, 2*k.LoadCycles-2*(memoryCycles+2), "a load ends with the last answer")
}

// The part of a context that faults add moves both ways.
func TestExtraBytesOfAContextMoveWithIt(t *testing.T) {
	context := &protocol.Context{Extra: 100}
	back := load(2)
	back.Context = context
	b := newBench(t, testSpec(), at(5, save(1)), at(2005, back))
	plain := b.sm.Answer
	b.sm.Answer = func(cycle uint64, m sim.Msg) {
		if m, ok := m.(*protocol.EvictTB); ok {
			b.sm.Send(cycle+drainCycles, &protocol.TBEvicted{Serial: m.Serial, Context: context})
			return
		}
		plain(cycle, m)
	}
	b.run()
	r, _ := reported[*protocol.TBPreempted](b)
	require.Equal(t, 4096+128, r.Bytes, "in sectors")
	restored, _ := reported[*protocol.TBRestored](b)
	require.Equal(t, 4096+128, restored.Bytes)
	require.Len(t, b.packets, 2*33)
	k := b.preeng.Stats().Tenants[0]
	require.Equal(t, [2]uint64{4224, 4224}, [2]uint64{k.SavedBytes, k.LoadedBytes})
}

func TestContextIsRegistersSharedMemoryAndWarps(t *testing.T) {
	spec := testSpec()
	require.Equal(t, 4096, spec.ContextBytes(block))
}

func TestSaveTakesItsBytesOverTheBandwidthExactly(t *testing.T) {
	b := newBench(t, testSpec(), at(5, save(1)))
	b.run()
	// The order is seen at 6, the eviction by the SM at 7, its answer is sent
	// 10 cycles later and seen at 18: then 4096 bytes at 16 a cycle.
	r, at := reported[*protocol.TBPreempted](b)
	require.Equal(t, uint64(18+256+1), at)
	require.Equal(t, 4096, r.Bytes)
	require.Equal(t, []uint64{1, 3}, []uint64{r.Serial, uint64(r.SM)})
	require.NotNil(t, r.Context)
	_, saved := reported[*protocol.TBSaved](b)
	require.Equal(t, uint64(18+256+1+memoryCycles+1+1), saved, "when the last store has been answered")
	require.Equal(t, uint64(256), b.preeng.Stats().Tenants[0].SaveCycles)
	require.Len(t, b.packets, 32)
	for i, s := range b.packets {
		p := s.Msg
		require.Equal(t, protocol.ContextSave, p.Kind)
		require.Equal(t, uint64(0x1000+128*i), p.Addr)
		require.Equal(t, []uint8{protocol.AllSectors, 128}, []uint8{p.Sectors, p.WrittenBytes})
		require.Equal(t, uint64(18+8*(i+1)+1), s.Cycle)
	}
}

func TestBandwidthThatNoLineIsAMultipleOfIsUsedUp(t *testing.T) {
	spec := testSpec()
	spec.Bandwidth = 48_000
	b := newBench(t, spec, at(5, save(1)))
	b.run()
	require.Equal(t, uint64(86), b.preeng.Stats().Tenants[0].SaveCycles, "4096 bytes at 48 a cycle, rounded up")
}

func TestWithoutABandwidthAPacketLeavesEveryCycle(t *testing.T) {
	spec := testSpec()
	spec.Bandwidth = 0
	b := newBench(t, spec, at(5, save(1)))
	b.run()
	_, at := reported[*protocol.TBPreempted](b)
	require.Equal(t, uint64(18+31+1), at)
}

func TestOutstandingPacketsAreLimited(t *testing.T) {
	spec := testSpec()
	spec.Bandwidth, spec.Outstanding = 0, 4
	b := newBench(t, spec, at(5, save(1)))
	b.run()
	for i := 4; i < len(b.packets); i++ {
		require.GreaterOrEqual(t, b.packets[i].Cycle-b.packets[i-4].Cycle, uint64(memoryCycles))
	}
}

// Bandwidth does not accumulate while the engine cannot send: when memory answers at last,
// the first packet leaves at once, and the rest leave at the bandwidth's rate, but for the
// credit of one cycle.
func TestBandwidthIsNotMadeUpForAfterTheWayWasBarred(t *testing.T) {
	const outstanding, barred = 4, 2000
	spec := testSpec()
	spec.Outstanding = outstanding
	b := newBench(t, spec, at(5, save(1)))
	b.sm.Mute = func(cycle uint64) bool { return cycle > 100 && cycle < barred }
	b.run()
	var after []uint64
	for _, p := range b.packets {
		if p.Cycle >= barred {
			after = append(after, p.Cycle)
		}
	}
	require.Greater(t, len(after), 2*outstanding)
	for i := 1; i < len(after); i++ {
		require.GreaterOrEqual(t, after[i]-after[0], uint64(i*128/16-1), "packet %d after the stop", i)
	}
}

func TestLastPacketHasTheSectorsThatAreLeft(t *testing.T) {
	o := save(1)
	o.Demand.SharedBytes = 0 // 4008 bytes: 31 lines and 40 bytes
	b := newBench(t, testSpec(), at(5, o))
	b.run()
	require.Len(t, b.packets, 32)
	require.Equal(t, uint8(0b0011), b.packets[31].Msg.Sectors)
	r, _ := reported[*protocol.TBPreempted](b)
	require.Equal(t, 31*128+64, r.Bytes)
	require.Equal(t, uint64(r.Bytes), b.preeng.Stats().Tenants[0].SavedBytes)
	require.Equal(t, uint64(251), b.preeng.Stats().Tenants[0].SaveCycles, "4008 bytes at 16 a cycle, rounded up")
}

func TestContextsFollowEachOtherWithoutAGap(t *testing.T) {
	b := newBench(t, testSpec(), at(5, save(1)), at(5, save(2)), at(5, save(3)))
	b.run()
	require.Equal(t, uint64(3*256), b.preeng.Stats().Tenants[0].SaveCycles)
	require.Equal(t, uint64(3), b.preeng.Stats().Tenants[0].Saves)
	require.Equal(t, uint64(18+3*256+1), b.driver.Got[len(b.driver.Got)-2].Cycle)
}

func TestThreadBlockIsPlacedWhenItsContextIsThere(t *testing.T) {
	o := load(1)
	b := newBench(t, testSpec(), at(5, o))
	b.run()
	require.Len(t, b.log, 1)
	place := b.log[0].Msg.(*protocol.PlaceTB)
	require.Same(t, o.Context, place.Context)
	require.Equal(t, uint64(1), place.Serial)
	last := b.packets[31].Cycle + memoryCycles + 1
	require.Equal(t, last+1, b.log[0].Cycle)
	r, at := reported[*protocol.TBRestored](b)
	require.Equal(t, last+1, at)
	require.Equal(t, 4096, r.Bytes)
	require.Equal(t, uint64(4096), b.preeng.Stats().Tenants[0].LoadedBytes)
}

func TestFreeSwitchMovesNothing(t *testing.T) {
	s, l := save(1), load(2)
	s.Free, l.Free = true, true
	b := newBench(t, testSpec(), at(5, s), at(100, l))
	b.run()
	require.Empty(t, b.packets)
	r, at := reported[*protocol.TBPreempted](b)
	require.Equal(t, []uint64{19, 0}, []uint64{at, uint64(r.Bytes)})
	_, at = reported[*protocol.TBRestored](b)
	require.Equal(t, uint64(102), at)
}

func TestFlushDropsTheContext(t *testing.T) {
	s := save(1)
	s.Free, s.Drop = true, true
	b := newBench(t, testSpec(), at(5, s))
	b.run()
	r, _ := reported[*protocol.TBPreempted](b)
	require.True(t, r.Dropped)
	require.Nil(t, r.Context)
	require.Len(t, b.driver.Got, 1, "there is nothing to wait for")
}

func TestThreadBlockThatHasFinishedIsNotSaved(t *testing.T) {
	s := save(1)
	s.Halt = true
	b := newBench(t, testSpec(), at(5, s))
	b.finished[1] = true
	b.run()
	require.Empty(t, b.driver.Got)
	require.Empty(t, b.packets)
	require.Equal(t, uint64(1), b.preeng.Stats().Finished)
}

func TestSMIsHaltedFromTheFirstOrderToTheEndOfTheLast(t *testing.T) {
	first, second := save(1), save(2)
	first.Halt, second.Halt = true, true
	b := newBench(t, testSpec(), at(5, first), at(5, second))
	b.run()
	var halts []bool
	var at []uint64
	for _, s := range b.log {
		if h, ok := s.Msg.(*protocol.Halt); ok {
			halts, at = append(halts, h.On), append(at, s.Cycle)
		}
	}
	require.Equal(t, []bool{true, false}, halts)
	require.Equal(t, uint64(7), at[0])
	// The mock SM takes the halt at 7 and the first order to evict at 8. At the end it
	// takes the last packet before the message that ends the halt.
	require.Equal(t, uint64(19+2*256+2), at[1])
}

func TestSaveOfAThreadBlockThatIsBeingLoadedWaits(t *testing.T) {
	order := load(7)
	order.Code = 3
	b := newBench(t, testSpec(), at(5, order), at(20, save(7)))
	b.run()
	require.Len(t, b.log, 2)
	require.IsType(t, &protocol.PlaceTB{}, b.log[0].Msg)
	require.Equal(t, uint32(3), b.log[0].Msg.(*protocol.PlaceTB).Code)
	require.IsType(t, &protocol.EvictTB{}, b.log[1].Msg)
	require.Less(t, b.log[0].Cycle, b.log[1].Cycle)
	_, at := reported[*protocol.TBPreempted](b)
	require.Greater(t, at, b.log[1].Cycle)
}

func TestSpecNamesWhatIsOutOfRange(t *testing.T) {
	for _, c := range []struct {
		change func(*Spec)
		want   string
	}{
		{func(s *Spec) { s.WarpBytes = -1 }, "PreEng: warp_bytes is -1, must be 0 to 1024"},
		{func(s *Spec) { s.Bandwidth = -1 }, "PreEng: bandwidth_mb_per_s is -1, must be 0 to 16777216"},
		{func(s *Spec) { s.Outstanding = 0 }, "PreEng: outstanding is 0, must be 1 to 4096"},
	} {
		spec := testSpec()
		c.change(&spec)
		_, err := Builder{}.WithSpec(spec).Build("PreEng")
		require.EqualError(t, err, c.want)
	}
}

func TestMessageOfUnknownTypeEndsTheSimulation(t *testing.T) {
	for _, port := range []func(*Engine) *components.Port{func(e *Engine) *components.Port { return e.Driver }, func(e *Engine) *components.Port { return e.SM }} {
		b := newBench(t, testSpec())
		rig.RefusesStrangers(b.Bench, port(b.preeng))
	}
}
