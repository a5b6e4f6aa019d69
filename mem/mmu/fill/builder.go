package fill

import (
	"fmt"

	"cotenant/components"
	"cotenant/mem/pages"
	"cotenant/protocol"
)

// Builder makes fill units. Spec, clock, page table and number of SMs are all
// needed.
type Builder struct {
	spec     Spec
	domain   *components.Domain
	table    *pages.Table
	sms      int
	listener Listener
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(s Spec) Builder { b.spec = s; return b }

// WithDomain sets the clock, that of the SMs.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithTable sets the page table. Its regions have the Spec's size.
func (b Builder) WithTable(t *pages.Table) Builder { b.table = t; return b }

// WithSMs sets the number of SMs.
func (b Builder) WithSMs(n int) Builder { b.sms = n; return b }

// WithListener sets the observer; none if it is not called.
func (b Builder) WithListener(l Listener) Builder { b.listener = l; return b }

// portDepth is the number of messages that the ports hold where few come at a time.
const portDepth = 4

// Build makes a fill unit, or returns what is wrong with its parameters.
func (b Builder) Build(name string) (*Unit, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if b.domain == nil || b.table == nil || b.sms < 1 {
		return nil, fmt.Errorf("%s: needs a clock, a page table and an SM", name)
	}
	u := &Unit{
		spec:     b.spec,
		table:    b.table,
		listener: b.listener,
		walks:    components.NewFIFO[walk](b.spec.Walkers),
		closing:  components.NewFIFO[uint64](b.spec.Walkers),
		faults:   &components.Pool[protocol.RegionFault]{},
	}
	u.Init(name, b.domain, u)
	u.TLB = u.NewPort("TLB", b.spec.Queue)
	u.Pager = u.NewPort("Pager", portDepth)
	for i := range b.sms {
		u.SMs = append(u.SMs, u.NewPort(fmt.Sprintf("SM[%d]", i), portDepth))
	}
	return u, nil
}
