package exec

import "cotenant/workload"

// Run executes a launch to its end, without timing: one thread block after the
// other, and the warps of each in turn, one instruction at a time. The error is
// of the configuration, of a warp (see Step), or names warps that wait at a
// barrier for ever.
func Run(p *Program, cfg *LaunchConfig) error {
	if err := p.Bind(cfg); err != nil {
		return err
	}
	tb := p.NewTB(cfg, 0)
	s := &schedule{tb: tb, waiting: make([]Result, len(tb.Warps))}
	for id := range cfg.Grid.Count() {
		tb.Reset(id)
		if err := s.run(); err != nil {
			return err
		}
	}
	return nil
}

// schedule runs a thread block.
type schedule struct {
	tb       *TB
	waiting  []Result      // of the warps that wait at a barrier
	arrived  [barriers]int // warps that have come
	expected [barriers]int // warps, 0 for all that have not ended
}

func (s *schedule) run() error {
	s.arrived = [barriers]int{}
	for {
		moved, live := false, 0
		for i, w := range s.tb.Warps {
			if _, ok := w.Next(); !ok {
				continue
			}
			live++
			if s.waiting[i].Barrier {
				continue
			}
			moved = true
			r, err := w.Step()
			if err != nil {
				return err
			}
			if r.Barrier || r.Arrive {
				s.arrive(i, r)
			}
		}
		switch {
		case live == 0:
			return nil
		case s.releaseAll(live):
		case !moved:
			return s.stuck()
		}
	}
}

// arrive counts a warp at a barrier, which may be the last that it waits for.
func (s *schedule) arrive(warp int, r Result) {
	id := r.BarrierID
	s.arrived[id]++
	s.expected[id] = r.BarrierWarps
	if r.Barrier {
		s.waiting[warp] = r
	}
	if n := s.expected[id]; n > 0 && s.arrived[id] >= n {
		s.release(id)
	}
}

// releaseAll opens the barriers that wait for all live warps, and reports
// whether there were any.
func (s *schedule) releaseAll(live int) (released bool) {
	for id := range uint8(barriers) {
		if n := s.arrived[id]; n > 0 && s.expected[id] == 0 && n >= live {
			s.release(id)
			released = true
		}
	}
	return released
}

// release lets the warps go that wait at a barrier.
func (s *schedule) release(id uint8) {
	s.arrived[id] = 0
	for i, r := range s.waiting {
		if r.Barrier && r.BarrierID == id {
			s.waiting[i] = Result{}
		}
	}
}

// stuck reports a thread block of which no warp can go on.
func (s *schedule) stuck() error {
	for i, r := range s.waiting {
		if r.Barrier {
			w := s.tb.Warps[i]
			o := &w.ops[max(w.pc-1, 0)]
			return workload.Errorf(w.program.module.File, o.fn.Line,
				"kernel %s: warp %d of thread block %v waits at barrier %d for warps that never come",
				w.program.kernel.Name, i, s.tb.position, r.BarrierID)
		}
	}
	return nil
}
