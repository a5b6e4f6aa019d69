package wiring

// observer is a function that looks at the GPU in regular intervals.
type observer struct {
	interval, next uint64 // core cycles
	look           func(cycle uint64)
}

// Every has Run call look each time that another interval core cycles, at least
// 1, have been simulated: between the edges before that cycle and those at it.
// It must be called before Run. What look does must not change the GPU, though
// it may bring counters up to date; then a run gives the same with it as
// without.
func (p *Platform) Every(interval uint64, look func(cycle uint64)) {
	p.observers = append(p.observers, observer{interval: interval, next: interval, look: look})
}

// runTo simulates the edges before a core cycle, and has the observers look
// when their time comes. It reports whether anything is left to do.
func (p *Platform) runTo(cycle uint64) (more bool) {
	for {
		stop := cycle
		for i := range p.observers {
			stop = min(stop, p.observers[i].next)
		}
		more = p.engine.RunUntil(p.core.At(stop))
		again := p.take(p.edges())
		if p.engine.Err() != nil || p.Driver.Err() != nil || p.Host.Done() {
			return more
		}
		if again {
			continue
		}
		for i := range p.observers {
			if o := &p.observers[i]; o.next == stop {
				o.next += o.interval
				o.look(stop)
			}
		}
		if stop == cycle {
			return more
		}
	}
}
