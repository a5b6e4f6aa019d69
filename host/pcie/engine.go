package pcie

import (
	"fmt"

	"cotenant/components"
	"cotenant/protocol"
)

// Engine carries out copies, one at a time.
type Engine struct {
	components.Module

	// Host is the port to the command dispatcher: protocol.Copy in, protocol.CopyDone out.
	Host *components.Port

	spec     Spec
	before   func(a, b *protocol.Copy) bool // the scheduler's rule
	listener Listener
	queue    []request // waiting copies, oldest first
	current  request   // its Copy is nil while the bus is idle
	start    uint64    // of current
	end      uint64    // cycle at which current is answered
	stats    Stats
}

// request is a copy in the engine.
type request struct {
	*protocol.Copy
	seen uint64 // cycle of the bus at which the engine took it
}

// Builder makes Engines.
type Builder struct {
	spec     Spec
	domain   *components.Domain
	listener Listener
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(s Spec) Builder { b.spec = s; return b }

// WithDomain sets the clock of the bus, which has the Spec's frequency.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithListener sets the observer; none if it is not called.
func (b Builder) WithListener(l Listener) Builder { b.listener = l; return b }

// Build makes an engine. It returns an error if a parameter is out of range.
func (b Builder) Build(name string) (*Engine, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if hz := uint64(b.spec.ClockMHz) * 1_000_000; b.domain == nil || b.domain.Hz() != hz {
		return nil, fmt.Errorf("%s: no clock of %d Hz", name, hz)
	}
	e := &Engine{spec: b.spec, listener: b.listener}
	e.before, _ = b.spec.before()
	e.Init(name, b.domain, e)
	e.Host = e.NewPort("Host", b.spec.Queue)
	return e, nil
}

// Tick is one edge of the bus' clock.
func (e *Engine) Tick(cycle uint64) bool {
	moved := e.finish(cycle)
	moved = e.accept(cycle) || moved
	return e.begin(cycle) || moved
}

// finish answers the current copy when its time has come.
func (e *Engine) finish(cycle uint64) bool {
	c := e.current
	if c.Copy == nil {
		return false
	}
	if cycle < e.end {
		e.WakeAt(e.end)
		return false
	}
	if !e.Host.CanPush() {
		return false
	}
	e.Host.Push(&protocol.CopyDone{Tenant: c.Tenant, Tag: c.Tag})
	s := &e.stats.Tenants[c.Tenant]
	s.BusyCycles += e.end - e.start
	s.WaitCycles += e.start - c.seen
	if e.listener.Copied != nil {
		e.listener.Copied(c.Copy, e.start, e.end)
	}
	e.current = request{}
	return true
}

// accept takes copies into the queue.
func (e *Engine) accept(cycle uint64) (moved bool) {
	for len(e.queue) < e.spec.Queue {
		c, ok := e.Host.Front().(*protocol.Copy)
		if !ok {
			e.Host.Unknown()
			break
		}
		e.Host.Pop()
		e.queue = append(e.queue, request{c, cycle})
		moved = true
	}
	return moved
}

// begin starts the copy that the scheduler picks.
func (e *Engine) begin(cycle uint64) bool {
	if e.current.Copy != nil || len(e.queue) == 0 {
		return false
	}
	best := 0
	for i := range e.queue {
		if !e.before(e.queue[best].Copy, e.queue[i].Copy) {
			best = i
		}
	}
	c := e.queue[best]
	e.queue = append(e.queue[:best], e.queue[best+1:]...)
	e.current, e.start, e.end = c, cycle, cycle+e.spec.Cycles(c.Bytes)
	s := &e.stats.Tenants[c.Tenant]
	s.Copies++
	s.Bursts += e.spec.Bursts(c.Bytes)
	if c.ToHost {
		s.BytesToHost += c.Bytes
	} else {
		s.BytesToDevice += c.Bytes
	}
	return true
}

// Busy reports whether a copy is under way or waits.
func (e *Engine) Busy() bool { return e.current.Copy != nil || len(e.queue) > 0 || e.Host.Len() > 0 }

// Spec returns the engine's parameters.
func (e *Engine) Spec() Spec { return e.spec }

// Stats returns the engine's counters.
func (e *Engine) Stats() *Stats { return &e.stats }
