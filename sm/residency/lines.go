package residency

import (
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Where lines are counted (hot.Lines), each scheduler-cycle goes to a warp's line.

// Blocking is the line of the oldest warp of a mask; 0 if the mask is empty.
func (u *Unit) Blocking(p *Scheduler, mask warps.Mask) uint32 {
	if mask == 0 {
		return 0
	}
	return u.LineOf(p.eldest(mask))
}

// LineOf is the line that a warp waits to issue. A warp that waits at a barrier, or sleeps, has
// issued that instruction.
func (u *Unit) LineOf(w *Warp) uint32 {
	if g := &u.Signals[w.Scheduler]; w.Line != 0 && (g.Waits|g.Asleep)&w.Bit != 0 {
		return w.Line
	}
	return w.TB.Lines.Line(w.Stream, u.parts.Keeper.Oldest(w), w.Line)
}

// IssueLine counts an instruction of a warp that issues, and returns its line.
func (u *Unit) IssueLine(w *Warp, inst *workload.Inst) uint32 {
	w.Line = w.TB.Lines.Line(w.Stream, inst, w.Line)
	u.Lines.Issue(w.Line, inst.Active)
	return w.Line
}
