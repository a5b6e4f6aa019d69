package exec

import (
	"slices"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// warpsPerSM is what %nwarpid reads (CUDA C++ Programming Guide, technical
// specifications of compute capability 5.2).
const warpsPerSM = 64

// readSpecials sets the slots of the special registers that do not change.
func (w *Warp) readSpecials() {
	p := w.program
	for k, s := range p.specials {
		d := &w.regs[p.regs-len(p.specials)+k]
		switch {
		case s <= ptx.TidZ:
			w.readThreads(d, s)
		case s == ptx.LaneID || s >= ptx.LaneMaskEQ && s <= ptx.LaneMaskGT:
			for i := range d {
				d[i] = w.special(s, i)
			}
		default: // the same for all lanes
			*d = broadcast(w.special(s, 0))
		}
	}
}

// readThreads sets the lanes to their threads' places along an axis.
func (w *Warp) readThreads(d *slot, axis ptx.SpecialRegister) {
	size, at := w.launch.block, w.thread(0)
	for i := range d {
		switch axis {
		case ptx.TidX:
			d[i] = uint64(at.X)
		case ptx.TidY:
			d[i] = uint64(at.Y)
		default:
			d[i] = uint64(at.Z)
		}
		if at.X++; at.X == size.X {
			if at.X, at.Y = 0, at.Y+1; at.Y == size.Y {
				at.Y, at.Z = 0, at.Z+1
			}
		}
	}
}

// thread is a lane's thread, by its place in the thread block.
func (w *Warp) thread(lane int) workload.Dim3 { return placeIn(w.launch.block, w.index*lanes+lane) }

// placeIn is where the one with a number is, x fastest.
func placeIn(size workload.Dim3, n int) workload.Dim3 {
	return workload.Dim3{X: n % size.X, Y: n / size.X % size.Y, Z: n / size.X / size.Y}
}

// special is what a special register that counts no time reads.
func (w *Warp) special(s ptx.SpecialRegister, lane int) uint64 {
	l := w.launch
	if dims := [...]workload.Dim3{w.thread(lane), l.block, w.tb.position, l.grid}; s < ptx.LaneID {
		d := dims[s/3]
		return uint64([...]int{d.X, d.Y, d.Z}[s%3])
	}
	if s >= ptx.ClusteridX {
		return w.tb.clusterSpecial(s)
	}
	below := uint64(1)<<lane - 1
	return [...]uint64{
		ptx.LaneID: uint64(lane), ptx.WarpID: uint64(w.index), ptx.NWarpID: warpsPerSM,
		ptx.SMID: uint64(w.tb.sm), ptx.NSMID: uint64(w.tb.sms),
		ptx.LaneMaskEQ: below + 1, ptx.LaneMaskLT: below, ptx.LaneMaskLE: below<<1 | 1,
		ptx.LaneMaskGE: uint64(uint32(^below)), ptx.LaneMaskGT: uint64(uint32(^(below<<1 | 1))),
		ptx.TotalSharedSize: uint64(l.sharedBytes), ptx.DynamicSharedSize: uint64(l.dynamic), ptx.CurrentGraphExec: 0,
	}[s]
}

// readClocks sets the slots of the special registers that count time.
func (w *Warp) readClocks() {
	cycles, nanoseconds := w.steps, w.steps
	if w.tb.clock != nil {
		cycles, nanoseconds = w.tb.clock.Now()
	}
	p := w.program
	for k, s := range p.specials {
		v := nanoseconds
		switch s {
		case ptx.Clock, ptx.Clock64:
			v = cycles
		case ptx.ClockHi:
			v = cycles >> 32
		case ptx.GlobalTimerHi:
			v = nanoseconds >> 32
		}
		if s.IsClock() {
			w.regs[p.regs-len(p.specials)+k] = broadcast(v)
		}
	}
}

// usesPlace reports whether the program reads on which of how many SMs a thread
// block runs: %smid, %nsmid.
func (p *Program) usesPlace() bool {
	return slices.ContainsFunc(p.specials, ptx.SpecialRegister.IsPlace)
}
