package sass

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
)

// registers maps a function's virtual registers to the machine's, of which the
// scoreboard knows workload.NoReg. Copies share a register, as a compiler's
// coalescing makes them, and so do values and the forms of them that other
// instructions absorb. Beyond that, registers are handed out in the order of
// first use and start again when none is left: two values in one register are
// then far apart in the program.
type registers struct {
	machine []uint8 // first one of each virtual register
	wide    []bool  // takes the next one too
}

func assign(f *ptx.Func, absorbed []bool, opt Options) *registers {
	parent := make([]int, len(f.Regs))
	for i := range parent {
		parent[i] = i
	}
	find := func(r int) int {
		for parent[r] != r {
			parent[r] = parent[parent[r]]
			r = parent[r]
		}
		return r
	}
	for i := range f.Insts {
		in := &f.Insts[i]
		copies := !opt.KeepMoves && (in.Op == "mov" || in.Op == "cvta")
		if absorbed[i] || copies && len(in.Dst) == 1 && len(in.Src) == 1 &&
			in.Dst[0].Kind == ptx.Register && in.Src[0].Kind == ptx.Register &&
			wide64(f.Regs[in.Dst[0].Reg]) == wide64(f.Regs[in.Src[0].Reg]) {
			parent[find(in.Dst[0].Reg)] = find(in.Src[0].Reg)
		}
	}
	r := &registers{machine: make([]uint8, len(f.Regs)), wide: make([]bool, len(f.Regs))}
	given := make(map[int]uint8)
	next := 0
	for v := range f.Regs {
		root := find(v)
		r.wide[v] = wide64(f.Regs[v])
		number, ok := given[root]
		if !ok {
			if next+2 > workload.NoReg {
				next = 0
			}
			number = uint8(next)
			given[root] = number
			if next++; r.wide[v] {
				next++
			}
		}
		r.machine[v] = number
	}
	return r
}

func wide64(t ptx.Type) bool { return wide(t) || t == ptx.F64 }

// results lists the machine registers that an instruction writes, as many as
// an instruction can have.
func (r *registers) results(in *ptx.Inst) [4]uint8 {
	all := &sourceList{regs: r, list: workload.NoRegs6}
	all.addAll(in.Dst)
	return [4]uint8(all.list[:4])
}

// sourceList collects the machine registers of operands, as many as an
// instruction can have.
type sourceList struct {
	regs *registers
	list [6]uint8
	n    int
}

func (l *sourceList) put(reg uint8) {
	if l.n < len(l.list) {
		l.list[l.n] = reg
		l.n++
	}
}

func (l *sourceList) addAll(operands []ptx.Operand) {
	for i := range operands {
		l.add(&operands[i])
	}
}

func (l *sourceList) add(o *ptx.Operand) {
	l.addAll(o.Elems)
	if (o.Kind != ptx.Register && o.Kind != ptx.Address) || o.Reg < 0 {
		return
	}
	l.put(l.regs.machine[o.Reg])
	if l.regs.wide[o.Reg] {
		l.put(l.regs.machine[o.Reg] + 1)
	}
}
