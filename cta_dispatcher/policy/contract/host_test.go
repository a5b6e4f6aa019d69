package contract

import (
	"cotenant/components"
	"cotenant/protocol"
	"cotenant/tenant"
)

// host has applications arrive, launch their kernels one after the other, and
// go. When all have gone it stops the engine.
type host struct {
	components.Module
	driver *components.Port

	scenario *scenario
	tenants  []process
}

// process is where an application is.
type process struct {
	present bool
	running bool
	kernel  int // that runs, or is launched next
	at      int // time at which it is launched
}

// ended reports whether the last kernel has finished.
func (p *process) ended(app *application) bool { return p.kernel == len(app.kernels) }

func newHost(s *scenario, domain *components.Domain) *host {
	h := &host{scenario: s, tenants: make([]process, len(s.tenants))}
	for i, app := range s.tenants {
		h.tenants[i].at = app.arrival
		if len(app.kernels) > 0 {
			h.tenants[i].at += app.kernels[0].pause
		}
	}
	h.Init("Host", domain, h)
	h.driver = h.NewPort("Driver", 2*len(s.tenants))
	h.Start()
	return h
}

// Tick has happen what is due, in the order of arrival.
func (h *host) Tick(cycle uint64) (moved bool) {
	now := int(cycle)
	for m := h.driver.Pop(); m != nil; m = h.driver.Pop() {
		h.finished(int(m.(*protocol.KernelDone).Tenant), now)
		moved = true
	}
	launched := false
	for _, i := range h.scenario.arrival {
		p, app := &h.tenants[i], &h.scenario.tenants[i]
		if come := !p.ended(app) && app.arrival <= now; come != p.present && !(p.present && !p.ended(app)) {
			if !h.driver.Push(&protocol.Process{Tenant: tenant.ID(i), Present: come, Attributes: tenant.Attributes{Priority: app.priority}}) {
				return moved
			}
			p.present = come
			moved = true
		}
		if p.running || !p.present || p.at > now {
			continue
		}
		if launched && h.scenario.apart {
			h.WakeAt(cycle + 1)
			break
		}
		if !h.driver.Push(&protocol.Launch{Tenant: tenant.ID(i), Kernel: app.kernels[p.kernel].launch()}) {
			return moved
		}
		p.running, launched, moved = true, true, true
	}
	if h.done() {
		h.Domain().Engine().Stop()
	}
	if next, ok := h.next(now); ok {
		h.WakeAt(uint64(next))
	}
	return moved
}

// finished moves an application on to its next kernel.
func (h *host) finished(tenant, now int) {
	p, app := &h.tenants[tenant], &h.scenario.tenants[tenant]
	p.running = false
	if p.kernel++; !p.ended(app) {
		p.at = now + app.kernels[p.kernel].pause
	}
}

// next is the time after now of the next arrival or launch, if there is one.
func (h *host) next(now int) (at int, ok bool) {
	for i := range h.tenants {
		p, app := &h.tenants[i], &h.scenario.tenants[i]
		for _, t := range [...]int{app.arrival, p.at} {
			if !p.running && !p.ended(app) && t > now && (!ok || t < at) {
				at, ok = t, true
			}
		}
	}
	return at, ok
}

// done reports whether all have gone.
func (h *host) done() bool {
	for i := range h.tenants {
		if p := &h.tenants[i]; p.present || !p.ended(&h.scenario.tenants[i]) {
			return false
		}
	}
	return true
}
