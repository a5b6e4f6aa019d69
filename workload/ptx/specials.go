package ptx

import (
	"slices"

	"cotenant/workload"
)

// warpsPerSM is what %nwarpid reads (CUDA C++ Programming Guide, technical
// specifications of compute capability 5.2).
const warpsPerSM = 64

// isClock tells the special registers that change while a warp runs.
func isClock(s SpecialRegister) bool { return s >= Clock && s <= GlobalTimerHi }

// isPlace tells those that change when its thread block moves to another SM.
func isPlace(s SpecialRegister) bool { return s == SMID || s == NSMID }

// readSpecials sets the slots of the special registers that do not change.
func (w *Warp) readSpecials() {
	p := w.program
	for k, s := range p.specials {
		d := &w.regs[p.regs-len(p.specials)+k]
		for i := range d {
			d[i] = w.special(s, i)
		}
	}
}

func (w *Warp) special(s SpecialRegister, lane int) uint64 {
	l := w.launch
	id := w.index*lanes + lane
	tid := workload.Dim3{X: id % l.block.X, Y: id / l.block.X % l.block.Y, Z: id / l.block.X / l.block.Y}
	below := uint64(1)<<lane - 1
	v := 0
	switch s {
	case TidX:
		v = tid.X
	case TidY:
		v = tid.Y
	case TidZ:
		v = tid.Z
	case NtidX:
		v = l.block.X
	case NtidY:
		v = l.block.Y
	case NtidZ:
		v = l.block.Z
	case CtaidX:
		v = w.tb.position.X
	case CtaidY:
		v = w.tb.position.Y
	case CtaidZ:
		v = w.tb.position.Z
	case NctaidX:
		v = l.grid.X
	case NctaidY:
		v = l.grid.Y
	case NctaidZ:
		v = l.grid.Z
	case LaneID:
		v = lane
	case WarpID:
		v = w.index
	case NWarpID:
		v = warpsPerSM
	case SMID:
		v = w.tb.sm
	case NSMID:
		v = w.tb.sms
	case LaneMaskEQ:
		return below + 1
	case LaneMaskLT:
		return below
	case LaneMaskLE:
		return below<<1 | 1
	case LaneMaskGE:
		return uint64(uint32(^below))
	case LaneMaskGT:
		return uint64(uint32(^(below<<1 | 1)))
	case TotalSharedSize:
		v = l.sharedBytes
	case DynamicSharedSize:
		v = l.dynamic
	}
	return uint64(v)
}

// readClocks sets the slots of those that do.
func (w *Warp) readClocks() {
	cycles, nanoseconds := w.steps, w.steps
	if w.tb.clock != nil {
		cycles, nanoseconds = w.tb.clock.Now()
	}
	p := w.program
	for k, s := range p.specials {
		v := nanoseconds
		switch s {
		case Clock, Clock64:
			v = cycles
		case ClockHi:
			v = cycles >> 32
		case GlobalTimerHi:
			v = nanoseconds >> 32
		}
		if isClock(s) {
			w.regs[p.regs-len(p.specials)+k] = broadcast(v)
		}
	}
}

// usesPlace reports whether the program reads on which of how many SMs a thread
// block runs: %smid, %nsmid.
func (p *Program) usesPlace() bool { return slices.ContainsFunc(p.specials, isPlace) }
