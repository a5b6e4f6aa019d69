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
	f := &Func{Entry: start.is(".entry"), Line: start.line, File: p.file, Source: p.from}
	inside := newScope(p.globals)
	first := p.mark()
	var name token
	f.Fault = p.apart(func() { name = p.head(f, inside) }, p.skipHead)
	if name.kind != wordToken {
		name = p.firstName(first)
	}
	if p.err != nil || name.kind != wordToken {
		p.failBy(f.Fault)
		return
	}
	if f.Name = name.text; f.Fault != nil {
		f.Params, f.Returns = nil, nil
	}
	p.linkage = links
	known := p.known(f.Name, Generic)
	switch {
	case known == nil:
		known = &symbol{fn: f, external: true}
		p.introduce(f.Name, Generic, known)
	case known.fn == nil:
		p.fail(name, "function %s has the name of the variable of %s; valid is a name of its own", name, p.elsewhere(known))
		return
	case f.Fault == nil && known.fn.Fault == nil:
		f.Fault = p.differs(name, f, known)
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
		p.definition(name, f, inside) // which is not used
		return
	}
	// Calls before this point have the declaration's Func.
	known.external, known.weak, known.file = false, links.weak, p.file
	*known.fn = *f
	p.definition(name, known.fn, inside)
	p.module.Funcs = append(p.module.Funcs, known.fn)
}

// head reads a function up to its body, and returns its name.
func (p *parser) head(f *Func, inside *scope) (name token) {
	p.scope = inside
	if p.peek().is("(") {
		f.Returns = p.parameters(f)
	}
	name = p.name("a function")
	if p.peek().is("(") {
		f.Params = p.parameters(f)
	}
	p.performance(f)
	p.scope = p.globals
	return name
}

// differs says how a function differs from its declaration.
func (p *parser) differs(at token, f *Func, symbol *symbol) error {
	declared := symbol.fn
	if f.Entry == declared.Entry && f.accepts(declared) {
		return nil
	}
	return workload.Errorf(p.file, at.line, "function %v is not as %s declares it; valid are parameters of the same sizes", at, p.elsewhere(symbol))
}

// definition reads a function's body, of which nothing remains if there is a
// fault in the function.
func (p *parser) definition(name token, f *Func, inside *scope) {
	vars := len(p.module.Vars)
	read := func() {
		if f.Fault != nil {
			p.failBy(f.Fault)
			return
		}
		p.body(f, inside)
		switch i, r := len(f.Insts), len(f.Regs); {
		case i > maxInsts:
			p.fail(name, "function %s has %d instructions; valid are up to %d", name, i, maxInsts)
		case i*r > maxFlow:
			p.fail(name, "function %s has %d instructions and uses %d registers; valid is a product of up to %d", name, i, r, maxFlow)
		}
	}
	skip := func() bool {
		if p.skipBody() {
			return true
		}
		p.fail(p.peek(), "function %s has no end; valid is \"}\"", f.Name)
		return false
	}
	if fault := p.apart(read, skip); fault != nil {
		f.clear(fault)
		p.module.Vars = slices.Delete(p.module.Vars, vars, len(p.module.Vars))
	}
}

// parameters reads a list of parameters in parentheses.
func (p *parser) parameters(f *Func) []*Var {
	p.expect("(", "a parameter list")
	var vars []*Var
	for p.err == nil && !p.accept(")") {
		if len(vars) > 0 {
			p.expect(",", "a parameter list")
		}
		t := p.next()
		if t.is(".hidden") && f.Entry { // parameters that nvcc adds to those of the program
			t = p.next()
		}
		switch {
		case t.is(".param"):
			v := p.typed(Param)
			name := p.name("a parameter")
			v.Name, v.Line = name.text, name.line
			p.dimensions(v)
			p.declare(v, name, false)
			vars = append(vars, v)
		case t.is(".reg") && !f.Entry:
			vars = append(vars, p.registerParameter())
		case f.Entry:
			p.fail(t, "%v in the parameter list of a kernel; valid is .param", t)
		default:
			p.fail(t, "%v in a parameter list; valid are .param and .reg", t)
		}
	}
	return vars
}

// performance reads the directives between a function's parameters and its body.
// It leaves out directives that only advise the assembler.
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
		case ".reqnctapercluster":
			p.next()
			f.Cluster = p.size(t.text)
		case ".explicitcluster":
			p.next()
			f.ExplicitCluster = true
		case ".maxclusterrank":
			p.next()
			f.MaxCluster = p.count(t.text, 1<<31)
		case ".minnctapersm", ".maxnctapersm", ".maxnreg":
			p.next()
			p.count(t.text, 1<<31)
		case ".pragma":
			p.skipPast(";", t.text)
		case "{", ";":
			return
		default:
			p.failFor(t, t.text, "%v after the parameters of a function; valid are .maxntid, .reqntid, .minnctapersm, "+
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

// branch is an instruction with target labels that are not known yet.
type branch struct {
	inst   int
	target label   // of bra
	list   []label // of brx.idx
}

// body reads a function's body.
func (p *parser) body(f *Func, inside *scope) {
	p.f, p.scope, p.branches = f, inside, nil
	p.takeParameters(inside)
	depth := 0
	for {
		t := p.peek()
		switch {
		case t.kind == endOfFile: // a fault or, if the body has no end, soon one
			p.fail(t, "%v in function %s; valid is \"}\"", t, f.Name)
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
	p.giveResults(&Inst{Line: p.peek().line, Guard: -1})
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
		p.failFor(t, t.text, "%v in a function; valid are .reg, .shared, .local, .param, .global, .const, .loc and .pragma", t)
	}
}

// label notes where a label stands, or what a list of them holds, or a prototype.
func (p *parser) label(t token) {
	if p.accept(".callprototype") {
		p.scope.prototypes[t.text] = p.prototype()
		return
	}
	if p.accept(".calltargets") {
		p.scope.prototypes[t.text] = p.targets()
		return
	}
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
