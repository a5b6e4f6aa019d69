package sass

import (
	"cotenant/workload"
	"cotenant/workload/ptx"
)

// Code is the lowered form of a function.
type Code struct {
	first []int32 // of each PTX instruction's sequence in list, and the end
	list  []workload.Inst
}

// At returns the sequence of the PTX instruction with the given index; it is
// empty for one that costs nothing. Class, registers, PC and Space are set.
func (c *Code) At(index int) []workload.Inst { return c.list[c.first[index]:c.first[index+1]] }

// pcStep is the size of a machine instruction in bytes, as from Volta on.
const pcStep = 16

// Lower lowers a function.
func Lower(f *ptx.Func, opt Options) *Code {
	regs := assign(f, opt)
	c := &Code{first: make([]int32, 0, len(f.Insts)+1)}
	for i := range f.Insts {
		c.first = append(c.first, int32(len(c.list)))
		c.lower(f, i, regs, opt)
	}
	c.first = append(c.first, int32(len(c.list)))
	return c
}

// lower appends the sequence of one instruction. All but the first of a
// sequence depend on the one before, as carries and refinement steps do.
func (c *Code) lower(f *ptx.Func, index int, regs *registers, opt Options) {
	in := &f.Insts[index]
	if free(in, opt) || !opt.KeepBranches && shortBranch(f, index) {
		return
	}
	base := workload.Inst{Dst: regs.results(in), Src: regs.sources(in), Space: space(in)}
	for _, s := range sequence(in, opt) {
		for range s.count {
			inst := base
			inst.Class = s.class
			inst.PC = uint32(len(c.list) * pcStep)
			if len(c.list) > int(c.first[index]) && base.Dst[0] != workload.NoReg {
				inst.Src = workload.NoRegs6
				inst.Src[0] = base.Dst[0]
			}
			c.list = append(c.list, inst)
		}
	}
}

// free reports whether an instruction leaves no trace in machine code.
func free(in *ptx.Inst, opt Options) bool {
	switch in.Op {
	case "prefetch", "prefetchu":
		return true
	case "cvta", "mov":
		return !opt.KeepMoves && (len(in.Src) == 0 || in.Src[0].Kind != ptx.Special)
	case "ld":
		return !opt.KeepMoves && in.Space == ptx.Param
	case "st":
		return in.Space == ptx.Param // the argument of a call, in a register
	}
	return false
}

// shortBranch reports whether a compiler would predicate what a conditional
// branch jumps over: a few instructions without control flow.
func shortBranch(f *ptx.Func, index int) bool {
	in := &f.Insts[index]
	if in.Op != "bra" || in.Guard < 0 || in.Target <= index || in.Target > index+1+predicated {
		return false
	}
	for i := index + 1; i < in.Target; i++ {
		switch f.Insts[i].Op {
		case "bra", "brx", "call", "ret", "exit", "trap", "bar", "barrier":
			return false
		}
	}
	return true
}

// space is the address space of a memory instruction as far as its text says;
// generic addresses are told apart when they are executed.
func space(in *ptx.Inst) workload.Space {
	switch {
	case in.Op == "tex":
		return workload.Texture
	case in.Space == ptx.Shared:
		return workload.Shared
	case in.Space == ptx.Local:
		return workload.Local
	}
	return workload.Global
}
