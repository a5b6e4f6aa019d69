package l2

import (
	"cotenant/components"
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/protocol"

	"github.com/sarchlab/akita/v3/sim"
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

// driver stands for both crossbars.
type driver struct {
	components.Module
	request, reply *components.Port

	script  []sent
	next    int
	takesAt uint64 // first cycle at which it takes replies
	order   []int  // of the replies, as indices of script
}

func (d *driver) Tick(cycle uint64) (moved bool) {
	for d.next < len(d.script) && d.script[d.next].at <= cycle && d.request.CanPush() {
		p := d.script[d.next].Packet
		p.Tag = uint32(d.next)
		p.DRAMAccesses = 3 // left over from an earlier use
		d.request.Push(&p)
		d.next++
		moved = true
	}
	for cycle >= d.takesAt && d.reply.Front() != nil {
		p := d.reply.Pop().(*protocol.Packet)
		d.script[p.Tag].Packet = *p
		d.script[p.Tag].seen = cycle
		d.order = append(d.order, int(p.Tag))
		moved = true
	}
	if !moved && d.next < len(d.script) && d.script[d.next].at > cycle {
		d.WakeAt(d.script[d.next].at)
	}
	if !moved && cycle < d.takesAt {
		d.WakeAt(d.takesAt)
	}
	return moved
}

// access is a message that the DRAM got at a cycle.
type access struct {
	dram.Request
	at uint64
}

// memory is a DRAM that takes one request per cycle and answers each read
// after its own latency.
type memory struct {
	components.Module
	port    *components.Port
	pool    *components.Pool[dram.Request]
	latency func() uint64 // cycles from seeing a request to passing on the data

	log     []access
	pending []timed[dram.Request]
}

func (m *memory) Tick(cycle uint64) (moved bool) {
	for i := range m.pending {
		if m.pending[i].at <= cycle && m.port.Push(m.pending[i].msg) {
			m.pending = append(m.pending[:i], m.pending[i+1:]...)
			moved = true
			break
		}
	}
	if r, ok := m.port.Front().(*dram.Request); ok {
		m.port.Pop()
		m.log = append(m.log, access{*r, cycle})
		if r.Write {
			m.pool.Put(r)
		} else {
			m.pending = append(m.pending, timed[dram.Request]{r, cycle + m.latency()})
		}
		moved = true
	}
	for i := range m.pending {
		if m.pending[i].at > cycle {
			m.WakeAt(m.pending[i].at)
		}
	}
	return moved
}

// dramCycles is the latency of the DRAM unless a test says otherwise.
const dramCycles = 50

// missSeenAt is when the driver sees the reply to a miss that it sent at an
// edge of an idle machine.
func missSeenAt(sent uint64, s Spec) uint64 {
	return seenAt(sent, s) + uint64(s.DRAMLatency) + 1 + dramCycles + 1
}

// rig is a slice between a driver and a DRAM.
type rig struct {
	engine *components.Engine
	domain *components.Domain
	slice  *Slice
	driver driver
	memory memory
}

func newRig(t require.TestingT, s Spec) *rig {
	addresses, err := mem.NewAddressMap(mem.AddressSpec{Slices: 1, Channels: 1, Banks: 16, InterleaveBytes: 256, RowBytes: 2048})
	require.NoError(t, err)
	return newRigOf(t, s, addresses, 0)
}

// newRigOf makes a rig of one of several slices.
func newRigOf(t require.TestingT, s Spec, addresses *mem.AddressMap, number int) *rig {
	r := &rig{engine: components.NewEngine()}
	var err error
	r.domain, err = r.engine.AddDomain("core", 1_000_000_000)
	require.NoError(t, err)
	r.memory.pool = &components.Pool[dram.Request]{}
	r.slice, err = Builder{}.WithSpec(s).WithDomain(r.domain).WithAddresses(addresses, number).WithPool(r.memory.pool).Build("L2[0]")
	require.NoError(t, err)

	r.driver.Init("Driver", r.domain, &r.driver)
	r.driver.request = r.driver.NewPort("Request", 1)
	r.driver.reply = r.driver.NewPort("Reply", 2)
	r.memory.Init("DRAM", r.domain, &r.memory)
	r.memory.port = r.memory.NewPort("Slice", 2)
	r.memory.latency = func() uint64 { return dramCycles }
	r.connect(t, r.driver.request, r.driver.reply, r.memory.port)
	return r
}

// connect joins the slice's ports to others.
func (r *rig) connect(t require.TestingT, request, reply, dram *components.Port) {
	for _, pair := range [][2]*components.Port{{request, r.slice.Request}, {reply, r.slice.Reply}, {dram, r.slice.DRAM}} {
		_, err := components.Connect(pair[0], pair[1], 1)
		require.NoError(t, err)
	}
}

// at adds a request to the script and returns its index.
func (r *rig) at(cycle uint64, p protocol.Packet) int {
	r.driver.script = append(r.driver.script, sent{Packet: p, at: cycle})
	return len(r.driver.script) - 1
}

// run plays the script to its end.
func (r *rig) run(t require.TestingT) {
	r.driver.Start()
	require.NoError(t, r.engine.Run())
	require.Len(t, r.driver.order, len(r.driver.script), "every request is answered once")
	require.Zero(t, r.slice.mshrs.Len())
	require.Equal(t, len(r.slice.tokens), cap(r.slice.tokens))
}

// seen is the cycle at which the driver got the reply to a request.
func (r *rig) seen(i int) uint64 { return r.driver.script[i].seen }

// reads and writebacks are what the DRAM got, in order.
func (r *rig) reads() []access      { return r.accesses(false) }
func (r *rig) writebacks() []access { return r.accesses(true) }

func (r *rig) accesses(write bool) (list []access) {
	for _, a := range r.memory.log {
		if a.Write == write {
			list = append(list, a)
		}
	}
	return list
}

// tickCounter counts the ticks of one module.
type tickCounter struct {
	module sim.Handler
	ticks  int
}

func (c *tickCounter) Func(ctx sim.HookCtx) {
	if ev, ok := ctx.Item.(sim.Event); ok && ctx.Pos == sim.HookPosBeforeEvent && ev.Handler() == c.module {
		c.ticks++
	}
}
