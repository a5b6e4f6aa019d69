package exec

import "cotenant/workload"

// Run executes a launch to its end, without timing: one thread block, or cluster, after the
// other, and the warps of each in turn, one instruction at a time. The error is
// of the configuration, of a warp (see Step), or names warps that wait at a
// barrier for ever.
func Run(p *Program, cfg *LaunchConfig) error {
	if err := p.Bind(cfg); err != nil {
		return err
	}
	s := p.newSchedule(cfg)
	for number := range cfg.Grid.Count() / cfg.ClusterTBs() {
		s.begin(cfg, number)
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
	cluster  []*schedule   // of the thread blocks of its cluster, itself first; nil in the others
}

// newSchedule makes the thread blocks of a cluster of a launch that has been bound. They begin later.
func (p *Program) newSchedule(cfg *LaunchConfig) (s *schedule) {
	list := make([]*schedule, cfg.ClusterTBs())
	for i := range list {
		tb := p.NewTB(cfg, 0)
		list[i] = &schedule{tb: tb, waiting: make([]Result, len(tb.Warps))}
	}
	list[0].cluster = list
	return list[0]
}

// begin makes the thread blocks the cluster with a number.
func (s *schedule) begin(cfg *LaunchConfig, number int) {
	if len(s.cluster) == 1 {
		s.tb.Reset(number)
		s.arrived = [barriers]int{}
		return
	}
	var blocks []*TB
	for rank, m := range s.cluster {
		m.tb.Reset(cfg.Member(number, rank))
		m.arrived = [barriers]int{}
		blocks = append(blocks, m.tb)
	}
	Join(blocks)
}

// run runs the thread blocks of a cluster.
func (s *schedule) run() error {
	for ended := false; !ended; {
		ended = true
		for _, m := range s.cluster {
			e, err := m.round()
			if err != nil {
				return err
			}
			ended = ended && e
		}
	}
	return nil
}

// round lets each warp execute an instruction, and reports whether all have ended.
func (s *schedule) round() (ended bool, err error) {
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
			return false, err
		}
		if r.Barrier || r.Arrive {
			s.arrive(i, r)
		}
	}
	switch {
	case live == 0:
		return true, nil
	case s.releaseAll(live):
	case !moved:
		return false, s.stuck()
	}
	return false, nil
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
