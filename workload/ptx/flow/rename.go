package flow

import (
	"fmt"
	"slices"

	"cotenant/workload/ptx"
)

// Rename is a function in which a register that a block writes several times
// is another one each time, as far as only the block sees the values: a
// compiler's registers before it allocates them. It computes the same. The
// value that the block was entered with and the last one written stay where
// they are.
func Rename(f *ptx.Func) *ptx.Func {
	h := *f
	h.Insts, h.Regs, h.Names = slices.Clone(f.Insts), slices.Clone(f.Regs), slices.Clone(f.Names)
	r := renamer{h: &h, used: map[ptx.Type][]int{}, taken: map[ptx.Type]int{}}
	for _, b := range piecesOf(f) {
		r.piece(b.first, b.end)
	}
	return &h
}

// renamer is the state of Rename.
type renamer struct {
	h *ptx.Func
	// used has the names of earlier pieces, by type, and taken how many of them the
	// piece at hand has taken. reuses says that it takes any: the values of a piece end
	// with it.
	used   map[ptx.Type][]int
	taken  map[ptx.Type]int
	reuses bool
}

// name is a new name for a register.
func (r *renamer) name(reg, write int) int {
	h, t := r.h, r.h.Regs[reg]
	if n := r.taken[t]; r.reuses && n < len(r.used[t]) {
		r.taken[t]++
		return r.used[t][n]
	}
	name := len(h.Regs)
	h.Regs = append(h.Regs, t)
	h.Names = append(h.Names, fmt.Sprintf("%s.%d", h.Names[reg], write))
	r.used[t] = append(r.used[t], name)
	r.taken[t]++
	return name
}

// piece renames in the instructions from first to before end.
func (r *renamer) piece(first, end int) {
	h := r.h
	clear(r.taken)
	r.reuses = len(h.Regs) >= mostNames
	// Where each register is written whole; under a guard some lanes keep the
	// value before, so that the register must stay the same.
	writes := map[int]int{}
	for i := first; i < end; i++ {
		if in := &h.Insts[i]; in.Guard < 0 {
			EachRegister(in.Dst, func(reg int) { writes[reg]++ })
		}
	}
	now := map[int]int{} // what a register is called at the moment
	name := func(reg int) int {
		if to, ok := now[reg]; ok {
			return to
		}
		return reg
	}
	for i := first; i < end; i++ {
		in := &h.Insts[i]
		in.Src = renamed(in.Src, name)
		if in.Guard >= 0 {
			in.Guard = name(in.Guard)
		} else {
			EachRegister(in.Dst, func(reg int) {
				if writes[reg]--; writes[reg] == 0 {
					delete(now, reg)
					return
				}
				now[reg] = r.name(reg, writes[reg])
			})
		}
		in.Dst = renamed(in.Dst, name)
	}
}

// renamed is operands with other registers; those given are left as they are.
func renamed(operands []ptx.Operand, name func(int) int) []ptx.Operand {
	changed := false
	EachRegister(operands, func(reg int) { changed = changed || name(reg) != reg })
	if !changed {
		return operands
	}
	operands = slices.Clone(operands)
	for i := range operands {
		o := &operands[i]
		if o.Kind == ptx.Register || o.Kind == ptx.Address && o.Reg >= 0 {
			o.Reg = name(o.Reg)
		}
		o.Elems = renamed(o.Elems, name)
	}
	return operands
}
