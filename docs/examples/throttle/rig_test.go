package throttle_test

import (
	"cotenant/components"
	"cotenant/docs/examples/throttle"
	"cotenant/protocol"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// source stands for the SM: it sends packets in order, each from its cycle on.
type source struct {
	components.Module
	port   *components.Port
	script []sent
}

type sent struct {
	at     uint64
	packet *protocol.Packet
}

func (s *source) Tick(cycle uint64) bool {
	switch {
	case len(s.script) == 0:
		return false
	case s.script[0].at > cycle:
		s.WakeAt(s.script[0].at)
		return false
	case !s.port.Push(s.script[0].packet):
		return false
	}
	s.script = s.script[1:]
	return true
}

// sink stands for the crossbar: it takes one packet in a cycle, unless it is
// stalled.
type sink struct {
	components.Module
	port    *components.Port
	stalled func(cycle uint64) bool
	got     []received
}

type received struct {
	at     uint64
	packet *protocol.Packet
}

func (s *sink) Tick(cycle uint64) bool {
	if s.port.Front() == nil {
		return false
	}
	if s.stalled != nil && s.stalled(cycle) {
		s.WakeAt(cycle + 1)
		return false
	}
	s.got = append(s.got, received{cycle, s.port.Pop().(*protocol.Packet)})
	return true
}

// cycles at which the sink saw packets.
func (s *sink) cycles() (list []uint64) {
	for _, r := range s.got {
		list = append(list, r.at)
	}
	return list
}

// rig is a Throttle between a source and a sink, all at 1 GHz.
type rig struct {
	engine   *components.Engine
	clock    *components.Domain
	source   *source
	throttle *throttle.Throttle
	sink     *sink
}

func newRig(t require.TestingT, spec throttle.Spec, script ...sent) *rig {
	r := &rig{engine: components.NewEngine(), source: &source{script: script}, sink: &sink{}}
	var err error
	r.clock, err = r.engine.AddDomain("core", 1_000_000_000)
	require.NoError(t, err)
	r.throttle, err = throttle.Builder{}.WithSpec(spec).WithDomain(r.clock).Build("Throttle")
	require.NoError(t, err)
	r.source.Init("Source", r.clock, r.source)
	r.source.port = r.source.NewPort("Out", 1)
	r.sink.Init("Sink", r.clock, r.sink)
	r.sink.port = r.sink.NewPort("In", 2)
	_, err = components.Connect(r.source.port, r.throttle.In, 1)
	require.NoError(t, err)
	_, err = components.Connect(r.throttle.Out, r.sink.port, 1)
	require.NoError(t, err)
	r.source.Start()
	return r
}

// run lets everything finish.
func (r *rig) run(t require.TestingT) { require.NoError(t, r.engine.Run()) }

// burst is a packet of each of the tenants, all from cycle at on.
func burst(at uint64, tenants ...tenant.ID) (list []sent) {
	for i, k := range tenants {
		list = append(list, sent{at, &protocol.Packet{Tenant: k, Tag: uint32(i)}})
	}
	return list
}

// onSend is a hook that calls a function for each packet that leaves a port.
type onSend func(*protocol.Packet)

// Func makes onSend a sim.Hook.
func (f onSend) Func(ctx sim.HookCtx) {
	if ctx.Pos == sim.HookPosPortMsgSend {
		f(ctx.Item.(*protocol.Packet))
	}
}
