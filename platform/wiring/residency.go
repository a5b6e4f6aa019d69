package wiring

import (
	"slices"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/mem/l2"
	"cotenant/protocol"
	"cotenant/tenant"
)

// residency is what is set aside of the L2 for lines with workload.EvictLast. All tenants share it:
// it has room for the tenant that asks for most.
type residency struct {
	asked [tenant.Max]uint64 // bytes, by the tenant's last launch that asked
}

// start gives a launch what it asks for.
func (r *residency) start(p *Platform, e *dispatcher.KernelEvent) {
	r.asked[e.Tenant] = e.L2.SetAside
	spec := &p.Config.L2
	ways := max(spec.SetAsideWays, waysFor(slices.Max(r.asked[:]), spec, len(p.Slices)))
	for _, s := range p.Slices {
		if e.L2.Reset {
			s.Release()
		}
		s.SetAside(ways)
	}
}

// waysFor are the ways of each set that hold a number of bytes, at most as many as can be set
// aside.
func waysFor(bytes uint64, spec *l2.Spec, slices int) int {
	way := uint64(spec.Sets * protocol.LineBytes * slices)
	return int(min((bytes+way-1)/way, uint64(spec.MaxSetAside())))
}
