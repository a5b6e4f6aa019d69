package ptx

import (
	"slices"

	"cotenant/workload"
)

// function reads a function or kernel after its .func or .entry: a declaration
// that ends with a semicolon, or a definition with a body.
func (p *parser) function(start token) {
	links := p.linkage
	p.linkage = linkage{} // of what is inside
	inside := newScope(p.globals)
	p.scope = inside
	f := &Func{Entry: start.is(".entry"), Line: start.line, File: p.file}
	if p.peek().is("(") {
		f.Returns = p.parameters()
	}
	name := p.name("a function")
	f.Name = name.text
	if p.peek().is("(") {
		f.Params = p.parameters()
	}
	p.performance(f)
	p.scope, p.linkage = p.globals, links
	known := p.known(f.Name, Generic)
	switch {
	case p.err != nil:
		return
	case known == nil:
		known = &symbol{fn: f, external: true}
		p.introduce(f.Name, Generic, known)
	case known.fn == nil:
		p.fail(name, "function %s has the name of the variable of %s; valid is a name of its own", name, p.elsewhere(known))
		return
	case !sameSizes(f.Params, known.fn.Params) || !sameSizes(f.Returns, known.fn.Returns):
		p.fail(name, "function %s has other parameters than in %s; valid are the same", name, p.elsewhere(known))
		return
	}
	p.linkage = linkage{}
	if p.accept(";") {
		return
	}
	if !known.external {
		if !known.weak || !links.weak {
			p.fail(name, "second body of function %s, after that of %s; valid is one", name, p.elsewhere(known))
			return
		}
		p.body(f, inside) // which is not used
		return
	}
	// Calls before this point have the declaration's Func.
	known.external, known.weak, known.file = false, links.weak, p.file
	*known.fn = *f
	p.body(known.fn, inside)
	if i, r := len(known.fn.Insts), len(known.fn.Regs); i*r > maxFlow {
		p.fail(name, "function %s has %d instructions and uses %d registers; valid is a product of up to %d", name, i, r, maxFlow)
	}
	p.module.Funcs = append(p.module.Funcs, known.fn)
}

// sameSizes reports whether parameters have the sizes of others.
func sameSizes(a, b []*Var) bool {
	return slices.EqualFunc(a, b, func(a, b *Var) bool { return a.Bytes == b.Bytes })
}

// parameters reads a list of parameters in parentheses.
func (p *parser) parameters() []*Var {
	p.expect("(", "a parameter list")
	var vars []*Var
	for !p.accept(")") {
		if len(vars) > 0 {
			p.expect(",", "a parameter list")
		}
		t := p.next()
		if !t.is(".param") {
			p.fail(t, "%v in a parameter list; valid is .param", t)
			return nil
		}
		v := p.typed(Param)
		name := p.name("a parameter")
		v.Name, v.Line = name.text, name.line
		p.dimensions(v)
		p.declare(v, name, false)
		vars = append(vars, v)
	}
	return vars
}

// performance reads the directives between a function's parameters and its body.
// Those that only advise the assembler are left out.
func (p *parser) performance(f *Func) {
	for {
		switch t := p.peek(); t.text {
		case ".noreturn", ".noinline":
			p.next()
		case ".maxntid":
			p.next()
			size := p.size(t.text)
			f.MaxThreads = size.Count()
		case ".reqntid":
			p.next()
			f.Block = p.size(t.text)
		case ".minnctapersm", ".maxnctapersm", ".maxnreg":
			p.next()
			p.count(t.text, 1<<31)
		case ".pragma":
			p.skipPast(";", t.text)
		case "{", ";":
			return
		default:
			p.fail(t, "%v after the parameters of a function; valid are .maxntid, .reqntid, .minnctapersm, "+
				".maxnctapersm, .maxnreg, .noreturn, .pragma, a body in braces or a semicolon", t)
			return
		}
	}
}

// size reads the size of a thread block: one to three numbers, of which the
// product fits.
func (p *parser) size(what string) workload.Dim3 {
	const most = 1 << 20 // above every limit of a chip
	d := [3]int{1, 1, 1}
	for i := range d {
		if i > 0 && !p.accept(",") {
			break
		}
		d[i] = p.count(what, most)
	}
	return workload.Dim3{X: d[0], Y: d[1], Z: d[2]}
}

// branch is an instruction whose target labels are not known yet.
type branch struct {
	inst   int
	target label   // of bra
	list   []label // of brx.idx
}

// body reads a function's body.
func (p *parser) body(f *Func, inside *scope) {
	p.f, p.scope, p.branches = f, inside, nil
	depth := 0
	for {
		t := p.peek()
		switch {
		case t.kind == endOfFile:
			p.fail(t, "function %s has no end; valid is \"}\"", f.Name)
			return
		case p.accept("{"):
			// The first pair of braces shares the scope of the parameters.
			if depth++; depth > 1 {
				p.scope = newScope(p.scope)
			}
			if depth > maxNesting {
				p.fail(t, "braces are nested more than %d deep; valid is less", maxNesting)
				return
			}
		case p.accept("}"):
			if depth--; depth > 0 {
				p.scope = p.scope.parent
			}
		default:
			p.statement()
		}
		if depth == 0 {
			break
		}
	}
	p.scope = p.globals
	p.resolve()
}

// statement reads a declaration, a label or an instruction.
func (p *parser) statement() {
	if p.debugging() || p.accept(";") {
		return
	}
	t := p.peek()
	switch {
	case t.kind == dottedToken:
		p.next()
		p.local(t)
	case t.kind == wordToken && p.peekAfter().is(":"):
		p.next()
		p.next()
		p.label(t)
	case t.kind == wordToken || t.is("@"):
		p.instruction()
	default:
		p.fail(t, "%v in a function; valid is a declaration, a label or an instruction", t)
	}
}

// local reads a declaration in a function, after its directive t.
func (p *parser) local(t token) {
	switch t.text {
	case ".reg":
		p.registers()
	case ".shared", ".local", ".param":
		p.f.Vars = append(p.f.Vars, p.variables(t, false)...)
	case ".global", ".const":
		p.module.Vars = append(p.module.Vars, p.variables(t, false)...)
	default:
		p.fail(t, "%v in a function; valid are .reg, .shared, .local, .param, .global, .const, .loc and .pragma", t)
	}
}

// label notes where a label stands, or what a list of them holds.
func (p *parser) label(t token) {
	if p.accept(".branchtargets") {
		var list []label
		for {
			list = append(list, label{p.name("a branch target"), p.scope})
			if !p.accept(",") {
				break
			}
		}
		p.expect(";", "a list of branch targets")
		p.scope.lists[t.text] = list
		return
	}
	if _, twice := p.scope.labels[t.text]; twice {
		p.fail(t, "second label %v; valid is one of a name", t)
		return
	}
	p.scope.labels[t.text] = len(p.f.Insts)
}

// resolve turns labels into indices of instructions.
func (p *parser) resolve() {
	at := func(l label) int {
		i, ok := l.find()
		if !ok {
			p.fail(l.name, "no label %v in function %s; valid is a label that the function has", l.name, p.f.Name)
		}
		return i
	}
	for _, b := range p.branches {
		in := &p.f.Insts[b.inst]
		if b.list == nil {
			in.Target = at(b.target)
			continue
		}
		for _, l := range b.list {
			in.Targets = append(in.Targets, at(l))
		}
	}
}
