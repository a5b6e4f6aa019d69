package ptx

// A function may take parameters and give results in registers (.reg), and a call
// may pass registers and constants, whichever the function takes. Here all of it
// is parameters in the space Param, with the loads and stores around them that a
// compiler would have written.

// registerParameter reads a parameter after its .reg. It becomes one in the space
// Param, and the register of its name is declared.
func (p *parser) registerParameter() *Var {
	at := p.peek()
	typ := p.registerType()
	if typ == Pred {
		p.fail(at, "parameter of type .pred; valid are registers of the other types")
	}
	name := p.name("a parameter")
	p.declareRegister(name, typ)
	if typ == F16 { // which loads and stores call bits
		typ = B16
	}
	return &Var{Name: name.text, Space: Param, Type: typ, Align: typ.Size(), Bytes: typ.Size(), Line: name.line}
}

// registerOf is the register of a parameter of the function being read; of no
// kind if the parameter is in memory.
func (p *parser) registerOf(v *Var, inside *scope) Operand {
	if sym := inside.names[v.Name]; sym.v == nil {
		return Operand{Kind: Register, Reg: p.register(v.Name, sym)}
	}
	return Operand{Reg: -1}
}

// takeParameters loads the parameters in registers where a body begins, and notes
// the registers of the results.
func (p *parser) takeParameters(inside *scope) {
	for _, v := range p.f.Params {
		if o := p.registerOf(v, inside); o.Kind == Register {
			p.f.Insts = append(p.f.Insts, transfer("ld", &Inst{Line: v.Line, Guard: -1}, v, o))
		}
	}
	p.results = nil
	for _, v := range p.f.Returns {
		p.results = append(p.results, p.registerOf(v, inside))
	}
}

// giveResults stores the results in registers, before a ret or where a body ends.
func (p *parser) giveResults(at *Inst) {
	for i, v := range p.f.Returns {
		if p.results[i].Kind == Register {
			p.f.Insts = append(p.f.Insts, transfer("st", at, v, p.results[i]))
		}
	}
}

// transfer is an instruction beside another one, under its guard, that loads a
// register from a parameter or stores a value there.
func transfer(op string, beside *Inst, v *Var, value Operand) Inst {
	in := Inst{Line: beside.Line, Op: op, Mods: []string{"param", v.Type.String()}, Types: []Type{v.Type}, Space: Param,
		Vec: 1, Guard: beside.Guard, GuardNot: beside.GuardNot, Target: -1}
	address := Operand{Kind: Address, Reg: -1, Var: v}
	value.Type = v.Type
	if op == "ld" {
		in.Dst, in.Src = []Operand{value}, []Operand{address}
	} else {
		in.Src = []Operand{address, value}
	}
	return in
}

// passed makes variables in the space Param of what a call passes for the
// parameters of a function, or takes as its results: values are stored before
// the call, and registers are loaded behind it.
func (p *parser) passed(at token, in *Inst, what string, list []Operand, formals []*Var) []Operand {
	if len(list) != len(formals) {
		p.fail(at, "%d %s; valid are %d, as the declaration of %v says", len(list), what, len(formals), at)
		return nil
	}
	results := what == "results"
	for i := range list {
		o, f := &list[i], formals[i]
		if o.Kind == AddressOf && o.Var.Space == Param && o.Imm == 0 {
			if o.Var.Bytes != f.Bytes {
				p.fail(at, "%s has %d bytes; valid are %d, as the declaration of %v says", o.Var.Name, o.Var.Bytes, f.Bytes, at)
			}
			o.Kind = Address
			continue
		}
		if f.Bytes != f.Type.Size() {
			p.fail(at, "a single value for %s of %v, which has %d bytes; valid is a .param variable", f.Name, at, f.Bytes)
			return nil
		}
		if problem := p.scalar(f.Type, f.Bytes == 1, o, results); problem != "" {
			p.fail(at, "%s for %s of %v", problem, f.Name, at)
			return nil
		}
		v := &Var{Name: f.Name, Space: Param, Type: f.Type, Align: f.Align, Bytes: f.Bytes, Line: in.Line}
		p.f.Vars = append(p.f.Vars, v)
		if results {
			p.behind = append(p.behind, transfer("ld", in, v, *o))
		} else {
			p.f.Insts = append(p.f.Insts, transfer("st", in, v, *o))
		}
		*o = Operand{Kind: Address, Reg: -1, Var: v}
	}
	return list
}
