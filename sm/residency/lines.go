package residency

import (
	"cotenant/sm/warps"
	"cotenant/workload"
)

// Where lines are counted (hot.Lines), each scheduler-cycle goes to a warp's line.

// Blocking is the line that the oldest warp of a mask waits to issue; 0 if the mask is empty.
func (u *Unit) Blocking(p *Scheduler, mask warps.Mask) uint32 {
	if mask == 0 {
		return 0
	}
	// A warp that waits at a barrier, or sleeps, has issued that instruction.
	w := p.eldest(mask)
	if w.Line != 0 && (p.Signals.Waits|p.Signals.Asleep)&w.Bit != 0 {
		return w.Line
	}
	inst := u.parts.Keeper.Oldest(w)
	if line := w.Lines.Near(inst.PC); line != 0 {
		return line
	}
	return w.Lines.Line(w.Stream, inst, w.Line)
}

// IssueLine counts an instruction of a warp that issues with its active threads, and returns
// its line.
func (u *Unit) IssueLine(w *Warp, inst *workload.Inst, lanes uint64) uint32 {
	line := w.Lines.Near(inst.PC)
	if line == 0 {
		line = w.Lines.Line(w.Stream, inst, w.Line)
	}
	w.Line = line
	u.Lines.Issue(line, lanes)
	return line
}
