package ptx

import (
	"fmt"

	"cotenant/workload"
)

// fits says why a form of an instruction cannot have these operands; "" if it
// can.
func (p *parser) fits(in *Inst, f *pattern, operands []Operand) (problem string) {
	most := len(f.dst) + len(f.src)
	least := most
	if n := len(f.src); n > 0 && f.src[n-1].optional {
		least--
	}
	if n := len(operands); n < least || n > most {
		if least < most {
			return fmt.Sprintf("%s; valid are %d or %d", workload.Count(n, "operand"), least, most)
		}
		return fmt.Sprintf("%s; valid are %d", workload.Count(n, "operand"), most)
	}
	if problem = in.vectorProblem(); problem != "" {
		return problem
	}
	vectors := 0
	for i := range operands {
		o, written := &operands[i], i < len(f.dst)
		var a argPattern
		if written {
			a = f.dst[i]
		} else {
			a = f.src[i-len(f.dst)]
		}
		if a.kind == 'm' && o.Kind == Vector {
			vectors++
		}
		if problem = p.argument(in, a, o, written); problem == "" && vectors > 1 {
			problem = "vectors on both sides; valid is one"
		}
		if problem != "" {
			return fmt.Sprintf("operand %d: %s", i+1, problem)
		}
	}
	return ""
}

// vectorProblem says why an instruction's vectors are too large.
func (in *Inst) vectorProblem() string {
	switch bytes := in.Vec * in.size(); {
	case bytes > 16 && !in.isHalved():
		return fmt.Sprintf("vector of %d bytes; valid are up to 16, and 32 as .v8 of 32 bits or .v4 of 64 bits in global memory", bytes)
	case in.Vec == 8 && bytes <= 16 && in.Op != "atom" && in.Op != "red":
		return fmt.Sprintf("vector of 8 elements of type .%v; valid are 2 and 4", in.Types[0])
	}
	return ""
}

// size is that of the instruction's first type.
func (in *Inst) size() int {
	if len(in.Types) == 0 {
		return 0
	}
	return in.Types[0].Size()
}

// argument says what keeps an operand from being what an instruction takes at
// a place.
func (p *parser) argument(in *Inst, a argPattern, o *Operand, written bool) (problem string) {
	if o.Not && !a.not {
		return "! is not supported here; valid is a predicate without it"
	}
	if a.pair && o.Kind == Vector && len(o.Elems) == 2 {
		if problem := p.scalar(Pred, false, &o.Elems[1], true); problem != "" {
			return problem
		}
		o = &o.Elems[0]
	}
	switch a.kind {
	case '1':
		return p.scalar(in.Types[0], a.loose, o, written)
	case '2':
		return p.scalar(in.Types[1], a.loose, o, written)
	case 'w':
		return p.scalar(wide(in.Types[0]), false, o, written)
	case 'u':
		return p.scalar(U32, false, o, written)
	case 'h':
		return p.scalar(U16, false, o, written)
	case 'f':
		return p.scalar(F32, false, o, written)
	case 'l':
		return p.scalar(U64, false, o, written)
	case 'p':
		return p.scalar(Pred, false, o, written) // also a constant: 0 is false
	case 'm':
		return p.moved(in, o, written)
	case 'v':
		return p.elements(in.Types[0], in.Vec, o, written)
	case 'r':
		return p.elements(B32, in.Vec, o, written)
	case '{':
		return p.group(a, o, written)
	case 'c':
		valid := o.Imm == 16 || (o.Imm == 4 || o.Imm == 8) && in.Has("ca")
		if o.Kind != Immediate || o.Float || !valid {
			return "not a number of bytes; valid are 16 and, with .ca, 4 and 8"
		}
		return ""
	case 'a', 's', 'g':
		if len(o.Elems) > 0 {
			return "coordinates in an address; valid with tex and tensor maps only"
		}
		space := in.Space
		switch a.kind {
		case 's':
			space = Shared
		case 'g':
			space = Global
		}
		return p.addressed(in, space, o)
	case 't':
		return p.box(in, o)
	case 'x':
		return p.texture(in, o)
	case '+', 'b':
		other := map[byte]int64{'+': -1, 'b': 0}[a.kind]
		if v := int64(o.Imm); o.Kind != Immediate || o.Float || v != 1 && v != other {
			return fmt.Sprintf("not a constant that is due; valid are 1 and %d", other)
		}
		return ""
	default: // 'n'
		if o.Kind != Immediate || o.Float {
			return "not an integer constant; valid is one"
		}
		return ""
	}
}

