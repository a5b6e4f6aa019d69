package l2

import (
	"cotenant/components"
	"cotenant/components/rig"
	"cotenant/mem"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// spec is a small slice, of which each test changes what it is about.
func spec() Spec {
	return Spec{
		Sets: 1, Ways: 2, Sectored: true,
		MSHRs: 4, MSHRMerge: 4,
		RequestQueue: 4, ReplyQueue: 4, DRAMQueue: 4,
		HitLatency: 10, DRAMLatency: 5,
		DataPortBytes: 32, AtomicInterval: 3,
	}
}

// seenAt is the edge at which the driver sees the reply to a hit that it sent
// at an edge: the slice sees the request one edge later, and the driver the
// reply one edge after it was passed on.
func seenAt(sent uint64, s Spec) uint64 { return sent + 1 + uint64(s.HitLatency) + 1 }

// line is the address of the n-th line. The small slice has one set.
func line(n int) uint64 { return uint64(n) * protocol.LineBytes }

func read(addr uint64, sectors uint8) protocol.Packet {
	return protocol.Packet{Kind: protocol.Read, Addr: addr, Sectors: sectors}
}

func write(addr uint64, sectors, full uint8) protocol.Packet {
	return protocol.Packet{Kind: protocol.Write, Addr: addr, Sectors: sectors, FullSectors: full}
}

func atomic(addr uint64, sectors, lanes uint8) protocol.Packet {
	return protocol.Packet{Kind: protocol.Atomic, Addr: addr, Sectors: sectors, Lanes: lanes}
}

// sent is a request that the driver sends at a cycle, or as soon after as there
// is room; seen is when it got the reply.
type sent struct {
	protocol.Packet
	at, seen uint64
}

// dramCycles is the latency of the DRAM unless a test says otherwise.
const dramCycles = 50

// missSeenAt is when the driver sees the reply to a miss that it sent at an
// edge of an idle machine.
func missSeenAt(sent uint64, s Spec) uint64 {
	return seenAt(sent, s) + uint64(s.DRAMLatency) + 1 + dramCycles + 1
}

// bench is a slice between a driver, which stands for both crossbars, and a DRAM
// that takes one request per cycle and answers each read after its own latency.
type bench struct {
	*rig.Bench
	slice  *Slice
	driver *rig.Peer[*protocol.Packet]
	script []sent
	order  []int // of the replies, as indices of script

	memory  *rig.Peer[*protocol.DRAMRequest]
	latency func() uint64 // cycles from seeing a request to passing on the data
}

// oneSlice is the address map of a memory with a single slice.
func oneSlice(t rig.T) *mem.AddressMap {
	addresses, err := mem.NewAddressMap(mem.AddressSpec{Slices: 1, Channels: 1, Banks: 16, InterleaveBytes: 256, RowBytes: 2048})
	require.NoError(t, err)
	return addresses
}

func newSlice(t rig.T, b *rig.Bench, s Spec, addresses *mem.AddressMap, number int, pool *components.Pool[protocol.DRAMRequest]) *Slice {
	slice, err := Builder{}.WithSpec(s).WithDomain(b.Clock).WithAddresses(addresses, number).WithPool(pool).Build("L2[0]")
	require.NoError(t, err)
	return slice
}

func newRig(t rig.T, s Spec) *bench { return newRigOf(t, s, oneSlice(t), 0) }

// newRigOf makes a rig of a slice among several.
func newRigOf(t rig.T, s Spec, addresses *mem.AddressMap, number int) *bench {
	r := &bench{Bench: rig.New(t, 1_000_000_000), latency: func() uint64 { return dramCycles }}
	pool := &components.Pool[protocol.DRAMRequest]{}
	r.slice = newSlice(t, r.Bench, s, addresses, number, pool)
	r.driver = rig.NewPeer[*protocol.Packet](r.Bench, "Driver", 2, r.slice.Request, r.slice.Reply)
	r.driver.Width = 1 << 10
	r.driver.Answer = func(cycle uint64, p *protocol.Packet) {
		r.script[p.Tag].Packet, r.script[p.Tag].seen = *p, cycle
		r.order = append(r.order, int(p.Tag))
	}
	r.memory = rig.NewPeer[*protocol.DRAMRequest](r.Bench, "DRAM", 2, r.slice.DRAM)
	r.memory.Keep = rig.Copy[protocol.DRAMRequest]
	r.memory.Answer = func(cycle uint64, m *protocol.DRAMRequest) {
		if m.Write {
			pool.Put(m)
		} else {
			r.memory.Send(cycle+r.latency(), m)
		}
	}
	return r
}

// at adds a request to the script and returns its index.
func (r *bench) at(cycle uint64, p protocol.Packet) int {
	r.script = append(r.script, sent{Packet: p, at: cycle})
	return len(r.script) - 1
}

// run plays the script to its end.
func (r *bench) run(t require.TestingT) {
	for i, s := range r.script {
		p := s.Packet
		p.Tag = uint32(i)
		p.DRAMAccesses = 3 // left over from an earlier use
		r.driver.Send(s.at, &p)
	}
	r.Run()
	require.Len(t, r.order, len(r.script), "every request is answered once")
	require.Zero(t, r.slice.mshrs.Len())
	for _, a := range r.memory.Got {
		at := r.slice.addresses.Locate(a.Msg.Addr)
		require.Equal(t, [2]uint64{uint64(at.Bank), at.Row}, [2]uint64{uint64(a.Msg.Bank), a.Msg.Row}, "%#x", a.Msg.Addr)
	}
	r.slice.allGivenBack(t, 0)
}

// allGivenBack checks that no request waits, and that no more than the slice has room for
// ever did: those of the MSHRs, loads of contexts, and a number of others.
func (s *Slice) allGivenBack(t require.TestingT, others int) {
	require.Len(t, s.tokens, len(s.waiting))
	require.LessOrEqual(t, len(s.waiting), s.spec.MSHRs*s.spec.MSHRMerge+s.spec.DRAMQueue+others)
}

// seen is the cycle at which the driver got the reply to a request.
func (r *bench) seen(i int) uint64 { return r.script[i].seen }

// reads and writebacks are what the DRAM got, in order.
func (r *bench) reads() []rig.Event[*protocol.DRAMRequest]      { return r.accesses(false) }
func (r *bench) writebacks() []rig.Event[*protocol.DRAMRequest] { return r.accesses(true) }

func (r *bench) accesses(write bool) (list []rig.Event[*protocol.DRAMRequest]) {
	for _, a := range r.memory.Got {
		if a.Msg.Write == write {
			list = append(list, a)
		}
	}
	return list
}
