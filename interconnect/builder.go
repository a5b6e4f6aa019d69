package interconnect

import (
	"fmt"

	"cotenant/components"
)

// Builder makes crossbars.
type Builder struct {
	spec   Spec
	domain *components.Domain
	tiers  []Tier
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(spec Spec) Builder { b.spec = spec; return b }

// WithDomain sets the clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithTiers adds tiers. Without any every input has a way of its own to every output.
func (b Builder) WithTiers(tiers ...Tier) Builder { b.tiers = tiers; return b }

// Build makes a crossbar. It returns an error if a parameter is out of range.
func (b Builder) Build(name string) (*Crossbar, error) {
	s := b.spec
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	x := &Crossbar{
		flitBytes:  uint32(s.FlitBytes),
		header:     uint32(s.roundedHeader()),
		pipeline:   uint64(s.Latency),
		inputs:     make([]input, s.Inputs),
		outputs:    make([]output, s.Outputs),
		inputFree:  make([]uint64, s.Inputs),
		outputFree: make([]uint64, s.Outputs),
		unknown:    newPortSet(s.Inputs),
		queued:     newPortSet(s.Inputs),
		filled:     newPortSet(s.Inputs),
		wanted:     newPortSet(s.Outputs),
		manual:     newPortSet(s.Outputs),
	}
	for _, t := range b.tiers {
		l, err := newLinks(t, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if t.Behind {
			x.behind = append(x.behind, l)
		} else {
			x.before, x.bookings = append(x.before, l), make([]booking, s.Inputs)
		}
	}
	x.Init(name, b.domain, x)
	for i := range s.Inputs {
		x.Inputs = append(x.Inputs, x.NewPort(fmt.Sprintf("In[%d]", i), s.InputBuffer))
		x.Inputs[i].Announce(&x.filled[i/64], 1<<(i%64))
		x.unknown.add(i)
	}
	for j := range s.Outputs {
		x.Outputs = append(x.Outputs, x.NewPort(fmt.Sprintf("Out[%d]", j), 1))
		arbiter, err := s.newArbiter()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		x.outputs[j] = output{
			requests: newPortSet(s.Inputs),
			arbiter:  arbiter,
			out:      components.NewOutlet(x.Outputs[j], s.Latency+s.OutputBuffer),
			queue:    components.NewFIFO[transit](s.Latency + s.OutputBuffer),
		}
	}
	return x, nil
}