// wide is the type of twice the size.
func wide(t Type) Type {
	switch t {
	case U16:
		return U32
	case S16:
		return S32
	case U32:
		return U64
	}
	return S64
}

// scalar says what keeps an operand from being a value of a type, or from
// taking one if it is written. It notes the type in the operand.
func (p *parser) scalar(t Type, loose bool, o *Operand, written bool) string {
	o.Type = t
	if written && o.Kind != Register && o.Kind != Underscore {
		return "not a register; valid is a register to write to"
	}
	switch o.Kind {
	case Register:
		return p.compatible(t, p.f.Regs[o.Reg], loose, "register "+p.f.Names[o.Reg])
	case Special:
		s := SpecialRegister(o.Imm)
		return p.compatible(t, s.Type(), loose, "register "+s.String())
	case Immediate:
		if _, ok := (constant{o.Imm, o.Float}).as(t); !ok {
			if o.Float {
				return fmt.Sprintf("floating-point constant as .%v; valid is an integer", t)
			}
			return fmt.Sprintf("integer constant as .%v; valid is a floating-point one, such as 1.0 or 0f3F800000", t)
		}
		return ""
	case AddressOf:
		// Only global memory has addresses that need 64 bits.
		if t.IsFloat() || t.Size() != 8 && (t.Size() != 4 || o.Var.Space == Global) {
			return fmt.Sprintf("address of .%v variable %s as .%v; valid is a 64-bit integer", o.Var.Space, o.Var.Name, t)
		}
		return ""
	case Underscore:
		if written {
			return ""
		}
	}
	return "not a single value; valid are a register and a constant"
}

// compatible says what keeps a register of type have from serving as want.
func (p *parser) compatible(want, have Type, loose bool, name string) string {
	wider := loose && have.Size() > want.Size() && !want.IsFloat() && !have.IsFloat()
	same := want.Size() == have.Size() && (want == Pred) == (have == Pred) &&
		(want.isBits() || have.isBits() || want.IsFloat() == have.IsFloat())
	if wider || same {
		return ""
	}
	return fmt.Sprintf("%s is .%v; valid is a register of the size and kind of .%v", name, have, want)
}

// moved checks an operand of mov, which may be a vector of parts.
func (p *parser) moved(in *Inst, o *Operand, written bool) string {
	t := in.Types[0]
	if o.Kind != Vector {
		return p.scalar(t, false, o, written)
	}
	n := len(o.Elems)
	part := map[int]Type{1: B8, 2: B16, 4: B32}[t.Size()/n]
	if !t.isBits() || part == NoType || t.Size()%n != 0 || n == 1 {
		return fmt.Sprintf("vector of %d elements as .%v; valid are 2 or 4 parts of .b16, .b32 or .b64", n, t)
	}
	return p.each(part, false, o, written)
}

// elements checks the data of a load or store.
func (p *parser) elements(t Type, n int, o *Operand, written bool) string {
	if n == 1 && o.Kind == Vector && len(o.Elems) == 1 && !o.Elems[0].Not { // as Triton writes a single value
		*o = o.Elems[0]
	}
	if n == 1 {
		return p.scalar(t, true, o, written)
	}
	if o.Kind != Vector || len(o.Elems) != n {
		return fmt.Sprintf("not a vector of %d; valid is {...} with %d elements", n, n)
	}
	return p.each(t, true, o, written)
}

