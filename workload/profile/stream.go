package profile

import (
	"math"
	"math/bits"

	"cotenant/workload"
)

// warp is one warp's stream. It is restarted for TB after TB.
type warp struct {
	program *program
	draw    random
	live    uint32 // lanes that have a thread
	active  uint32 // lanes that take part at present

	body  []step
	place int // in body
	run   int // instructions before the next barrier or the end of the phase
	left  int // instructions of the phase after that
	phase int
	done  int // instructions of the phases before this one
	total int // instructions of the warp but for Exit
	ended bool

	tb, index uint64           // numbers of the TB and, in it, the warp
	keys      [numWalks]uint64 // seeds of what is drawn at a place of a walk
	walked    [numSlots][numWalks]uint64
	lanes     [workload.WarpSize]uint64
}

// start sets w to the beginning of warp number index of a TB. tbKey is the
// seed of all that is drawn for the TB.
func (w *warp) start(tb, index int, tbKey uint64) {
	p := w.program
	key := mix(tbKey + uint64(index+1)*golden)
	w.draw = random(key)
	w.live = math.MaxUint32
	if index == p.warps-1 {
		w.live = p.lastLanes
	}
	w.total = p.tbLength(tbKey) - 1
	w.done, w.ended = 0, false
	w.keys = [numWalks]uint64{own: key, shared: tbKey}
	w.tb, w.index = uint64(tb), uint64(index)
	w.walked = [numSlots][numWalks]uint64{}
	w.enter(0)
}

// tbLength draws the number of instructions of each warp of a TB.
func (p *program) tbLength(tbKey uint64) int {
	u := float64(mix(tbKey)>>11) / (1 << 53)
	// The conversion forbids a fused multiply-add, which some machines have
	// and which rounds differently.
	return max(1, int(math.Round(p.length*(1+float64(p.spread*(2*u-1))))))
}

// enter goes to the beginning of a phase.
func (w *warp) enter(phase int) {
	p := &w.program.phases[phase]
	end := w.total
	if phase < len(w.program.phases)-1 {
		end = min(end, int(math.Round(p.until*float64(w.total))))
	}
	w.phase, w.body, w.place, w.active = phase, p.body, 0, w.live
	w.left = end - w.done
	w.done = end
	w.untilBarrier(p)
}

// untilBarrier takes from the rest of the phase the run up to the next barrier.
func (w *warp) untilBarrier(p *phase) {
	w.run = w.left
	if p.barrierEvery > 0 {
		w.run = min(w.run, p.barrierEvery-1)
	}
	w.left -= w.run
}

// Fetch implements workload.Stream.
func (w *warp) Fetch(inst *workload.Inst) bool {
	for w.run == 0 {
		switch {
		case w.left > 0:
			w.left--
			p := &w.program.phases[w.phase]
			w.untilBarrier(p)
			w.active = w.live
			*inst = p.barrier
			inst.Active = w.live
			return true
		case w.phase < len(w.program.phases)-1:
			w.enter(w.phase + 1)
		case w.ended:
			return false
		default:
			w.ended = true
			*inst = w.program.exit
			inst.Active = w.live
			return true
		}
	}
	w.run--
	s := &w.body[w.place]
	if w.place++; w.place == len(w.body) {
		w.place = 0
	}
	*inst = s.inst
	inst.Active = w.active
	if s.work != nothing {
		w.complete(inst, s)
	}
	return true
}

// complete draws what differs between two executions of an instruction.
func (w *warp) complete(inst *workload.Inst, s *step) {
	p := &w.program.phases[w.phase]
	switch s.work {
	case globalAddress:
		w.global(inst, &p.access[s.slot])
	case sharedAddress:
		p.shared.address(inst, w.draw.next())
	case split:
		w.active = w.live
		if p.split > 0 && p.split.hit(w.draw.next()) {
			w.active = w.subset(p.splitActive)
		}
	}
}

// subset draws each live lane with probability share/256, and at least one. It
// builds 32 such draws at a time from the bits of share, the lowest first: OR
// with a random word makes a probability p into (1+p)/2, AND into p/2.
func (w *warp) subset(share uint) uint32 {
	if share >= 256 {
		return w.live
	}
	var mask uint32
	for bit := bits.TrailingZeros(share | 256); bit < 8; bit++ {
		word := uint32(w.draw.next())
		if share>>bit&1 == 1 {
			mask |= word
		} else {
			mask &= word
		}
	}
	if mask &= w.live; mask != 0 {
		return mask
	}
	return 1 << scale(w.draw.next(), uint64(bits.Len32(w.live)))
}

// Execute implements workload.Stream; Fetch has left nothing to it.
func (w *warp) Execute(*workload.Inst) {}
