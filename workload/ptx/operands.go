package ptx

import "strings"

// operand reads one operand of an instruction other than call and branches.
func (p *parser) operand() Operand {
	t := p.peek()
	switch {
	case t.is("{"):
		return p.vector()
	case t.is("["):
		return p.address()
	case t.is("!"):
		p.next()
		o := p.named(p.name("a predicate"))
		o.Not = true
		return o
	case t.kind == wordToken && t.text != "WARP_SZ":
		p.next()
		o := p.named(t)
		if p.accept("|") {
			o = Operand{Kind: Vector, Reg: -1, Elems: []Operand{o, p.named(p.name("a predicate"))}}
		}
		return o
	}
	c := p.constant()
	return Operand{Kind: Immediate, Reg: -1, Imm: c.bits, Float: c.float}
}

// named is the operand that a name stands for: a register, a special register,
// or the address of a variable with the offset that follows.
func (p *parser) named(t token) Operand {
	none := Operand{Reg: -1}
	if t.text == "_" {
		return Operand{Kind: Underscore, Reg: -1}
	}
	sym := p.scope.find(t.text)
	component := p.peek().kind == dottedToken
	if isSpecial(t.text) && (sym == nil || component) {
		name := t.text
		if component {
			name += p.next().text
		}
		s, ok := specialByName[name]
		if !ok {
			p.fail(t, "special register %q; valid are %s", clip(name), specialList())
		}
		return Operand{Kind: Special, Reg: -1, Imm: uint64(s)}
	}
	switch {
	case sym != nil && sym.fault != nil:
		p.failBy(sym.fault)
	case sym == nil && strings.HasPrefix(t.text, "%"):
		p.failFor(t, t.text, "no register %v is declared; valid are declared registers and special ones such as %%tid.x", t)
	case sym == nil:
		p.fail(t, "no %v is declared; valid are declared registers and variables", t)
	case sym.fn != nil && sym.fn.Entry:
		p.fail(t, "%s", notModelled(kernelLaunches))
	case sym.fn != nil:
		return Operand{Kind: Immediate, Reg: -1, Imm: p.addressOf(sym.fn)}
	case sym.v != nil:
		p.mustBeDefined(t, sym)
		return Operand{Kind: AddressOf, Reg: -1, Var: sym.v, Imm: uint64(p.offset())}
	default:
		return Operand{Kind: Register, Reg: p.register(t.text, sym)}
	}
	return none
}

func (p *parser) mustBeDefined(t token, sym *symbol) {
	if sym.external && sym.v.Space != Shared {
		fault := p.fault(t, "%v is .extern and not defined in this file or another that is linked; valid are variables that are", t)
		by := p.f
		if p.scope == p.globals {
			by = nil
		}
		p.uses = append(p.uses, use{sym, by, fault})
	}
}

// register is the number of a register, which it gets at its first use.
func (p *parser) register(name string, sym *symbol) int {
	if sym.reg < 0 {
		sym.reg = len(p.f.Regs)
		p.f.Regs = append(p.f.Regs, sym.typ)
		p.f.Names = append(p.f.Names, name)
		if len(p.f.Regs) > maxNamed {
			p.fail(p.peek(), "function %s uses more than %d registers; valid is less", p.f.Name, maxNamed)
		}
	}
	return sym.reg
}

// maxElements is how many registers the largest operand has, D of wgmma of 256 columns.
const maxElements = 128

// vector reads {a, b, ...}.
func (p *parser) vector() Operand {
	v := Operand{Kind: Vector, Reg: -1}
	start := p.next()
	for {
		t := p.peek()
		if t.is("{") || t.is("[") {
			p.fail(t, "%v inside a vector; valid are registers and constants", t)
			break
		}
		v.Elems = append(v.Elems, p.operand())
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "a vector")
	if len(v.Elems) > maxElements {
		p.fail(start, "vector of %d elements; valid are 1 to %d", len(v.Elems), maxElements)
	}
	return v
}

// address reads [register+offset], [variable+offset] or [constant]; for tex it
// is followed by the coordinates, which become the Elems of the result.
func (p *parser) address() Operand {
	p.next()
	a := Operand{Kind: Address, Reg: -1}
	if t := p.peek(); t.kind == wordToken {
		p.next()
		o := p.named(t)
		switch o.Kind {
		case Register:
			a.Reg, a.Imm = o.Reg, uint64(p.offset())
		case AddressOf:
			a.Var, a.Imm = o.Var, o.Imm
		default:
			p.fail(t, "%v in an address; valid are a register, a variable or a constant", t)
		}
	} else {
		c := p.constant()
		if c.float {
			p.fail(t, "%v in an address; valid are a register, a variable or an integer", t)
		}
		a.Imm = c.bits
	}
	if p.accept(",") {
		if t := p.peek(); t.is("[") {
			p.fail(t, "%v where coordinates are due; valid are registers, in braces", t)
		}
		coordinates := p.operand()
		a.Elems = coordinates.Elems
		if coordinates.Kind != Vector {
			a.Elems = []Operand{coordinates}
		}
	}
	p.expect("]", "an address")
	return a
}
