package contract

import (
	"cotenant/components"
	"cotenant/protocol"
	"cotenant/tenant"
)

// host has applications arrive, launch their kernels, one stream's one after the
// other, and go. When all have gone it stops the engine.
type host struct {
	components.Module
	driver *components.Port

	scenario *scenario
	// concurrent: kernels of several streams of an application run at once.
	concurrent bool
	tenants    []process
}

// process is the state of an application.
type process struct {
	present bool
	streams []stream
	// launched lists its kernels in the order of their launches.
	launched []int
	running  int // kernels
	ended    int // kernels
}

// stream is the state of a stream of an application.
type stream struct {
	kernels []int // left kernels; the first runs, or is launched next
	running bool
	at      int // launch time of the first
}

// gone reports whether the last kernel has finished.
func (p *process) gone(app *application) bool { return p.ended == len(app.kernels) }

func newHost(s *scenario, domain *components.Domain, concurrent bool) *host {
	h := &host{scenario: s, tenants: make([]process, len(s.tenants)), concurrent: concurrent}
	for i, app := range s.tenants {
		p := &h.tenants[i]
		for k := range app.kernels {
			for app.kernels[k].stream >= len(p.streams) {
				p.streams = append(p.streams, stream{})
			}
			q := &p.streams[app.kernels[k].stream]
			if q.kernels = append(q.kernels, k); len(q.kernels) == 1 {
				q.at = app.arrival + app.kernels[k].pause
			}
		}
	}
	h.Init("Host", domain, h)
	h.driver = h.NewPort("Driver", 2*len(s.tenants))
	h.Start()
	return h
}

// Tick performs due arrivals and launches, in the order of arrival.
func (h *host) Tick(cycle uint64) (moved bool) {
	now := int(cycle)
	for m := h.driver.Pop(); m != nil; m = h.driver.Pop() {
		done := m.(*protocol.KernelDone)
		h.finished(int(done.Tenant), int(done.Tag), now)
		moved = true
	}
	launched := false
	for _, i := range h.scenario.arrival {
		p, app := &h.tenants[i], &h.scenario.tenants[i]
		if come := !p.gone(app) && app.arrival <= now; come != p.present && !(p.present && !p.gone(app)) {
			if !h.driver.Push(&protocol.Process{Tenant: tenant.ID(i), Present: come, Attributes: tenant.Attributes{Priority: app.priority, IsolatedWIPC: app.wipc, IsolatedIPC: app.isolated, Goal: app.goal}}) {
				return moved
			}
			p.present = come
			moved = true
		}
		for number := range p.streams {
			q := &p.streams[number]
			if q.running || len(q.kernels) == 0 || !p.present || q.at > now || p.running > 0 && !h.concurrent {
				continue
			}
			if launched && h.scenario.apart {
				h.WakeAt(cycle + 1)
				return moved
			}
			k := q.kernels[0]
			if !h.driver.Push(&protocol.Launch{Tenant: tenant.ID(i), Kernel: app.kernels[k].launch(), Tag: uint32(number)}) {
				return moved
			}
			p.launched = append(p.launched, k)
			p.running++
			q.running, launched, moved = true, true, true
		}
	}
	if h.done() {
		h.Domain().Engine().Stop()
	}
	if next, ok := h.next(now); ok {
		h.WakeAt(uint64(next))
	}
	return moved
}

// finished moves a stream on to its next kernel.
func (h *host) finished(tenant, number, now int) {
	p := &h.tenants[tenant]
	p.ended++
	p.running--
	q := &p.streams[number]
	q.running, q.kernels = false, q.kernels[1:]
	if len(q.kernels) > 0 {
		q.at = now + h.scenario.tenants[tenant].kernels[q.kernels[0]].pause
	}
}

// next is the time after now of the next arrival or launch, if there is one.
func (h *host) next(now int) (at int, ok bool) {
	sooner := func(t int) {
		if t > now && (!ok || t < at) {
			at, ok = t, true
		}
	}
	for i := range h.tenants {
		sooner(h.scenario.tenants[i].arrival)
		for _, q := range h.tenants[i].streams {
			if !q.running && len(q.kernels) > 0 {
				sooner(q.at)
			}
		}
	}
	return at, ok
}

// done reports whether all have gone.
func (h *host) done() bool {
	for i := range h.tenants {
		if p := &h.tenants[i]; p.present || !p.gone(&h.scenario.tenants[i]) {
			return false
		}
	}
	return true
}
