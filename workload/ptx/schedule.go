package ptx

import "cotenant/workload"

// Run runs a whole launch without timing: one thread block after the other and
// the warps of each in turn, one instruction at a time.
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
	tb      *TB
	waiting []Result // of the warps that wait at a barrier
	arrived [barriers]int
}

func (s *schedule) run() error {
	s.arrived = [barriers]int{}
	for {
		moved, live := false, false
		for i, w := range s.tb.Warps {
			if _, ok := w.Next(); !ok {
				continue
			}
			live = true
			if s.waiting[i].Barrier {
				continue
			}
			moved = true
			r, err := w.Step()
			if err != nil {
				return err
			}
			if r.Arrive {
				s.arrived[r.BarrierID] += lanes
			}
			if r.Barrier {
				s.waiting[i] = r
			}
		}
		if !live {
			return nil
		}
		if !s.release() && !moved {
			return s.stuck()
		}
	}
}

// release lets warps go that wait at a complete barrier, and reports whether
// there were any.
func (s *schedule) release() bool {
	waiting, live := 0, 0
	for i, w := range s.tb.Warps {
		if _, ok := w.Next(); ok {
			live += lanes
		}
		if s.waiting[i].Barrier {
			waiting += lanes
		}
	}
	if waiting == 0 {
		return false
	}
	released := false
	for id := range uint8(barriers) {
		come, expected := 0, 0
		for _, r := range s.waiting {
			if r.Barrier && r.BarrierID == id {
				come += lanes
				expected = r.BarrierThreads
			}
		}
		if expected == 0 {
			expected = live
		}
		if come == 0 || come+s.arrived[id] < expected {
			continue
		}
		s.arrived[id] = 0
		released = true
		for i, r := range s.waiting {
			if r.Barrier && r.BarrierID == id {
				s.waiting[i] = Result{}
			}
		}
	}
	return released
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
