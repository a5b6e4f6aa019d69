package wiring

import (
	"cotenant/components/stats"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/tenant"
)

// launch keeps the counters of a launch: while it runs, what its account had counted
// before; once it has finished, what it has counted itself.
type launch struct {
	account  tenant.Account
	number   uint64
	finished bool
	counters Work
}

// launches keeps the counters of the launches of each application's first run.
type launches struct {
	tenants [tenant.Max][]launch
	// noted lists the launches that have started or finished at this instant. Their
	// counters are taken when the whole instant has been simulated, so that they do
	// not depend on which block ticks first.
	noted []dispatcher.KernelEvent
	// asking lists those that have started at this instant and ask something of the L2.
	asking []dispatcher.KernelEvent
}

// listen returns a listener that also notes starts and ends of launches.
func (p *Platform) listen(l dispatcher.Listener) dispatcher.Listener {
	note := func(then func(dispatcher.KernelEvent)) func(dispatcher.KernelEvent) {
		return func(e dispatcher.KernelEvent) {
			if e.First {
				p.launches.noted = append(p.launches.noted, e)
				p.engine.Stop()
			}
			if then != nil {
				then(e)
			}
		}
	}
	started := note(l.KernelStarted)
	l.KernelStarted = func(e dispatcher.KernelEvent) {
		if p.residency.concerns(&e) {
			p.launches.asking = append(p.launches.asking, e)
			p.engine.Stop()
		}
		started(e)
	}
	l.KernelFinished = note(l.KernelFinished)
	return l
}

// take takes the counters of the launches that have been noted, after the first
// cycles edges of the core clock, and gives launches what they ask of the L2. It reports whether there
// are any.
func (p *Platform) take(cycles uint64) bool {
	if len(p.launches.noted)+len(p.launches.asking) == 0 {
		return false
	}
	for i := range p.launches.asking {
		p.residency.start(p, &p.launches.asking[i])
	}
	p.launches.asking = p.launches.asking[:0]
	for _, e := range p.launches.noted {
		list := &p.launches.tenants[e.Tenant]
		now := p.account(e.Account, cycles)
		if n := len(*list); uint64(n) == e.Launch {
			if p.Config.L2.ColdLaunches {
				for _, s := range p.Slices {
					s.Empty()
				}
			}
			*list = append(*list, launch{account: e.Account, number: e.Launch, counters: now})
			continue
		}
		l := &(*list)[e.Launch]
		stats.Subtract(&now, &l.counters)
		l.counters, l.finished = now, true
	}
	p.launches.noted = p.launches.noted[:0]
	return true
}

// account are the counters of an account after a number of core cycles.
func (p *Platform) account(a tenant.Account, cycles uint64) (c Work) {
	for _, m := range p.SMs {
		s := m.Stats(cycles)
		sm := s.Accounts.Get(a)
		stats.Add(&c.SM, &sm)
		c.Meanwhile.IdleCycles += s.IdleCycles
	}
	for _, s := range p.Slices {
		l2 := s.Stats().Accounts.Get(a)
		stats.Add(&c.L2, &l2)
	}
	for _, m := range p.Channels {
		s := m.Stats()
		dram := s.Accounts.Get(a)
		stats.Add(&c.DRAM, &dram)
		for i := range s.Accounts { // Total would add all other counters too, at each launch
			c.Meanwhile.WrittenBytes += s.Accounts[i].WrittenBytes
		}
	}
	return c
}

// Launches are the counters of each launch of a tenant's first run, in the order
// in which they started, after a number of core cycles.
func (p *Platform) Launches(number int, cycles uint64) (list []Work) {
	for _, l := range p.launches.tenants[number] {
		if !l.finished {
			now := p.account(l.account, cycles)
			stats.Subtract(&now, &l.counters)
			l.counters = now
		}
		list = append(list, l.counters)
	}
	return list
}
