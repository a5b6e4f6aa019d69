package wiring

import "cotenant/sm/hot"

// CountLines counts what each line of the applications' programs costs behind the warm-up,
// launches of a kernel apart or together. It must be called before Run. Counters of a later moment than the last
// Counters or Stats may be missing.
func (p *Platform) CountLines(byLaunch bool) *hot.Lines {
	l := hot.New(byLaunch)
	for _, m := range p.SMs {
		m.CountLines(l)
	}
	for _, s := range p.Slices {
		s.CountLines(l)
	}
	p.lines = l
	return l
}
