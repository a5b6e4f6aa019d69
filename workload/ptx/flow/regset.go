package flow

import (
	"math/bits"
	"slices"

	"cotenant/workload/ptx"
)

// RegSet is a set of a function's registers by number, one bit each.
type RegSet []uint64

func newRegSet(f *ptx.Func) RegSet { return make(RegSet, (len(f.Regs)+63)/64) }

// Has reports whether a register is in the set.
func (s RegSet) Has(reg int) bool { return s[reg/64]>>(reg%64)&1 != 0 }

func (s RegSet) add(reg int)    { s[reg/64] |= 1 << (reg % 64) }
func (s RegSet) remove(reg int) { s[reg/64] &^= 1 << (reg % 64) }
func (s RegSet) clear()         { clear(s) }

// union adds the members of t and reports whether one was new.
func (s RegSet) union(t RegSet) (grew bool) {
	for i, w := range t {
		grew = grew || w&^s[i] != 0
		s[i] |= w
	}
	return grew
}

func (s RegSet) intersect(t RegSet) {
	for i, w := range t {
		s[i] &= w
	}
}

// With is a set with the members of both.
func (s RegSet) With(t RegSet) RegSet {
	both := slices.Clone(s)
	both.union(t)
	return both
}

// Each calls do for each register of the set.
func (s RegSet) Each(do func(reg int)) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			do(64*i + bits.TrailingZeros64(w))
		}
	}
}

// EachRegister calls do for each register in operands.
func EachRegister(operands []ptx.Operand, do func(reg int)) {
	for i := range operands {
		if o := &operands[i]; o.Kind == ptx.Register || o.Kind == ptx.Address && o.Reg >= 0 {
			do(o.Reg)
		}
		EachRegister(operands[i].Elems, do)
	}
}

// RegistersRead are the registers that some instruction of a function reads.
func RegistersRead(f *ptx.Func) RegSet {
	set := newRegSet(f)
	for i := range f.Insts {
		in := &f.Insts[i]
		if in.Guard >= 0 {
			set.add(in.Guard)
		}
		EachRegister(in.Src, set.add)
	}
	return set
}
