package stock

import (
	"testing"

	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/mem/mem"
	"github.com/sarchlab/akita/v3/mem/vm"
	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// bench is a Translator between a requester and a memory that speaks Akita's
// messages and answers each after its own latency.
type bench struct {
	*rig.Bench
	*Translator
	requester, memory *rig.Peer[sim.Msg]
	latency           func() uint64
}

var plain = Spec{Outstanding: 8, Queue: 4}

func newRig(t rig.T, s Spec) *bench {
	b := &bench{Bench: rig.New(t, 1_000_000_000), latency: func() uint64 { return 100 }}
	var err error
	b.Translator, err = Builder{}.WithSpec(s).WithDomain(b.Clock).Build("Translator")
	require.NoError(t, err)
	b.memory = rig.NewPeer[sim.Msg](b.Bench, "Memory", 4, b.Down)
	b.memory.Answer = func(cycle uint64, m sim.Msg) {
		switch m := m.(type) {
		case *mem.ReadReq:
			b.memory.Send(cycle+b.latency(), mem.DataReadyRspBuilder{}.WithRspTo(m.ID).WithData(make([]byte, m.AccessByteSize)).Build())
		case *mem.WriteReq:
			b.memory.Send(cycle+b.latency(), mem.WriteDoneRspBuilder{}.WithRspTo(m.ID).Build())
		}
	}
	return b
}

// slice puts an L2 slice at the Translator.
func (b *bench) slice() *bench {
	b.requester = rig.NewPeer[sim.Msg](b.Bench, "L2", 4, b.Up)
	return b
}

// part is what a message of Akita's asks for.
type part struct {
	write       bool
	addr, bytes uint64
	pid         vm.PID
}

func parts(events []rig.Event[sim.Msg]) (list []part) {
	for _, e := range events {
		switch m := e.Msg.(type) {
		case *mem.ReadReq:
			list = append(list, part{false, m.Address, m.AccessByteSize, m.PID})
		case *mem.WriteReq:
			list = append(list, part{true, m.Address, uint64(len(m.Data)), m.PID})
		}
	}
	return list
}

func TestRequestIsAMessageForEachRunOfSectors(t *testing.T) {
	for sectors, want := range map[uint8][]part{
		0b0001: {{false, 0x1000, 32, 3}},
		0b1111: {{false, 0x1000, 128, 3}},
		0b0110: {{false, 0x1020, 64, 3}},
		0b1011: {{false, 0x1000, 64, 3}, {false, 0x1060, 32, 3}},
		0b1001: {{false, 0x1000, 32, 3}, {false, 0x1060, 32, 3}},
	} {
		b := newRig(t, plain).slice()
		b.requester.Send(0, &protocol.DRAMRequest{Addr: 0x1000, Sectors: sectors, Account: 3})
		b.Run()
		require.Equal(t, want, parts(b.memory.Got), "sectors %04b", sectors)
	}
}

func TestReadComesBackWithItsLastAnswer(t *testing.T) {
	b := newRig(t, plain).slice()
	whole, two := &protocol.DRAMRequest{Sectors: protocol.AllSectors, Tag: 7}, &protocol.DRAMRequest{Addr: 128, Sectors: 0b1001, Tag: 8}
	b.requester.Send(10, whole)
	b.requester.Send(500, two)
	b.Run()
	// Taken at 11, sent at 12, at the memory at 13; the answer is sent at 113,
	// taken at 114, passed on at 115 and seen at 116. The second part of the
	// other request leaves a cycle later.
	require.Equal(t, []uint64{10 + 106, 500 + 107}, rig.Cycles(b.requester.Got))
	require.Same(t, whole, b.requester.Got[0].Msg)
	require.Same(t, two, b.requester.Got[1].Msg)
	require.Equal(t, TenantStats{Reads: 2, ReadBytes: 128 + 64, LatencyCycles: 103 + 104}, b.Stats().Total())
}

func TestWriteIsNotAnsweredAndGoesToThePool(t *testing.T) {
	b := newRig(t, plain).slice()
	b.pool = &components.Pool[protocol.DRAMRequest]{}
	w := &protocol.DRAMRequest{Addr: 1<<tenant.AddressShift | 0x80, Sectors: 0b0011, Write: true, Account: 1}
	b.requester.Send(0, w)
	b.Run()
	require.Equal(t, []part{{true, 1<<tenant.AddressShift | 0x80, 64, 1}}, parts(b.memory.Got))
	require.Empty(t, b.requester.Got)
	require.Same(t, w, b.pool.Get())
	require.Equal(t, TenantStats{Writes: 1, WrittenBytes: 64, LatencyCycles: 103}, b.Stats().Tenants[1])
}

func TestPacketsAreTurnedRoundAndLeaveByReply(t *testing.T) {
	for kind, want := range map[protocol.Kind]protocol.Kind{protocol.Read: protocol.ReadReply, protocol.Write: protocol.WriteAck, protocol.Atomic: protocol.AtomicReply,
		protocol.ContextSave: protocol.ContextSaved, protocol.ContextLoad: protocol.ContextLoaded} {
		b := newRig(t, plain)
		sm := rig.NewPeer[sim.Msg](b.Bench, "NoC", 4, b.Up, b.Reply)
		p := &protocol.Packet{Kind: kind, Sectors: 0b0001, Tag: 9}
		sm.Send(0, p)
		b.Run()
		require.Equal(t, []rig.Event[sim.Msg]{rig.At[sim.Msg](106, p)}, sm.Got)
		require.Equal(t, want, p.Kind)
		require.Equal(t, kind == protocol.Write || kind == protocol.ContextSave, parts(b.memory.Got)[0].write)
	}
}

func TestOutstandingRequestsAreLimited(t *testing.T) {
	for limit, last := range map[int]uint64{1: 3 + 2*104, 2: 3 + 104, 3: 5} {
		b := newRig(t, Spec{Outstanding: limit, Queue: 4}).slice()
		b.requester.Send(0, &protocol.DRAMRequest{Sectors: 1}, &protocol.DRAMRequest{Sectors: 1}, &protocol.DRAMRequest{Sectors: 1})
		b.Run()
		require.Equal(t, last, b.memory.Got[2].Cycle, "%d outstanding", limit)
	}
}

func TestNoRequestIsLostWhateverTheMemoryDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newRig(t, Spec{Outstanding: rapid.IntRange(1, 5).Draw(t, "outstanding"), Queue: rapid.IntRange(1, 3).Draw(t, "queue")}).slice()
		b.latency = func() uint64 { return rapid.Uint64Range(0, 50).Draw(t, "latency") }
		b.requester.Deaf, b.memory.Deaf = rig.Before(rapid.Uint64Range(0, 300).Draw(t, "deaf")), rig.Before(rapid.Uint64Range(0, 300).Draw(t, "busy"))
		var want TenantStats
		waiting := map[sim.Msg]bool{}
		for i := range rapid.IntRange(1, 40).Draw(t, "requests") {
			r := &protocol.DRAMRequest{Addr: uint64(i) * 128, Sectors: rapid.Uint8Range(1, protocol.AllSectors).Draw(t, "sectors"), Write: rapid.Bool().Draw(t, "write")}
			bytes := uint64(32 * protocol.SectorCount(r.Sectors))
			if r.Write {
				want.Writes++
				want.WrittenBytes += bytes
			} else {
				want.Reads++
				want.ReadBytes += bytes
				waiting[r] = true
			}
			b.requester.Send(rapid.Uint64Range(0, 200).Draw(t, "at"), r)
		}
		b.Run()
		for _, e := range b.requester.Got {
			require.True(t, waiting[e.Msg], "each read comes back once")
			delete(waiting, e.Msg)
		}
		require.Empty(t, waiting)
		got := b.Stats().Total()
		got.LatencyCycles = 0
		require.Equal(t, want, got)
		require.Zero(t, b.requests)
		require.Empty(t, b.open)
	})
}

func TestMessageOfUnknownTypeEndsTheSimulation(t *testing.T) {
	b := newRig(t, plain).slice()
	rig.RefusesStrangers(b.Bench, b.Up)
	b = newRig(t, plain).slice()
	rig.RefusesStrangers(b.Bench, b.Down)
	b = newRig(t, plain).slice()
	b.requester.Send(0, &protocol.Packet{Kind: protocol.ReadReply})
	b.RunTo(100)
	require.EqualError(t, b.Engine.Err(), "Translator.Up: a *protocol.Packet came, which Translator does not know")
	b = newRig(t, plain).slice()
	b.memory.Send(0, mem.WriteDoneRspBuilder{}.WithRspTo("x").Build())
	b.RunTo(100)
	require.EqualError(t, b.Engine.Err(), `Translator.Down: the answer to message "x" came, which waits for none`)
}

func TestParameterOutOfRangeIsNamed(t *testing.T) {
	for want, s := range map[string]Spec{"T: outstanding is 0, must be 1 to 65536": {Queue: 1}, "T: queue is 65537, must be 1 to 65536": {Outstanding: 1, Queue: 65537}} {
		_, err := Builder{}.WithSpec(s).Build("T")
		require.EqualError(t, err, want)
	}
}