// group checks registers in braces, which a single one may lack.
func (p *parser) group(a argPattern, o *Operand, written bool) string {
	switch {
	case o.Kind != Vector && a.count == 1:
		return p.scalar(a.typ, false, o, written)
	case o.Kind != Vector || len(o.Elems) != a.count:
		return fmt.Sprintf("not a vector of %d; valid is {...} with %s", a.count, workload.Count(a.count, "element"))
	}
	return p.each(a.typ, false, o, written)
}

func (p *parser) each(t Type, loose bool, o *Operand, written bool) string {
	for i := range o.Elems {
		e := &o.Elems[i]
		if e.Not {
			return "! in a vector; valid are registers and constants"
		}
		if problem := p.scalar(t, loose, e, written); problem != "" {
			return problem
		}
	}
	return ""
}

// addressed checks an address against the instruction's space.
func (p *parser) addressed(in *Inst, space Space, o *Operand) string {
	switch {
	case o.Kind != Address:
		return "not an address; valid is [register+offset] or [variable+offset]"
	case o.Reg >= 0:
		t := p.f.Regs[o.Reg]
		narrow := space != Generic && space != Global
		if t == Pred || t.IsFloat() || t.Size() != 8 && (t.Size() != 4 || !narrow) {
			return fmt.Sprintf("register %s is .%v; valid is a 64-bit integer", p.f.Names[o.Reg], t)
		}
	case o.Var != nil:
		s := o.Var.Space
		if in.Op == "cvta" || s == space || s == Global && space == Generic {
			return ""
		}
		return fmt.Sprintf("variable %s is in .%v; valid is %s.%v", o.Var.Name, s, in.Op, s)
	}
	return ""
}

// box checks [tensor map, {coordinates}].
func (p *parser) box(in *Inst, o *Operand) string {
	if o.Kind != Address {
		return "not a tensor map; valid is [address, {coordinates}]"
	}
	if o.Var == nil && o.Reg < 0 || o.Reg >= 0 && p.f.Regs[o.Reg].Size() != 8 {
		return "not the address of a tensor map; valid is a 64-bit register or a variable"
	}
	rank := 0
	for _, mod := range in.Mods {
		if len(mod) == 2 && mod[1] == 'd' {
			rank = int(mod[0] - '0')
		}
	}
	if len(o.Elems) != rank {
		return fmt.Sprintf("%s; valid are %d for %dd", workload.Count(len(o.Elems), "coordinate"), rank, rank)
	}
	return p.each(S32, false, o, false)
}

// TextureShape is the shape of a tex, such as 2d: behind .level and .grad, which choose among the levels of a
// texture and so change nothing of one with a single level.
func (i *Inst) TextureShape() string {
	if m := i.Mods[0]; m != "level" && m != "grad" {
		return m
	}
	return i.Mods[1]
}

// texture checks [texture, {coordinates}].
func (p *parser) texture(in *Inst, o *Operand) string {
	if o.Kind != Address || o.Imm != 0 {
		return "not a texture; valid is [texture, {coordinates}]"
	}
	switch {
	case o.Var != nil && !o.Var.Texture:
		return fmt.Sprintf("variable %s is no texture; valid is a .texref", o.Var.Name)
	case o.Var == nil && (o.Reg < 0 || p.f.Regs[o.Reg].Size() != 8):
		return "not a texture; valid is a .texref or a 64-bit handle"
	}
	shape := in.TextureShape()
	coordinates := map[string]int{"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4}[shape]
	if len(o.Elems) != coordinates {
		return fmt.Sprintf("%s; valid are %d for %s", workload.Count(len(o.Elems), "coordinate"), coordinates, shape)
	}
	if shape[0] == 'a' {
		if problem := p.scalar(U32, false, &o.Elems[0], false); problem != "" {
			return problem
		}
		return p.each(in.Types[1], false, &Operand{Elems: o.Elems[1:]}, false)
	}
	return p.each(in.Types[1], false, o, false)
}
