package exec

import (
	"fmt"
	"math"
	"slices"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// builder makes the op of one instruction. ptx.Parse has checked its modifiers and
// operands; what the builder still finds wrong is an error. The first one stays;
// after it the op has no meaning.
type builder struct {
	c  *compiler
	f  *ptx.Func
	at *placement
	in *ptx.Inst
	// meet is the index of the instruction at which the paths of a branch meet.
	meet int
	o    op
	err  error
	// clock is set if an operand changes from one instruction to the next.
	clock bool
	// place is set if an operand changes when the thread block moves.
	place bool
}

func (b *builder) build() op {
	in := b.in
	b.o = op{inst: in, fn: b.f, guard: alwaysTrue, pdst: -1, pdst2: -1, vec: 1, addrMask: ^uint64(0)}
	build, ok := forms[in.Op]
	if !ok {
		b.fail("operation is not known")
		return b.o
	}
	if in.Guard >= 0 {
		b.o.guard, b.o.guardFlip = b.predicate(ptx.Operand{Kind: ptx.Register, Reg: in.Guard, Not: in.GuardNot})
	}
	if b.err == nil {
		build(b)
	}
	if b.err == nil && b.o.run == nil {
		b.fail("types are not valid for the operation")
	}
	if b.clock {
		inner := b.o.run
		b.o.run = func(w *Warp, o *op) {
			w.readClocks()
			inner(w, o)
		}
	}
	b.o.turn = b.turn()
	return b.o
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = workload.Errorf(b.f.File, b.in.Line, "%s cannot be run: %s", b.in.Opcode(), fmt.Sprintf(format, args...))
	}
}

// kind is the instruction's type, the only or the last one.
func (b *builder) kind() ptx.Type {
	return b.in.Types[len(b.in.Types)-1]
}

// types are the types of an instruction that has two: result and operand.
func (b *builder) types() (to, from ptx.Type) {
	return b.in.Types[0], b.in.Types[1]
}

// style reads the modifiers of floating-point operations.
func (b *builder) style() style {
	s := style{ftz: b.in.Has("ftz"), sat: b.in.Has("sat")}
	for _, m := range b.in.Mods {
		if r, ok := roundings[m]; ok {
			s.round = r
		}
	}
	return s
}

// constant is the slot of a value that all lanes read.
func (b *builder) constant(bits uint64) int32 { return b.launchConstant(launchConstant{bits: bits}) }

func (b *builder) launchConstant(k launchConstant) int32 {
	c := b.c
	at, ok := c.consts[k]
	if !ok {
		at = ^int32(len(c.p.consts))
		c.consts[k] = at
		c.p.consts = append(c.p.consts, k)
	}
	return at
}

// value is the slot that an operand of a type is read from.
func (b *builder) value(x ptx.Operand, t ptx.Type) int32 {
	switch x.Kind {
	case ptx.Register:
		if b.f.Regs[x.Reg] == ptx.Pred || x.Not {
			b.fail("%s is a predicate; valid is a register of another type", b.f.Names[x.Reg])
			return 0
		}
		return b.at.slots[x.Reg]
	case ptx.Immediate:
		return b.constant(immediate(x, t))
	case ptx.Special:
		return b.special(ptx.SpecialRegister(x.Imm))
	case ptx.AddressOf:
		return b.addressOf(x.Var, x.Imm)
	}
	b.fail("an operand is not a value")
	return 0
}

// immediate is the bits of a constant in a type.
func immediate(x ptx.Operand, t ptx.Type) uint64 {
	if !x.Float {
		return x.Imm
	}
	f := math.Float64frombits(x.Imm)
	switch t.Size() {
	case 8:
		return x.Imm
	}
	return uint64(math.Float32bits(float32(f)))
}

func (b *builder) special(s ptx.SpecialRegister) int32 {
	b.clock = b.clock || s.IsClock()
	b.place = b.place || s.IsPlace()
	p := b.c.p
	for i, known := range p.specials {
		if known == s {
			return specialSlots + int32(i)
		}
	}
	p.specials = append(p.specials, s)
	return specialSlots + int32(len(p.specials)-1)
}

