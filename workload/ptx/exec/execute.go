package exec

import "context"

// turnSteps is how many instructions a warp executes in a row, and turnsOfTB how many such turns its
// thread block has before it is the next one's: so many that registers stay in the host's caches, so few
// that a warp which waits for another one in a loop does not keep it from its turn for long.
const (
	turnSteps = 4096
	turnsOfTB = 64
)

// Execute executes a launch to its end, without timing, and returns how many instructions of warps that
// took. Up to resident thread blocks are on their way at a time, as thread blocks may wait for each
// other; more are if all of them do. Warps that all wait in loops for what nothing is left to do
// are an error. It is faster than Run, as a warp executes many instructions in a row where Run takes turns after
// each. The error is that of Run, or ctx's.
func Execute(ctx context.Context, p *Program, cfg *LaunchConfig, resident int) (instructions uint64, err error) {
	if err := p.Bind(cfg); err != nil {
		return 0, err
	}
	size := cfg.ClusterTBs()
	total := cfg.Grid.Count() / size // clusters, each of which has one schedule
	resident = max(resident/size, 1)
	blocks := make([]*schedule, 0, min(resident, total))
	started, finished := 0, 0
	var idle []*schedule
	if kept, ok := p.idle.Get().(*[]*schedule); ok {
		idle = *kept
	}
	var done []*schedule
	start := func() {
		var s *schedule
		if last := len(idle) - 1; last >= 0 && idle[last].serves(cfg) {
			s, idle = idle[last], idle[:last]
		} else {
			s = p.newSchedule(cfg)
		}
		s.begin(cfg, started)
		blocks = append(blocks, s)
		started++
	}
	for len(blocks) < cap(blocks) {
		start()
	}
	last, patience := uint64(0), uint64(spinInstructions) // instructions at the last end, and from there to the next look
	for at := 0; finished < total; at++ {
		if err := ctx.Err(); err != nil {
			return instructions, err
		}
		s := blocks[at%len(blocks)]
		if s == nil {
			continue
		}
		ended, n, err := s.turns()
		instructions += n
		if err != nil {
			return instructions, err
		}
		if !ended {
			if instructions-last < patience {
				continue
			}
			patience *= 2
			what, all := spinning(blocks)
			if all && started == total {
				return instructions, p.spinError(what)
			}
			for n := len(blocks); all && n > 0 && started < total; n-- {
				start()
			}
			continue
		}
		finished++
		last, patience = instructions, spinInstructions
		if started == total {
			blocks[at%len(blocks)] = nil
			done = append(done, s)
			continue
		}
		s.begin(cfg, started)
		started++
		at-- // it is still in this thread block's place
	}
	if !cfg.bound.watches && size == 1 {
		idle = append(done, idle...)
		p.idle.Put(&idle)
	}
	return instructions, nil
}

// serves makes a thread block of an earlier launch one of this launch, if it has the same number of threads.
func (s *schedule) serves(cfg *LaunchConfig) bool {
	l, tb := cfg.bound, s.tb
	if l.watches || l.cluster.Count() > 1 || tb.launch.block.Count() != l.block.Count() {
		return false
	}
	tb.launch = l
	if len(tb.shared) != l.sharedBytes {
		tb.shared = make([]byte, l.sharedBytes)
	}
	for _, w := range tb.Warps {
		w.launch, w.consts, w.params, w.memory = l, l.consts, l.params, l.memory
		w.kept = [2]uint64{uint64(l.program.localBytes), 0}
	}
	return true
}

// turns gives a thread block its turns and reports whether it has ended. The thread blocks of a cluster get turns one after
// the other.
func (s *schedule) turns() (ended bool, instructions uint64, err error) {
	if len(s.cluster) == 1 {
		return s.turnsAlone(turnsOfTB)
	}
	for range turnsOfTB {
		ended = true
		for _, m := range s.cluster {
			e, n, err := m.turnsAlone(1)
			if instructions += n; err != nil {
				return false, instructions, err
			}
			ended = ended && e
		}
		if ended {
			break
		}
	}
	return ended, instructions, nil
}

func (s *schedule) turnsAlone(turns int) (ended bool, instructions uint64, err error) {
	for range turns {
		moved := 0
		for i, w := range s.tb.Warps {
			if s.waiting[i].Barrier {
				continue
			}
			n, r, err := w.sprint(turnSteps)
			moved += n
			if err != nil {
				return false, instructions + uint64(moved), err
			}
			if r.Barrier || r.Arrive {
				s.arrive(i, r)
			}
		}
		instructions += uint64(moved)
		live := 0
		for _, w := range s.tb.Warps {
			if w.mask != 0 {
				live++
			}
		}
		switch {
		case live == 0:
			return true, instructions, nil
		case s.releaseAll(live):
		case moved == 0:
			return false, instructions, s.stuck()
		}
	}
	return false, instructions, nil
}

// sprint executes up to most instructions of the warp, until it ends, finds that it has to wait for
// another warp, or comes to a barrier, which the result is of.
func (w *Warp) sprint(most int) (n int, r Result, err error) {
	for n < most && w.mask != 0 && w.fault == nil {
		if w.waits != nil {
			w.finishReduction()
		}
		o := &w.ops[w.pc]
		w.active = w.mask & (w.preds[o.guard] ^ o.guardFlip)
		w.pc++
		w.steps++
		n++
		if w.active != 0 {
			if w.launch.watches {
				w.watched(o, w.pc-1)
			} else {
				o.run(w, o)
			}
			if o.barrier {
				r = w.barrier
			}
		}
		if o.ends || w.pc == w.rpc {
			w.settle()
		}
		if r.Barrier || r.Arrive || r.Retries {
			break
		}
	}
	return n, r, w.fault
}
