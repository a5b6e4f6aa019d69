package ptx

import (
	"encoding/binary"

	"cotenant/workload"
)

// Limits that keep a hostile file from exhausting memory.
const (
	// MaxFileBytes bounds a file.
	MaxFileBytes = 8 << 20

	// What adds up over a file is a fault of the file, not of one function.
	maxVarBytes  = 8 << 30 // of a variable, and of all in .global and .const
	maxInitBytes = 1 << 26 // of all initial values
	maxNesting   = 100
	maxRegisters = 1 << 30 // of one range
	maxNamed     = 1 << 15 // registers that a function uses
	maxInsts     = 500_000 // of a function
	// maxFlow bounds instructions times registers of a function: what is found
	// out about its flow takes a bit for each register at each branch.
	maxFlow = 1 << 32
)

// typed reads the attributes and the type of a variable in a space. The
// variable has the size of one element.
func (p *parser) typed(space Space) *Var {
	v := &Var{Space: space}
	vector := 1
	for v.Type == NoType {
		t := p.next()
		switch t.text {
		case ".align":
			v.Align = p.alignment()
		case ".attribute":
			p.skipPast(")", t.text)
		case ".v2":
			vector = 2
		case ".v4":
			vector = 4
		case ".texref":
			v.Type, v.Texture = B64, true
		case ".surfref", ".samplerref":
			v.Type = B64 // a handle; what works on it is no operation here
		default:
			v.Type = NoType
			if t.kind == dottedToken {
				v.Type = declared(t.text[1:])
			}
			if v.Type == NoType || v.Type == Pred {
				p.failFor(t, t.text, "%v in the declaration of a .%v variable; valid are .align, .v2, .v4 and a type: "+
					".b8 to .b64, .u8 to .u64, .s8 to .s64, .f16 to .f64, .texref, .surfref, .samplerref", t, space)
				return v
			}
		}
	}
	// A pointer parameter may say what it points to.
	if p.accept(".ptr") {
		for p.peek().kind == dottedToken {
			if t := p.next(); t.is(".align") {
				p.alignment()
			} else if _, ok := spaceByName[t.text[1:]]; !ok {
				p.fail(t, "%v after .ptr; valid are .align and a state space", t)
			}
		}
	}
	v.Bytes = v.Type.Size() * vector
	if v.Align == 0 {
		v.Align = v.Bytes
	}
	return v
}

func (p *parser) alignment() int {
	t := p.peek()
	n := p.count(".align", 1<<16)
	if n&(n-1) != 0 {
		p.fail(t, ".align is %v; valid is a power of two", t)
	}
	return n
}

// dimensions reads the dimensions of an array, makes v as large, and returns
// them; the first is 0 if it is open.
func (p *parser) dimensions(v *Var) (dims []int) {
	inner := v.Bytes // without the first dimension if it is open
	for p.err == nil && p.peek().is("[") {
		t := p.next()
		n := 0
		if !p.peek().is("]") {
			n = p.count("the size of an array", maxVarBytes)
		}
		p.expect("]", "the size of an array")
		if n > maxVarBytes/inner || n == 0 && len(dims) > 0 {
			p.fail(t, "array %s has an invalid size; valid is up to %d bytes, and only the first dimension may be open",
				v.Name, maxVarBytes)
			return dims
		}
		v.Bytes *= n
		inner *= max(n, 1)
		if dims = append(dims, n); len(dims) > maxNesting {
			p.fail(t, "array %s has more than %d dimensions; valid is less", v.Name, maxNesting)
		}
	}
	return dims
}

// declare adds a variable to the scope. If an announcement of it (extern) came
// before, uses have that one's Var, which takes the definition's content and is
// returned in its place. The result is fresh if it was not in the module yet.
func (p *parser) declare(v *Var, name token, external bool) (declared *Var, fresh bool) {
	known := p.known(v.Name, v.Space)
	switch {
	case known != nil && known.fault != nil && external:
		return v, false // its users have the fault
	case known == nil, known.fault != nil:
		p.introduce(v.Name, v.Space, &symbol{v: v, external: external})
		return v, !external || v.Space == Shared
	case known.v != nil && known.v.Space != v.Space:
		p.fail(name, "declaration of %v in .%v, after one in .%v in %s; valid is one space", name, v.Space, known.v.Space, p.elsewhere(known))
		return v, false
	case known.v != nil && (external || !known.external && known.weak && p.linkage.weak):
		return v, false
	case known.v == nil || !known.external:
		p.fail(name, "second declaration of %v; valid is one of a name", name)
		return v, false
	}
	fresh = known.v.Space != Shared
	known.external, known.weak, known.file = false, p.linkage.weak, p.file
	*known.v = *v
	return known.v, fresh
}

