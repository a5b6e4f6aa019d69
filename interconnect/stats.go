package interconnect

import (
	"slices"

	"cotenant/tenant"
)

// Stats are the counters of a Crossbar since it was built. A port moves at most
// one flit in a cycle, so an output's flits are also the cycles in which it was busy.
type Stats struct {
	Inputs  []InputStats
	Outputs []OutputStats
	Tenants [tenant.Max]TenantStats
	// Links are the links of all tiers, those before the switch first; of a tier by group of
	// inputs, and then by group of outputs.
	Links []LinkStats `optional:"1"`
}

// InputStats count what an input port has sent into the crossbar. A packet
// counts as a whole from its first flit on.
type InputStats struct {
	Packets uint64
	Flits   uint64
	// WaitCycles counts cycles in which the first packet of the buffer waited for
	// its output, because another input had it or because it was full, or for a link of a
	// Tier.
	WaitCycles uint64 `percycle:"1"`
}

// OutputStats count what has left through an output port.
type OutputStats struct {
	Packets uint64
	Flits   uint64 `percycle:"1"`
	// BlockedCycles counts cycles in which a packet was ready to leave and its
	// receiver was full.
	BlockedCycles uint64 `percycle:"1"`
}

// TenantStats count what has left of one kernel's packets.
type TenantStats struct {
	Packets uint64
	Flits   uint64
	// LatencyCycles is the sum over packets of the time from the edge at which
	// the packet can be seen in the input buffer to the one at which it leaves.
	LatencyCycles uint64
}

// Stats returns a copy of the counters, up to the current time.
func (x *Crossbar) Stats() Stats {
	d := x.Domain()
	engine := d.Engine()
	before := uint64((engine.Reached() + d.Period() - 1) / d.Period()) // the edges that are over
	for j := range x.outputs {
		x.account(&x.outputs[j], before)
	}
	s := Stats{Tenants: x.tenants}
	for i := range x.inputs {
		s.Inputs = append(s.Inputs, x.inputs[i].stats)
	}
	for j := range x.outputs {
		o := &x.outputs[j]
		s.Outputs = append(s.Outputs, o.stats)
		if o.queue.Len() == 0 {
			continue
		}
		if ready := o.ready(o.queue.Front()); ready < before {
			s.Outputs[j].BlockedCycles += uint64((engine.Now() - d.At(ready)) / d.Period())
		}
	}
	for _, t := range slices.Concat(x.before, x.behind) {
		s.Links = append(s.Links, t.stats...)
	}
	for k := range s.Tenants {
		s.Tenants[k].LatencyCycles = uint64(x.latency[k] / d.Period())
	}
	return s
}
