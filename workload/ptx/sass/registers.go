package sass

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
)

// registers maps a function's virtual registers to the machine's, of which the
// scoreboard knows workload.NoReg. Copies share a register, as a compiler's
// coalescing makes them. Beyond that, registers are handed out in the order of
// first use and start again when none is left: two values in one register are
// then far apart in the program.
type registers struct {
	machine []uint8 // first one of each virtual register
	wide    []bool  // takes the next one too
}

func assign(f *ptx.Func, opt Options) *registers {
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
	if !opt.KeepMoves {
		for i := range f.Insts {
			in := &f.Insts[i]
			if (in.Op == "mov" || in.Op == "cvta") && len(in.Dst) == 1 && len(in.Src) == 1 &&
				in.Dst[0].Kind == ptx.Register && in.Src[0].Kind == ptx.Register &&
				wide64(f.Regs[in.Dst[0].Reg]) == wide64(f.Regs[in.Src[0].Reg]) {
				parent[find(in.Dst[0].Reg)] = find(in.Src[0].Reg)
			}
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
	list := workload.NoRegs4
	n := 0
	for i := range in.Dst {
		r.add(&in.Dst[i], list[:], &n)
	}
	return list
}

// sources lists those that it reads, its guard first.
func (r *registers) sources(in *ptx.Inst) [6]uint8 {
	list := workload.NoRegs6
	n := 0
	if in.Guard >= 0 {
		list[0] = r.machine[in.Guard]
		n = 1
	}
	for i := range in.Src {
		r.add(&in.Src[i], list[:], &n)
	}
	return list
}

func (r *registers) add(o *ptx.Operand, list []uint8, n *int) {
	if o.Kind == ptx.Vector {
		for i := range o.Elems {
			r.add(&o.Elems[i], list, n)
		}
		return
	}
	if (o.Kind != ptx.Register && o.Kind != ptx.Address) || o.Reg < 0 || *n == len(list) {
		return
	}
	list[*n] = r.machine[o.Reg]
	*n++
	if r.wide[o.Reg] && *n < len(list) {
		list[*n] = r.machine[o.Reg] + 1
		*n++
	}
}
