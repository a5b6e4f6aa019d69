package flow

import (
	"math/bits"

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

// is gives the set the members of another.
func (s RegSet) is(r Row) {
	s.clear()
	r.addTo(s)
}

func (s RegSet) intersect(t RegSet) {
	for i, w := range t {
		s[i] &= w
	}
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
