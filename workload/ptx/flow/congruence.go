package flow

import (
	"math/bits"

	"cotenant/workload/ptx"
)

// congruence is what is known of a number: its low bits.
type congruence struct {
	known int    // bits, from the lowest
	value uint64 // of these
	none  bool   // nothing is known yet: no instruction has written it
}

func constant(v uint64) congruence { return congruence{known: 64, value: v} }

var unknown = congruence{}

func (c congruence) cut(known int) congruence {
	if c.none {
		return c
	}
	c.known = max(min(c.known, known), 0)
	c.value &= lowBits(c.known)
	return c
}

func lowBits(n int) uint64 { return 1<<n - 1 } // which is all for 64

// meet is what is known of a number that is either of two.
func (c congruence) meet(d congruence) congruence {
	switch {
	case c.none:
		return d
	case d.none:
		return c
	}
	return c.cut(min(d.known, bits.TrailingZeros64(c.value^d.value)))
}

func (c congruence) times(d congruence) congruence {
	known := min(d.known+bits.TrailingZeros64(c.value|1<<63), c.known+bits.TrailingZeros64(d.value|1<<63), c.known+d.known)
	return congruence{known: 64, value: c.value * d.value}.cut(known)
}

func (c congruence) and(d congruence) congruence {
	zero := ^c.value&lowBits(c.known) | ^d.value&lowBits(d.known) // are zero whatever the other has
	known := zero | lowBits(min(c.known, d.known))
	return constant(c.value & d.value).cut(bits.TrailingZeros64(^known))
}

// Place says where the assembler puts a variable: at an address of which only
// the low bits are known; none are if it does not say.
type Place func(*ptx.Var) (address uint64, knownBits int)

// congruences has the congruence of each of a function's registers, wherever it
// is written.
func congruences(f *ptx.Func, place Place) []congruence {
	of := make([]congruence, len(f.Regs))
	for i := range of {
		of[i].none = true
	}
	if blocks := blocksOf(f); len(blocks) > 0 {
		liveBefore(f, blocks)[0].Each(func(reg int) { of[reg] = constant(0) }) // read before it is written
	}
	for changed := true; changed; {
		changed = false
		for i := range f.Insts {
			in := &f.Insts[i]
			result := congruenceOf(in, of, place)
			EachRegister(in.Dst, func(reg int) {
				if now := of[reg].meet(result.cut(f.Regs[reg].Size() * 8)); now != of[reg] {
					of[reg], changed = now, true
				}
			})
		}
	}
	return of
}

// congruenceOf is that of an instruction's result.
func congruenceOf(in *ptx.Inst, of []congruence, place Place) congruence {
	if len(in.Dst) != 1 || in.Dst[0].Kind != ptx.Register || len(in.Types) == 0 {
		return unknown
	}
	width := in.Types[len(in.Types)-1].Size() * 8
	operands := make([]congruence, len(in.Src))
	for i := range in.Src {
		operands[i] = operandCongruence(&in.Src[i], of, place)
		if operands[i].none {
			return operands[i]
		}
	}
	switch in.Op {
	case "mov":
		return operands[0].cut(width)
	case "cvta":
		return operands[0].cut(windowBits)
	case "cvt":
		from, to := in.Types[len(in.Types)-1], in.Types[0]
		if !integer(from) || !integer(to) || in.Has("sat") {
			return unknown
		}
		return operands[0].cut(min(from.Size(), to.Size()) * 8)
	}
	if t := in.Types[len(in.Types)-1]; !integer(t) || in.Has("cc") || in.Has("sat") || in.Has("hi") {
		return unknown
	}
	switch in.Op {
	case "add":
		return sum(operands[0], operands[1]).cut(width)
	case "sub":
		return sum(operands[0], operands[1].times(constant(^uint64(0)))).cut(width)
	case "mul", "mad":
		product := operands[0].cut(width).times(operands[1].cut(width)).cut(width)
		if in.Op == "mad" {
			return sum(product, operands[2]).cut(width)
		}
		return product
	case "shl":
		if n := operands[1]; n.known >= 32 && n.value&lowBits(32) < 64 {
			return operands[0].times(constant(1 << (n.value & lowBits(32)))).cut(width)
		}
	case "and":
		return operands[0].and(operands[1]).cut(width)
	case "or":
		return constant(operands[0].value | operands[1].value).cut(min(operands[0].known, operands[1].known, width))
	}
	return unknown
}

// windowBits are low bits that an address has in its own space and in the
// generic one.
const windowBits = 16

func sum(c, d congruence) congruence {
	return constant(c.value + d.value).cut(min(c.known, d.known))
}

func operandCongruence(o *ptx.Operand, of []congruence, place Place) congruence {
	switch {
	case o.Kind == ptx.Register:
		return of[o.Reg]
	case o.Kind == ptx.Immediate && !o.Float:
		return constant(o.Imm)
	case o.Kind == ptx.AddressOf || o.Kind == ptx.Address && o.Var != nil && o.Reg < 0:
		address, known := place(o.Var)
		return constant(address + o.Imm).cut(known)
	case o.Kind == ptx.Address && o.Reg >= 0:
		if of[o.Reg].none {
			return of[o.Reg]
		}
		return sum(of[o.Reg], constant(o.Imm))
	case o.Kind == ptx.Address:
		return constant(o.Imm)
	}
	return unknown
}

func integer(t ptx.Type) bool {
	return t != ptx.NoType && !t.IsFloat() && !t.IsPair() && t != ptx.Pred
}
