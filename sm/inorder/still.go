package inorder

import (
	"cotenant/sm/residency"
	"cotenant/sm/warps"
)

// A scheduler with ready warps that all wait, for pipes or for room in the load-store unit, is
// Still: it does not look at its warps again before a signal changes, a pipe that one of
// them needs takes an instruction, or the load-store unit has room for more. An SM with
// Still schedulers alone sleeps.

// stills are the schedulers that are Still with ready warps.
type stills struct {
	next   uint64                      // the first cycle of until
	until  [warps.MaxSchedulers]uint64 // the first cycle at which a pipe takes an instruction; never: no pipe is waited for
	lsu    uint8                       // schedulers that wait for room in the load-store unit, one bit each
	opened uint32                      // lsu.Unit.Opened when the first of them began to
}

func newStills() stills {
	s := stills{next: never}
	for i := range s.until {
		s.until[i] = never
	}
	return s
}

// shortWait is the number of cycles up to which it is cheaper to look at each edge.
const shortWait = 2

// still makes a scheduler Still if all its ready warps wait, unless they wait for a short
// time. It reports whether the scheduler must look again at the next edge.
func (p *Pipeline) still(s *residency.Scheduler, ready warps.Mask, cycle uint64) (again bool) {
	until := p.pipes.FreeAt(s.Number, &s.Signals.Needs, ready, cycle)
	if until <= cycle+shortWait {
		return true
	}
	t := &p.stills
	s.Signals.Still = ^warps.Mask(0)
	t.until[s.Number&(warps.MaxSchedulers-1)] = until
	t.next = min(t.next, until)
	if ready&s.Signals.Needs[warps.LSU] != 0 {
		if t.lsu == 0 {
			t.opened = p.lsu.Opened()
		}
		t.lsu |= 1 << s.Number
	}
	return false
}

// stir has the schedulers look again that may have what they wait for at a cycle. One that
// has issued meanwhile looks once more than it need.
func (p *Pipeline) stir(cycle uint64) {
	t := &p.stills
	if t.lsu != 0 && t.opened != p.lsu.Opened() {
		for i := range p.Schedulers {
			p.Schedulers[i].Signals.Still &^= -(warps.Mask(t.lsu) >> i & 1)
		}
		t.lsu = 0
	}
	if cycle < t.next {
		return
	}
	t.next = never
	for i := range p.Schedulers {
		if at := &t.until[i&(warps.MaxSchedulers-1)]; *at <= cycle {
			*at = never
			p.Schedulers[i].Signals.Still = 0
		} else {
			t.next = min(t.next, *at)
		}
	}
}
