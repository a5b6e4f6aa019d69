package components

import "github.com/sarchlab/akita/v3/sim"

// Ticker is a block's behaviour at one clock edge.
type Ticker interface {
	// Tick does the work of the module's edge number cycle and reports whether it made
	// progress. A module without progress sleeps until a port or WakeAt wakes it; such a
	// tick must not change its state.
	Tick(cycle uint64) bool
}

// Module is the base that every hardware block embeds: a name, a clock, ports
// and one reusable tick event. It implements sim.Component.
type Module struct {
	// The fields of every tick come first and fit in a cache line.
	ticker Ticker
	domain *Domain
	// ticks has bit set for each edge of the clock's ring at which the module
	// ticks.
	ticks    *tickRing
	bit      uint64
	ticked   uint64 // the last ticked edge, plus one
	far      uint64 // the last edge asked for beyond the ring
	again    bool   // the last tick that hooks saw made progress
	incoming int    // messages in the ports' incoming buffers
	soonest  Time   // no message in them is visible before
	lag      *Lag   // nil unless the module is a Laggard

	name  string
	ports []*Port
	sim.HookableBase
	tick tickEvent // for hooks, and for edges beyond the ring
}

// tickEvent is a module's clock edge as an Akita event.
type tickEvent struct{ module *Module }

// Time is the current edge: the engine asks when the tick runs.
func (t *tickEvent) Time() sim.VTimeInSec { return t.module.domain.seconds(t.module.domain.catchUp()) }

// Handler is the module itself.
func (t *tickEvent) Handler() sim.Handler { return t.module }

// IsSecondary is false: modules tick before secondary events of an instant.
func (t *tickEvent) IsSecondary() bool { return false }

// Init names the module and gives it its clock and behaviour. The modules of a
// clock tick in the order in which they were given it. Names follow Akita's
// rules: dot-separated parts that start with a capital letter, with indices in
// brackets, such as GPU.SM[3].L1D.
func (m *Module) Init(name string, domain *Domain, ticker Ticker) {
	sim.NameMustBeValid(name)
	m.name, m.domain, m.ticker = name, domain, ticker
	m.tick.module = m
	domain.register(m)
}

// Name of the module.
func (m *Module) Name() string { return m.name }

// Fail ends the simulation with an error: Engine.Fail.
func (m *Module) Fail(err error) { m.domain.engine.Fail(err) }

// Domain is the module's clock.
func (m *Module) Domain() *Domain { return m.domain }

// Wake schedules a tick at the module's next edge after the current instant.
func (m *Module) Wake() { m.book(m.domain.catchUp() + 1) }

// wakeAfter schedules a tick at the module's next edge after an instant.
func (m *Module) wakeAfter(now Time) { m.WakeAt(m.domain.after(now)) }

// WakeAt schedules a tick at an edge. Two calls for one edge make one tick. If the
// edge is over, or the module has ticked at it already, the next edge takes its place.
func (m *Module) WakeAt(cycle uint64) {
	d := m.domain
	earliest := d.catchUp()
	if d.edge < d.engine.now || m.ticked > earliest {
		earliest++
	}
	if cycle = max(cycle, earliest); cycle < d.cycle+ringSize {
		m.book(cycle)
	} else if m.far != cycle {
		m.far = cycle
		d.engine.pushOverflow(d.At(cycle), d.seconds(cycle), &m.tick, false)
	}
}

// book schedules a tick at an edge within the clock's ring.
func (m *Module) book(cycle uint64) {
	m.ticks[cycle%ringSize] |= m.bit
	m.domain.occupy(cycle)
}

// farTickDue books the tick of an edge beyond the ring when the edge has come.
func (m *Module) farTickDue() {
	if cycle := m.domain.catchUp(); m.ticked <= cycle {
		m.book(cycle)
	}
}

// Start schedules the module's first tick, at time 0.
func (m *Module) Start() { m.WakeAt(0) }

// Handle runs the module's tick; it makes Module a sim.Handler.
func (m *Module) Handle(sim.Event) error {
	m.again = m.ticker.Tick(m.domain.cycle)
	return nil
}

// hookedTick calls ticker.Tick so that hooks see it.
func (m *Module) hookedTick() bool {
	m.domain.engine.handle(&m.tick)
	return m.again
}

// TickLater schedules a tick at the next edge; Akita's monitor calls it.
func (m *Module) TickLater(sim.VTimeInSec) { m.Wake() }

// NotifyRecv wakes the module because a message arrived.
func (m *Module) NotifyRecv(sim.VTimeInSec, sim.Port) { m.Wake() }

// NotifyPortFree wakes the module because a connection can take messages again.
func (m *Module) NotifyPortFree(sim.VTimeInSec, sim.Port) { m.Wake() }

// NewPort makes an input/output port of the module with room for depth incoming
// messages, at least 1.
func (m *Module) NewPort(name string, depth int) *Port {
	p := &Port{name: m.name + "." + name, owner: m, engine: m.domain.engine, delay: 1, frontAt: Never, in: make([]arrival, depth)}
	p.room.port = p
	if m.lag != nil {
		p.rooms = newRooms(depth)
	}
	m.ports = append(m.ports, p)
	return p
}

// AddPort is Akita's way to attach a port. NewPort already attaches the ports of a
// Module, so AddPort changes nothing for those.
func (m *Module) AddPort(_ string, port sim.Port) {
	if p, ok := port.(*Port); ok && p.owner != m {
		p.owner, p.engine = m, m.domain.engine
		m.ports = append(m.ports, p)
	}
}

// GetPortByName returns the port with the given short or full name, or nil.
func (m *Module) GetPortByName(name string) sim.Port {
	for _, p := range m.ports {
		if p.name == name || p.name == m.name+"."+name {
			return p
		}
	}
	return nil
}

// Ports lists the module's ports in the order in which they were made.
func (m *Module) Ports() []sim.Port {
	ports := make([]sim.Port, len(m.ports))
	for i, p := range m.ports {
		ports[i] = p
	}
	return ports
}

// Arrived reports whether a message in the incoming buffers of the module's ports is
// visible. It spares a module of several ports a look at each.
func (m *Module) Arrived() bool {
	now := m.domain.engine.now
	if m.incoming == 0 || m.soonest > now {
		return false
	}
	m.soonest = Never
	for _, p := range m.ports {
		m.soonest = min(m.soonest, p.frontAt)
	}
	return m.soonest <= now
}

// Incoming is the number of messages in the incoming buffers of the module's ports,
// visible or not.
func (m *Module) Incoming() int { return m.incoming }