// addressOf is a variable's address in its own space, as a slot; that of a
// texture reference is its handle.
func (b *builder) addressOf(v *ptx.Var, offset uint64) int32 {
	c := b.c
	switch {
	case v.Texture:
		c.textureIndex(v) // for the launch to bind it
		return b.launchConstant(launchConstant{offset, v})
	case v.Space == ptx.Global || v.Space == ptx.Const:
		return b.launchConstant(launchConstant{offset, v})
	case v.Space == ptx.Shared && v.Bytes == 0:
		if !slices.Contains(c.dynamic, v) {
			c.dynamic = append(c.dynamic, v)
		}
		return b.launchConstant(launchConstant{offset, v})
	case v.Space == ptx.Shared:
		return b.constant(uint64(c.shared.place(v)) + offset)
	case b.isKernelParam(v):
		return b.constant(uint64(c.params.place(v)) + offset)
	}
	return b.constant(uint64(c.local.place(v)) + offset)
}

// isKernelParam tells the kernel's parameters, a block for the whole launch, from
// parameters of calls, which are in local memory.
func (b *builder) isKernelParam(v *ptx.Var) bool { return b.f.Entry && slices.Contains(b.f.Params, v) }

// result is the slot that a register operand is written to.
func (b *builder) result(x ptx.Operand) int32 {
	switch {
	case x.Kind == ptx.Underscore:
		return unwantedSlot
	case x.Kind == ptx.Register && b.f.Regs[x.Reg] != ptx.Pred:
		return b.at.slots[x.Reg]
	}
	b.fail("a result is not a register")
	return unwantedSlot
}

// predicate is a predicate that is read.
func (b *builder) predicate(x ptx.Operand) (p int32, flip uint32) {
	switch {
	case x.Kind == ptx.Register && b.f.Regs[x.Reg] == ptx.Pred:
		p = b.at.slots[x.Reg]
	case x.Kind == ptx.Immediate:
		p = alwaysTrue
		x.Not = x.Not != (x.Imm == 0)
	default:
		b.fail("an operand is not a predicate")
	}
	if x.Not {
		flip = allLanes
	}
	return p, flip
}

// predicateResult is a predicate that is written.
func (b *builder) predicateResult(x ptx.Operand) int32 {
	switch {
	case x.Kind == ptx.Underscore:
		return unwantedPred
	case x.Kind == ptx.Register && b.f.Regs[x.Reg] == ptx.Pred:
		return b.at.slots[x.Reg]
	}
	b.fail("a result is not a predicate")
	return unwantedPred
}

// results are the results of an instruction that may have two, written d|p.
func (b *builder) results() (first ptx.Operand, second *ptx.Operand) {
	d := b.in.Dst[0]
	if d.Kind != ptx.Vector {
		return d, nil
	}
	return d.Elems[0], &d.Elems[1]
}

// operands sets the slots of result and operands, all of one type.
func (b *builder) operands(t ptx.Type) {
	b.o.dst = b.result(b.in.Dst[0])
	b.sources(t, t, t)
}

func (b *builder) sources(types ...ptx.Type) {
	to := [...]*int32{&b.o.a, &b.o.b, &b.o.c}
	for i, x := range b.in.Src {
		if i < len(to) {
			*to[i] = b.value(x, types[min(i, len(types)-1)])
		}
	}
}

func (b *builder) lane1(f func(a uint64) uint64) {
	if f != nil {
		b.o.run, b.o.f1 = lanes1, f
	}
}

func (b *builder) lane2(f func(a, b uint64) uint64) {
	if f != nil {
		b.o.run, b.o.f2 = lanes2, f
	}
}

func (b *builder) lane3(f func(a, b, c uint64) uint64) {
	if f != nil {
		b.o.run, b.o.f3 = lanes3, f
	}
}
