package flow

import "cotenant/workload/ptx"

// Interference has for each register the registers that cannot share its place:
// either is written while the other holds a value that is still to be read, but
// for copies of the other. Registers that an instruction reads for the
// last time may share with its results.
func Interference(f *ptx.Func) []Row {
	apart := make([]Row, len(f.Regs))
	blocks := blocksOf(f)
	p := newPressure(f, blocks)
	now := newRegSet(f)
	for i, b := range blocks {
		now.is(p.behind[i])
		for at := b.end - 1; at >= b.first; at-- {
			in := &f.Insts[at]
			EachRegister(in.Dst, now.add)
			source := -1
			if from, _, ok := Copies(in); ok {
				source = from
			}
			EachRegister(in.Dst, func(reg int) {
				had := apart[reg].Has(max(source, 0))
				apart[reg].union(now)
				if source >= 0 && !had {
					apart[reg].remove(source)
				}
			})
			now.step(in)
		}
	}
	for reg := range apart {
		apart[reg].remove(reg)
		apart[reg].Each(func(other int) { apart[other].add(reg) })
	}
	return apart
}

// Copies tells an instruction that copies one register to another as it is.
func Copies(in *ptx.Inst) (from, to int, ok bool) {
	if in.Op != "mov" && in.Op != "cvta" || len(in.Dst) != 1 || len(in.Src) != 1 ||
		in.Dst[0].Kind != ptx.Register || in.Src[0].Kind != ptx.Register {
		return 0, 0, false
	}
	return in.Src[0].Reg, in.Dst[0].Reg, true
}
