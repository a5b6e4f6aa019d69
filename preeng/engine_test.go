package preeng

import (
	"testing"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/protocol"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// testSpec moves 16 bytes a cycle at 1000 MHz.
func testSpec() Spec { return Spec{WarpBytes: 8, Bandwidth: 16_000, Outstanding: 64} }

// block is a thread block whose context is 1000 registers, 88 bytes of shared
// memory and one warp: 4096 bytes, 32 lines.
var block = occupancy.Demand{TBs: 1, Threads: 32, Warps: 1, Registers: 1000, SharedBytes: 88}

const (
	drainCycles  = 10 // that the mock SM takes to drain a thread block
	memoryCycles = 50 // from a packet to its answer
)

// message that went by, and when.
type seen struct {
	msg sim.Msg
	at  uint64
}

// bench drives an engine with a mock SM driver and a mock SM.
type bench struct {
	t      require.TestingT
	engine *components.Engine
	domain *components.Domain
	preeng *Engine
	driver *mockDriver
	sm     *mockSM
}

// mockDriver sends orders and keeps the reports.
type mockDriver struct {
	components.Module
	port    *components.Port
	orders  []seen
	reports []seen
}

func (d *mockDriver) Tick(cycle uint64) (moved bool) {
	for len(d.orders) > 0 && d.orders[0].at <= cycle && d.port.Push(d.orders[0].msg) {
		d.orders = d.orders[1:]
		moved = true
	}
	if m := d.port.Pop(); m != nil {
		d.reports = append(d.reports, seen{m, cycle})
		moved = true
	}
	if len(d.orders) > 0 {
		d.WakeAt(max(cycle+1, d.orders[0].at))
	}
	return moved
}

// mockSM drains thread blocks, one packet a cycle passes it, and memory answers
// after a fixed time.
type mockSM struct {
	components.Module
	port     *components.Port
	finished map[uint64]bool // serials of thread blocks that have ended
	log      []seen          // commands
	packets  []seen          // copies
	outbox   []seen
}

func (m *mockSM) Tick(cycle uint64) (moved bool) {
	for i := 0; i < len(m.outbox); i++ {
		if m.outbox[i].at <= cycle && m.port.Push(m.outbox[i].msg) {
			m.outbox = append(m.outbox[:i:i], m.outbox[i+1:]...)
			i--
			moved = true
		}
	}
	switch c := m.port.Pop().(type) {
	case *protocol.Packet:
		copied := *c
		m.packets = append(m.packets, seen{&copied, cycle})
		c.Kind += protocol.ContextSaved - protocol.ContextSave
		m.outbox = append(m.outbox, seen{c, cycle + memoryCycles})
		moved = true
	case *protocol.EvictTB:
		m.log = append(m.log, seen{c, cycle})
		e := &protocol.TBEvicted{Serial: c.Serial}
		if !m.finished[c.Serial] {
			e.Context = &protocol.Context{}
		}
		m.outbox = append(m.outbox, seen{e, cycle + drainCycles})
		moved = true
	case nil:
	default:
		m.log = append(m.log, seen{c, cycle})
		moved = true
	}
	for _, o := range m.outbox {
		m.WakeAt(max(cycle+1, o.at))
	}
	return moved
}

func newBench(t require.TestingT, spec Spec, orders ...seen) *bench {
	b := &bench{t: t, engine: components.NewEngine()}
	b.domain, _ = b.engine.AddDomain("core", 1_000_000_000)
	var err error
	b.preeng, err = Builder{}.WithSpec(spec).WithDomain(b.domain, 1000).WithID(3).WithPackets(&components.Pool[protocol.Packet]{}).Build("PreEng")
	require.NoError(t, err)
	b.driver, b.sm = &mockDriver{orders: orders}, &mockSM{finished: map[uint64]bool{}}
	b.driver.Init("Driver", b.domain, b.driver)
	b.sm.Init("SM", b.domain, b.sm)
	b.driver.port, b.sm.port = b.driver.NewPort("PreEng", 4), b.sm.NewPort("PreEng", 4)
	for _, pair := range [][2]*components.Port{{b.driver.port, b.preeng.Driver}, {b.preeng.SM, b.sm.port}} {
		_, err := components.Connect(pair[0], pair[1], 1)
		require.NoError(t, err)
	}
	return b
}

func (b *bench) run() {
	b.driver.Start()
	require.False(b.t, b.engine.RunUntil(b.domain.At(1_000_000)), "the engine never rests")
	require.Empty(b.t, b.preeng.transfers)
	require.Zero(b.t, b.preeng.inFlight)
	require.Zero(b.t, b.preeng.halts)
}

// report is the first report of a kind, and when it came.
func reported[T sim.Msg](b *bench) (r T, at uint64) {
	for _, s := range b.driver.reports {
		if r, ok := s.msg.(T); ok {
			return r, s.at
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

func TestContextIsRegistersSharedMemoryAndWarps(t *testing.T) {
	spec := testSpec()
	require.Equal(t, 4096, spec.ContextBytes(block))
}

func TestSaveTakesItsBytesOverTheBandwidthExactly(t *testing.T) {
	b := newBench(t, testSpec(), seen{save(1), 5})
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
	require.Len(t, b.sm.packets, 32)
	for i, s := range b.sm.packets {
		p := s.msg.(*protocol.Packet)
		require.Equal(t, protocol.ContextSave, p.Kind)
		require.Equal(t, uint64(0x1000+128*i), p.Addr)
		require.Equal(t, []uint8{protocol.AllSectors, 128}, []uint8{p.Sectors, p.WrittenBytes})
		require.Equal(t, uint64(18+8*(i+1)+1), s.at)
	}
}

func TestWithoutABandwidthAPacketLeavesEveryCycle(t *testing.T) {
	spec := testSpec()
	spec.Bandwidth = 0
	b := newBench(t, spec, seen{save(1), 5})
	b.run()
	_, at := reported[*protocol.TBPreempted](b)
	require.Equal(t, uint64(18+31+1), at)
}

func TestOutstandingPacketsAreLimited(t *testing.T) {
	spec := testSpec()
	spec.Bandwidth, spec.Outstanding = 0, 4
	b := newBench(t, spec, seen{save(1), 5})
	b.run()
	for i := 4; i < len(b.sm.packets); i++ {
		require.GreaterOrEqual(t, b.sm.packets[i].at-b.sm.packets[i-4].at, uint64(memoryCycles))
	}
}

func TestLastPacketHasTheSectorsThatAreLeft(t *testing.T) {
	o := save(1)
	o.Demand.SharedBytes = 0 // 4008 bytes: 31 lines and 40 bytes
	b := newBench(t, testSpec(), seen{o, 5})
	b.run()
	require.Len(t, b.sm.packets, 32)
	require.Equal(t, uint8(0b0011), b.sm.packets[31].msg.(*protocol.Packet).Sectors)
	r, _ := reported[*protocol.TBPreempted](b)
	require.Equal(t, 31*128+64, r.Bytes)
	require.Equal(t, uint64(r.Bytes), b.preeng.Stats().Tenants[0].SavedBytes)
	require.Equal(t, uint64(251), b.preeng.Stats().Tenants[0].SaveCycles, "4008 bytes at 16 a cycle, rounded up")
}

func TestContextsFollowEachOtherWithoutAGap(t *testing.T) {
	b := newBench(t, testSpec(), seen{save(1), 5}, seen{save(2), 5}, seen{save(3), 5})
	b.run()
	require.Equal(t, uint64(3*256), b.preeng.Stats().Tenants[0].SaveCycles)
	require.Equal(t, uint64(3), b.preeng.Stats().Tenants[0].Saves)
	require.Equal(t, uint64(18+3*256+1), b.driver.reports[len(b.driver.reports)-2].at)
}

func TestThreadBlockIsPlacedWhenItsContextIsThere(t *testing.T) {
	o := load(1)
	b := newBench(t, testSpec(), seen{o, 5})
	b.run()
	require.Len(t, b.sm.log, 1)
	place := b.sm.log[0].msg.(*protocol.PlaceTB)
	require.Same(t, o.Context, place.Context)
	require.Equal(t, uint64(1), place.Serial)
	last := b.sm.packets[31].at + memoryCycles + 1
	require.Equal(t, last+1, b.sm.log[0].at)
	r, at := reported[*protocol.TBRestored](b)
	require.Equal(t, last+1, at)
	require.Equal(t, 4096, r.Bytes)
	require.Equal(t, uint64(4096), b.preeng.Stats().Tenants[0].LoadedBytes)
}

func TestFreeSwitchMovesNothing(t *testing.T) {
	s, l := save(1), load(2)
	s.Free, l.Free = true, true
	b := newBench(t, testSpec(), seen{s, 5}, seen{l, 100})
	b.run()
	require.Empty(t, b.sm.packets)
	r, at := reported[*protocol.TBPreempted](b)
	require.Equal(t, []uint64{19, 0}, []uint64{at, uint64(r.Bytes)})
	_, at = reported[*protocol.TBRestored](b)
	require.Equal(t, uint64(102), at)
}

func TestFlushDropsTheContext(t *testing.T) {
	s := save(1)
	s.Free, s.Drop = true, true
	b := newBench(t, testSpec(), seen{s, 5})
	b.run()
	r, _ := reported[*protocol.TBPreempted](b)
	require.True(t, r.Dropped)
	require.Nil(t, r.Context)
	require.Len(t, b.driver.reports, 1, "there is nothing to wait for")
}

func TestThreadBlockThatHasFinishedIsNotSaved(t *testing.T) {
	s := save(1)
	s.Halt = true
	b := newBench(t, testSpec(), seen{s, 5})
	b.sm.finished[1] = true
	b.run()
	require.Empty(t, b.driver.reports)
	require.Empty(t, b.sm.packets)
	require.Equal(t, uint64(1), b.preeng.Stats().Finished)
}

func TestSMIsHaltedFromTheFirstOrderToTheEndOfTheLast(t *testing.T) {
	first, second := save(1), save(2)
	first.Halt, second.Halt = true, true
	b := newBench(t, testSpec(), seen{first, 5}, seen{second, 5})
	b.run()
	var halts []bool
	var at []uint64
	for _, s := range b.sm.log {
		if h, ok := s.msg.(*protocol.Halt); ok {
			halts, at = append(halts, h.On), append(at, s.at)
		}
	}
	require.Equal(t, []bool{true, false}, halts)
	require.Equal(t, uint64(7), at[0])
	// The mock SM takes the halt at 7 and the first order to evict at 8, and at
	// the end the last packet before the message that lets it go on.
	require.Equal(t, uint64(19+2*256+2), at[1])
}

func TestSaveOfAThreadBlockThatIsBeingLoadedWaits(t *testing.T) {
	b := newBench(t, testSpec(), seen{load(7), 5}, seen{save(7), 20})
	b.run()
	require.Len(t, b.sm.log, 2)
	require.IsType(t, &protocol.PlaceTB{}, b.sm.log[0].msg)
	require.IsType(t, &protocol.EvictTB{}, b.sm.log[1].msg)
	require.Less(t, b.sm.log[0].at, b.sm.log[1].at)
	_, at := reported[*protocol.TBPreempted](b)
	require.Greater(t, at, b.sm.log[1].at)
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
