package residency

import (
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Where lines are counted (hot.Lines), each scheduler-cycle goes to a warp's line.

// blocker is the answer to a scheduler's last question for the line of a mask. It holds until
// that warp issues or waits otherwise, or a warp comes.
type blocker struct {
	mask  warps.Mask // 0: ask anew
	waits warps.Mask // the warp's bit if it waits at a barrier, or sleeps
	warp  *Warp
	line  uint32
}

// Blocking is the line of the oldest warp of a mask; 0 if the mask is empty.
func (u *Unit) Blocking(p *Scheduler, mask warps.Mask) uint32 {
	if mask == 0 {
		return 0
	}
	waits := p.Signals.Waits | p.Signals.Asleep
	if b := &p.blocker; mask == b.mask && waits&b.warp.Bit == b.waits && !u.Reorders {
		return b.line
	}
	w := p.eldest(mask)
	p.blocker = blocker{mask, waits & w.Bit, w, u.lineOf(w, waits)}
	return p.blocker.line
}

// lineOf is the line that a warp waits to issue. A warp that waits at a barrier, or sleeps, has
// issued that instruction.
func (u *Unit) lineOf(w *Warp, waits warps.Mask) uint32 {
	if w.Line != 0 && waits&w.Bit != 0 {
		return w.Line
	}
	return w.Lines.Line(w.Stream, u.parts.Keeper.Oldest(w), w.Line)
}

// IssueLine counts an instruction of a warp that issues with its active threads, and returns
// its line.
func (u *Unit) IssueLine(w *Warp, inst *workload.Inst, lanes uint64) uint32 {
	if b := &u.Schedulers[w.Scheduler].blocker; b.warp == w {
		b.mask = 0
	}
	w.Line = w.Lines.Line(w.Stream, inst, w.Line)
	u.Lines.Issue(w.Line, lanes)
	return w.Line
}