// variables reads the rest of a declaration of variables after the directive
// of their space. What is only announced (extern) is not among the result,
// except for dynamic shared memory, which is never defined elsewhere.
func (p *parser) variables(start token, external bool) []*Var {
	space, ok := spaceByName[start.text[1:]]
	if !ok { // .tex, an old way to write .global .texref
		space = Global
	}
	model := p.typed(space)
	model.Texture = model.Texture || !ok
	var vars []*Var
	for p.err == nil {
		v := *model
		name := p.name("a variable")
		v.Name, v.Line = name.text, name.line
		dims := p.dimensions(&v)
		declared, fresh := p.declare(&v, name, external)
		p.initial(declared, model.Bytes, dims)
		if declared.Bytes == 0 && !external {
			p.fail(name, "array %v has no size; valid is one, except for .extern .shared", name)
		}
		if fresh && p.err == nil {
			vars = append(vars, declared)
			p.place(name, declared)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";", "a declaration")
	return vars
}

// place counts what global memory a variable takes.
func (p *parser) place(name token, v *Var) {
	if v.Space != Global && v.Space != Const {
		return
	}
	if p.varBytes += v.Bytes; p.varBytes > maxVarBytes {
		p.failWhole(workload.Errorf(p.file, name.line,
			"the variables up to %v take more than %d GiB of global memory; valid is less", name, maxVarBytes>>30))
	}
}

// registers reads the rest of a declaration of registers.
func (p *parser) registers() {
	typ := p.registerType()
	for p.err == nil {
		name := p.name("a register")
		if p.accept("<") {
			n := p.count("the number of registers", maxRegisters)
			p.expect(">", "a range of registers")
			p.scope.ranges[name.text] = regRange{typ, uint64(n)}
		} else {
			p.declareRegister(name, typ)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(";", "a declaration of registers")
}

// packedRegisters are registers of types that only instructions have: bits.
var packedRegisters = map[string]Type{"f16x2": B32, "bf16": B16, "bf16x2": B32}

func (p *parser) registerType() Type {
	t := p.next()
	typ := NoType
	if t.kind == dottedToken {
		typ = declared(t.text[1:])
		if typ == NoType {
			typ = packedRegisters[t.text[1:]]
		}
	}
	if typ == NoType {
		p.failFor(t, t.text, "register type %v; valid are .pred, .b8 to .b64, .u8 to .u64, .s8 to .s64, .f16, .f16x2, .bf16, .bf16x2, .f32, .f64", t)
	}
	return typ
}

func (p *parser) declareRegister(name token, typ Type) {
	if p.scope.names[name.text] != nil {
		p.fail(name, "second declaration of %v; valid is one of a name", name)
	}
	p.scope.names[name.text] = &symbol{typ: typ, reg: -1}
}

// initial reads the initial value of a variable, if there is one.
func (p *parser) initial(v *Var, unit int, dims []int) {
	start := p.peek()
	if !p.accept("=") {
		return
	}
	if v.Texture || v.Space != Global && v.Space != Const {
		p.fail(start, "initial value of %s; valid for variables in .global and .const", v.Name)
		return
	}
	open := len(dims) > 0 && dims[0] == 0
	limit := v.Bytes
	if open {
		limit = maxInitBytes
	}
	if limit > maxInitBytes {
		p.fail(start, "initial value of %s, which has %d bytes; valid is up to %d", v.Name, limit, maxInitBytes)
		return
	}
	p.values(v, 0, limit, unit, dims)
	if open {
		inner := unit
		for _, n := range dims[1:] {
			inner *= n
		}
		v.Bytes = (len(v.Init) + inner - 1) / inner * inner
	}
}

// values reads the initial values of the bytes from at to end of a variable: a
// list in braces for an array of the dimensions given or a vector of unit
// bytes, one value otherwise.
func (p *parser) values(v *Var, at, end, unit int, dims []int) {
	element := v.Type.Size()
	t := p.peek()
	if !p.accept("{") {
		p.value(v, at)
		return
	}
	inner := unit
	switch {
	case len(dims) > 0:
		dims = dims[1:]
		for _, n := range dims {
			inner *= n
		}
	case unit > element:
		inner, unit = element, element
	default:
		p.fail(t, "braces around the initial value of one element of %s; valid is a number", v.Name)
		return
	}
	for p.err == nil && !p.accept("}") {
		t := p.peek()
		step := inner
		if !t.is("{") {
			step = element
		}
		if at+step > end {
			p.fail(t, "more initial values than %s has elements; valid is up to its size", v.Name)
			return
		}
		p.values(v, at, at+step, unit, dims)
		at += step
		if !p.peek().is("}") {
			p.expect(",", "a list of initial values")
		}
	}
}

// value reads one initial value, which goes to the bytes from at.
func (p *parser) value(v *Var, at int) {
	t := p.peek()
	n := v.Type.Size()
	var c constant
	generic := false
	if t.kind == wordToken {
		p.next()
		if generic = t.is("generic"); generic {
			p.expect("(", "generic()")
			t = p.name("a variable")
			p.expect(")", "generic()")
		}
		sym := p.scope.find(t.text)
		switch {
		case sym != nil && sym.fault != nil:
			p.failBy(sym.fault)
			return
		case sym != nil && sym.fn != nil && sym.fn.Entry:
			p.fail(t, "%v: %s", t, notModelled(kernelLaunches))
			return
		case sym == nil || sym.v == nil && sym.fn == nil || n != 8:
			p.fail(t, "initial value %v; valid are numbers and, in 64 bits, the address of a variable or function declared before", t)
			return
		case sym.fn != nil:
			c.bits = p.addressOf(sym.fn)
		default:
			p.mustBeDefined(t, sym)
			add := p.offset()
			v.Links = append(v.Links, Link{Offset: at, Var: sym.v, Add: add, Generic: generic})
		}
	} else {
		c = p.constant()
	}
	bits, ok := c.as(v.Type)
	if !ok {
		p.fail(t, "initial value %v of type .%v; valid is a number of that type", t, v.Type)
		return
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	if grow := at + n - len(v.Init); grow > 0 {
		if p.initBytes += grow; p.initBytes > maxInitBytes {
			p.failWhole(workload.Errorf(p.file, t.line, "initial values up to %v take more than %d MiB; valid is less", t, maxInitBytes>>20))
			return
		}
		v.Init = append(v.Init, make([]byte, grow)...)
	}
	copy(v.Init[at:at+n], b[:])
}
