package functional

import "cotenant/workload"

// barrier is a barrier of a thread block.
type barrier struct {
	arrived  int // warps that have come since it opened last
	expected int // warps that complete it, 0 for all that have not ended
}

// arrive counts a warp at the barrier that it has executed.
func (b *block) arrive(w *warp) {
	if w.inst.Active == 0 {
		return
	}
	id := w.inst.Barrier
	b.barriers[id].arrived++
	b.barriers[id].expected = int(w.inst.Warps)
	if w.inst.Flags&workload.Arrive == 0 {
		w.waiting, w.barrier = true, id
	}
}

// open opens the barriers that are complete.
func (b *block) open() {
	for id := range b.barriers {
		bar := &b.barriers[id]
		if bar.arrived == 0 {
			continue
		}
		have, need := bar.arrived, bar.expected
		if need == 0 {
			have, need = b.waiting(uint8(id)), b.live
		}
		if have < need {
			continue
		}
		bar.arrived = 0
		for i := range b.warps {
			if w := &b.warps[i]; w.barrier == uint8(id) {
				w.waiting = false
			}
		}
	}
}

// waiting counts the warps that wait at a barrier and have not ended.
func (b *block) waiting(id uint8) (n int) {
	for i := range b.warps {
		if w := &b.warps[i]; w.waiting && w.barrier == id && !w.ended {
			n++
		}
	}
	return n
}
