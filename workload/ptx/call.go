package ptx

import "cotenant/workload"

// callSite is a call of a function of the file.
type callSite struct {
	from, to *Func
	line     int // in from's file
}

// call reads call (result), function, (arguments), where either list may be
// missing.
func (p *parser) call(in *Inst) {
	p.uni(in)
	var results, arguments []Operand
	if p.peek().is("(") {
		results = p.callList()
		p.expect(",", "a call")
	}
	name := p.name("a function")
	sym := p.scope.find(name.text)
	if p.accept(",") {
		arguments = p.callList()
	}
	switch {
	case p.err != nil:
		return
	case sym != nil && sym.fn == nil:
		p.fail(name, "call through %v; valid are direct calls of functions", name)
		return
	case sym == nil || sym.fn.Entry:
		p.fail(name, "%v is not a declared .func; valid is a function of this file", name)
		return
	}
	if sym.external && p.replaced(in, sym.fn, results) {
		return
	}
	p.matchVars(name, "arguments", arguments, sym.fn.Params)
	p.matchVars(name, "results", results, sym.fn.Returns)
	in.Dst = results
	in.Src = append([]Operand{{Kind: FuncName, Reg: -1, Func: sym.fn}}, arguments...)
	p.calls = append(p.calls, callSite{p.f, sym.fn, in.Line})
}

// callList reads variables in parentheses.
func (p *parser) callList() []Operand {
	p.expect("(", "a call")
	var list []Operand
	for !p.accept(")") {
		if len(list) > 0 {
			p.expect(",", "a call")
		}
		t := p.peek()
		o := p.operand()
		if p.err == nil && (o.Kind != AddressOf || o.Var.Space != Param || o.Imm != 0) {
			p.fail(t, "%v passed in a call; valid are .param variables", t)
		}
		if p.err != nil {
			return nil
		}
		o.Kind = Address
		list = append(list, o)
	}
	return list
}

// matchVars checks the variables of a call against those of the function.
func (p *parser) matchVars(at token, what string, got []Operand, want []*Var) {
	if len(got) != len(want) {
		p.fail(at, "%d %s; valid are %d, as the declaration of %v says", len(got), what, len(want), at)
		return
	}
	for i, o := range got {
		if o.Var.Bytes != want[i].Bytes {
			p.fail(at, "%s has %d bytes; valid are %d, as the declaration of %v says", o.Var.Name, o.Var.Bytes, want[i].Bytes, at)
		}
	}
}

// replaced turns calls of the functions that the CUDA driver provides into
// what they come to here: a failed assertion is a trap, and printf prints
// nothing and returns 0.
func (p *parser) replaced(in *Inst, f *Func, results []Operand) bool {
	guard, not, line := in.Guard, in.GuardNot, in.Line
	switch f.Name {
	case "__assertfail":
		*in = Inst{Op: "trap"}
	case "vprintf":
		if len(results) == 0 {
			*in = Inst{}
			return true
		}
		*in = Inst{
			Op: "st", Mods: []string{"param", "b32"}, Types: []Type{B32}, Space: Param,
			Src: []Operand{results[0], {Kind: Immediate, Reg: -1}},
		}
	default:
		return false
	}
	in.Guard, in.GuardNot, in.Line = guard, not, line
	in.Vec, in.Target = 1, -1
	return true
}

// checkCalls makes sure that every function called has a body, and that none
// calls itself, directly or through others.
func (l *linker) checkCalls() (fault error) {
	calls := map[*Func][]callSite{}
	defined := map[*Func]bool{}
	for _, f := range l.module.Funcs {
		defined[f] = true
	}
	for _, c := range l.calls {
		if !defined[c.to] {
			return workload.Errorf(c.from.File, c.line, "function %q is called and has no body; valid are functions with one, vprintf and __assertfail",
				clip(c.to.Name))
		}
		calls[c.from] = append(calls[c.from], c)
	}
	done := map[*Func]bool{}
	active := map[*Func]bool{}
	var visit func(f *Func)
	visit = func(f *Func) {
		active[f] = true
		for _, c := range calls[f] {
			if active[c.to] && fault == nil {
				fault = workload.Errorf(c.from.File, c.line, "call of %q is recursive; valid are calls without recursion", clip(c.to.Name))
			}
			if fault != nil {
				return
			}
			if !done[c.to] {
				visit(c.to)
			}
		}
		active[f] = false
		done[f] = true
	}
	for _, f := range l.module.Funcs {
		if fault == nil && !done[f] {
			visit(f)
		}
	}
	return fault
}
