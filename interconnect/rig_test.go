package interconnect_test

import (
	"cmp"
	"fmt"

	"cotenant/components/rig"
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
func (p *packet) Tenant() tenant.ID  { return p.tenant }

// flits is the number of flits of a packet if the header takes its own flit.
func (p *packet) flits(flitBytes int) uint64 {
	return uint64(1 + (p.bytes+flitBytes-1)/flitBytes)
}

// bench is a crossbar with sources and sinks. All sources start at time 0.
type bench struct {
	*rig.Bench
	x              *interconnect.Crossbar
	sources, sinks []*rig.Peer[*packet]
}

type rigOptions struct {
	spec      interconnect.Spec
	tiers     []interconnect.Tier
	nocHz     uint64 // 1 GHz if 0
	edgeHz    uint64 // of sources and sinks; as the crossbar if 0
	sinkDepth int
	shuffle   uint64 // seed of the order of ticks; 0: as built
}

// squareSpec is a crossbar of 32 B flits with equally many inputs and outputs.
func squareSpec(ports int) interconnect.Spec {
	return interconnect.Spec{Inputs: ports, Outputs: ports, FlitBytes: 32, InputBuffer: 8, OutputBuffer: 8, Latency: 4}
}

func newRig(t rig.T, o rigOptions) *bench {
	r := &bench{Bench: rig.New(t, cmp.Or(o.nocHz, 1_000_000_000))}
	edge := r.Bench
	if o.edgeHz != 0 && o.edgeHz != r.Clock.Hz() {
		edge = r.WithClock(o.edgeHz)
	}
	var err error
	r.x, err = interconnect.Builder{}.WithSpec(o.spec).WithDomain(r.Clock).WithTiers(o.tiers...).Build("NoC")
	require.NoError(t, err)
	if o.shuffle != 0 {
		r.Engine.Shuffle(o.shuffle)
	}
	for i, port := range r.x.Inputs {
		s := rig.NewPeer[*packet](edge, fmt.Sprintf("Source[%d]", i), 1, port)
		s.Start()
		r.sources = append(r.sources, s)
	}
	for j, port := range r.x.Outputs {
		r.sinks = append(r.sinks, rig.NewPeer[*packet](edge, fmt.Sprintf("Sink[%d]", j), max(o.sinkDepth, 1), port))
	}
	return r
}

// send makes input i send packets one after another, as fast as it can.
func (r *bench) send(i int, packets ...*packet) {
	for n, p := range packets {
		p.in, p.sequence = i, n
	}
	r.sources[i].Send(0, packets...)
}

// offer makes every input send what next makes for it, without end.
func (r *bench) offer(next func(input int) *packet) {
	for i, s := range r.sources {
		s.Next = func() (*packet, bool) { return next(i), true }
	}
}

func (r *bench) run() interconnect.Stats {
	r.Run()
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

// uniform makes uniformly random traffic.
func (r *bench) uniform(bytes int) func(input int) *packet {
	rnd := make([]random, len(r.sources))
	for i := range rnd {
		rnd[i] = random(0x9E3779B97F4A7C15 * uint64(i+1))
	}
	return func(i int) *packet { return &packet{in: i, out: rnd[i].below(len(r.sinks)), bytes: bytes} }
}
