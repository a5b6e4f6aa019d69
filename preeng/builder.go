package preeng

import (
	"fmt"

	"cotenant/components"
	"cotenant/protocol"
)

// Depths of the ports in messages.
const (
	driverDepth = 4
	smDepth     = 8
)

// Builder makes preemption engines.
type Builder struct {
	spec    Spec
	domain  *components.Domain
	id      int
	coreMHz int
	packets *components.Pool[protocol.Packet]
}

// WithSpec sets the engine's parameters.
func (b Builder) WithSpec(spec Spec) Builder { b.spec = spec; return b }

// WithDomain sets the core clock and its frequency in MHz, which turns the bandwidth into
// bytes a cycle.
func (b Builder) WithDomain(d *components.Domain, mhz int) Builder {
	b.domain, b.coreMHz = d, mhz
	return b
}

// WithID sets the number of the engine's SM.
func (b Builder) WithID(id int) Builder { b.id = id; return b }

// WithPackets sets the platform's pool of memory packets.
func (b Builder) WithPackets(p *components.Pool[protocol.Packet]) Builder { b.packets = p; return b }

// Build makes an engine, which sleeps until its first order. An error names the parameter
// out of range.
func (b Builder) Build(name string) (*Engine, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	e := &Engine{spec: b.spec, id: b.id, coreMHz: b.coreMHz, packets: b.packets}
	e.Init(name, b.domain, e)
	e.Driver = e.NewPort("Driver", driverDepth)
	e.SM = e.NewPort("SM", smDepth)
	return e, nil
}
