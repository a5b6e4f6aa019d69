package interconnect_test

import (
	"fmt"

	"cotenant/components"
	"cotenant/interconnect"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// packet is what the tests send.
type packet struct {
	sim.MsgMeta
	in, out, bytes int
	tenant         tenant.ID
	sequence       int // among the packets of its input
	asked          int // calls of Route
}

func (p *packet) Meta() *sim.MsgMeta { return &p.MsgMeta }
func (p *packet) Route() (int, int)  { p.asked++; return p.out, p.bytes }
func (p *packet) Account() tenant.ID { return p.tenant }
func (p *packet) flits(flitBytes int) uint64 {
	return uint64(1 + (p.bytes+flitBytes-1)/flitBytes)
}

// source sends packets into one input: make gives the next one, nil for none.
type source struct {
	components.Module
	port    *components.Port
	make    func() *packet
	stalled func(cycle uint64) bool
	waiting *packet
	sent    int
}

func (s *source) Tick(cycle uint64) bool {
	if s.stalled != nil && s.stalled(cycle) {
		s.WakeAt(cycle + 1)
		return false
	}
	if s.waiting == nil {
		s.waiting = s.make()
	}
	if s.waiting == nil || !s.port.Push(s.waiting) {
		return false
	}
	s.waiting = nil
	s.sent++
	return true
}

// sink takes packets from one output.
type sink struct {
	components.Module
	port    *components.Port
	stalled func(cycle uint64) bool
	got     []arrival
}

type arrival struct {
	cycle uint64
	*packet
}

func (s *sink) Tick(cycle uint64) bool {
	if s.port.Front() == nil {
		return false
	}
	if s.stalled != nil && s.stalled(cycle) {
		s.WakeAt(cycle + 1)
		return false
	}
	s.got = append(s.got, arrival{cycle, s.port.Pop().(*packet)})
	return true
}

// rig is a crossbar with sources and sinks. All sources start at time 0.
type rig struct {
	engine  *components.Engine
	noc     *components.Domain
	x       *interconnect.Crossbar
	sources []*source
	sinks   []*sink
}

type rigOptions struct {
	spec      interconnect.Spec
	nocHz     uint64 // 1 GHz if 0
	edgeHz    uint64 // of sources and sinks; as the crossbar if 0
	sinkDepth int
	order     []int // in which sources and sinks are made; ascending if nil
}

// squareSpec is a crossbar of 32 B flits with equally many inputs and outputs.
func squareSpec(ports int) interconnect.Spec {
	return interconnect.Spec{Inputs: ports, Outputs: ports, FlitBytes: 32, InputBuffer: 8, OutputBuffer: 8, Latency: 4}
}

func newRig(t require.TestingT, o rigOptions) *rig {
	if o.nocHz == 0 {
		o.nocHz = 1_000_000_000
	}
	if o.edgeHz == 0 {
		o.edgeHz = o.nocHz
	}
	r := &rig{engine: components.NewEngine(), sources: make([]*source, o.spec.Inputs), sinks: make([]*sink, o.spec.Outputs)}
	var err error
	r.noc, err = r.engine.AddDomain("noc", o.nocHz)
	require.NoError(t, err)
	edge := r.noc
	if o.edgeHz != o.nocHz {
		edge, err = r.engine.AddDomain("core", o.edgeHz)
		require.NoError(t, err)
	}
	if o.order == nil {
		for i := range o.spec.Inputs + o.spec.Outputs + 1 {
			o.order = append(o.order, i)
		}
	}
	// Start order is the order of ticks; the crossbar has a number of its own.
	for _, i := range o.order {
		switch {
		case i < o.spec.Inputs:
			s := &source{make: func() *packet { return nil }}
			s.Init(fmt.Sprintf("Source[%d]", i), edge, s)
			s.port = s.NewPort("Out", 1)
			s.Start()
			r.sources[i] = s
		case i < o.spec.Inputs+o.spec.Outputs:
			s := &sink{}
			s.Init(fmt.Sprintf("Sink[%d]", i-o.spec.Inputs), edge, s)
			s.port = s.NewPort("In", max(o.sinkDepth, 1))
			r.sinks[i-o.spec.Inputs] = s
		default:
			r.x, err = interconnect.Builder{}.WithSpec(o.spec).WithDomain(r.noc).Build("NoC")
			require.NoError(t, err)
			r.x.Start()
		}
	}
	for i, s := range r.sources {
		_, err := components.Connect(s.port, r.x.Inputs[i], 1)
		require.NoError(t, err)
	}
	for j, s := range r.sinks {
		_, err := components.Connect(r.x.Outputs[j], s.port, 1)
		require.NoError(t, err)
	}
	return r
}

// send makes input i send packets one after another, as fast as it can.
func (r *rig) send(i int, packets ...*packet) {
	next := 0
	r.sources[i].make = func() *packet {
		if next == len(packets) {
			return nil
		}
		p := packets[next]
		p.in, p.sequence = i, next
		next++
		return p
	}
}

func (r *rig) run(t require.TestingT) interconnect.Stats {
	require.NoError(t, r.engine.Run())
	return r.x.Stats()
}

// random is a small deterministic generator.
type random uint64

func (r *random) below(n int) int {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return int(uint64(*r>>11) % uint64(n))
}

// saturate makes every input offer uniformly random traffic without end.
func (r *rig) saturate(bytes int) {
	for i, s := range r.sources {
		rnd := random(0x9E3779B97F4A7C15 * uint64(i+1))
		s.make = func() *packet {
			return &packet{in: i, out: rnd.below(len(r.sinks)), bytes: bytes}
		}
	}
}

// portLog has the cycles of the crossbar's clock at which messages went through
// a port.
func portLog(d *components.Domain, port *components.Port, pos *sim.HookPos) *[]arrival {
	log := &[]arrival{}
	port.AcceptHook(&portHook{func(ctx sim.HookCtx) {
		if ctx.Pos == pos {
			*log = append(*log, arrival{uint64(d.Engine().Now() / d.Period()), ctx.Item.(*packet)})
		}
	}})
	return log
}

type portHook struct{ f func(sim.HookCtx) }

func (h *portHook) Func(ctx sim.HookCtx) { h.f(ctx) }
