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

// concerns reports whether a launch asks for something, or is of a new run of a program that had.
func (r *residency) concerns(e *dispatcher.KernelEvent) bool {
	return e.L2 != nil || r.asked[e.Tenant] > 0
}

// ask notes what a launch asks for. One that asks for nothing is of another process than the tenant's last.
func (r *residency) ask(e *dispatcher.KernelEvent) (reset bool) {
	r.asked[e.Tenant] = 0
	if e.L2 != nil {
		r.asked[e.Tenant], reset = e.L2.SetAside, e.L2.Reset
	}
	return reset
}

// start gives a launch what it asks for.
func (r *residency) start(p *Platform, e *dispatcher.KernelEvent) {
	reset := r.ask(e)
	ways := r.ways(&p.Config.L2, len(p.Slices))
	for _, s := range p.Slices {
		if reset {
			s.Release()
		}
		s.SetAside(ways)
	}
}

// ways are the ways of each set of a number of slices that are set aside, whole ways for what is asked.
func (r *residency) ways(spec *l2.Spec, number int) int {
	way := uint64(spec.Sets * protocol.LineBytes * number)
	asked := (slices.Max(r.asked[:]) + way - 1) / way
	return max(spec.SetAsideWays, int(min(asked, uint64(spec.MaxSetAside()))))
}
