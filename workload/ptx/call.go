package ptx

import "cotenant/workload"

// callSite is a call of a function of the file.
type callSite struct {
	from, to *Func
	line     int // in from's file
}

// call reads call (result), function, (arguments), where either list may be
// missing, or call (result), register, (arguments), prototype.
func (p *parser) call(in *Inst) {
	var results, arguments []Operand
	if p.peek().is("(") {
		results = p.callList()
		p.expect(",", "a call")
	}
	name := p.name("a function")
	sym := p.scope.find(name.text)
	more := p.accept(",")
	if more && p.peek().is("(") {
		arguments = p.callList()
		more = p.accept(",")
	}
	switch {
	case p.err != nil:
		return
	case more:
		p.throughPointer(name, in, results, arguments)
		return
	case sym != nil && sym.fault != nil:
		p.failBy(sym.fault)
		return
	case sym == nil || sym.fn == nil || sym.fn.Entry:
		p.fail(name, "%v is not a declared .func; valid is a function of this file", name)
		return
	case sym.fn.Fault != nil:
		p.failBy(sym.fn.Fault)
		return
	}
	if sym.external && p.replaced(name, in, sym.fn, results, arguments) {
		return
	}
	arguments = p.passed(name, in, "arguments", arguments, sym.fn.Params)
	in.Dst = p.passed(name, in, "results", results, sym.fn.Returns)
	in.Src = append([]Operand{{Kind: FuncName, Reg: -1, Func: sym.fn}}, arguments...)
	p.calls = append(p.calls, callSite{p.f, sym.fn, in.Line})
}

// callList reads operands in parentheses.
func (p *parser) callList() []Operand {
	p.expect("(", "a call")
	var list []Operand
	for p.err == nil && !p.accept(")") {
		if len(list) > 0 {
			p.expect(",", "a call")
		}
		list = append(list, p.operand())
	}
	return list
}

// replaced turns calls of the functions that the CUDA driver provides into
// what they come to here: a failed assertion is a trap, and printf a store of its
// result, 0, which prints.
func (p *parser) replaced(name token, in *Inst, f *Func, results, arguments []Operand) bool {
	guard, not, line := in.Guard, in.GuardNot, in.Line
	switch f.Name {
	case "__assertfail", "__assert_fail": // nvcc's and the C library's
		arguments = p.passed(name, in, "arguments", arguments, f.Params)
		*in = Inst{Op: "trap"}
		if p.err == nil && len(arguments) >= 4 {
			in.Asserts = &Assertion{arguments[0].Var, arguments[1].Var, arguments[2].Var, arguments[3].Var}
		}
	case "vprintf":
		if len(results) == 0 {
			*in = Inst{}
			return true
		}
		arguments = p.passed(name, in, "arguments", arguments, f.Params)
		results = p.passed(name, in, "results", results, f.Returns)
		if p.err != nil {
			return true
		}
		*in = transfer("st", in, results[0].Var, Operand{Kind: Immediate, Reg: -1})
		if len(arguments) == 2 {
			in.Prints = &Print{Format: arguments[0].Var, Values: arguments[1].Var}
		}
	default:
		return false
	}
	in.Guard, in.GuardNot, in.Line = guard, not, line
	in.Vec, in.Target = 1, -1
	return true
}

// checkCalls finds calls of functions that have no body, which are faults of the callers, and the functions that
// may call themselves.
func (l *linker) checkCalls() {
	calls := map[*Func][]*Func{}
	fault := func(c callSite, format string, args ...any) {
		if c.from.Fault == nil {
			c.from.clear(workload.Errorf(c.from.File, c.line, format, args...))
		}
	}
	for _, c := range l.calls {
		if l.defined[c.to] {
			calls[c.from] = append(calls[c.from], c.to)
			continue
		}
		if c.from.Fault != nil { // that of an earlier call
			continue
		}
		name := clip(c.to.Name)
		if feature := featureOf(c.to.Name + "()"); feature != "" {
			fault(c, "call of %q: %s", name, notModelled(feature))
		} else {
			fault(c, "function %q is called and has no body; valid are functions with one, vprintf, __assertfail and __assert_fail", name)
		}
	}
	l.findCycles(calls)
}

// clear leaves nothing of a function but its fault.
func (f *Func) clear(fault error) {
	f.Fault, f.Vars, f.Regs, f.Names, f.Insts = fault, nil, nil, nil, nil
}

// alias says that a function's name stands for another function.
type alias struct {
	name, target token
	file         string
	from, to     *symbol // what they are, once the file has been read
}

// alias reads .alias name, function;
func (p *parser) alias() {
	a := alias{name: p.name("an alias"), file: p.file}
	p.expect(",", "an alias")
	a.target = p.name("a function")
	p.expect(";", "an alias")
	p.aliases = append(p.aliases, a)
}

// noAlias is what is wrong with a name that is no alias.
const noAlias = "alias %v; valid is a .func that is declared and has no body"

// noteAliases finds out what the file's aliases are, which stand behind what
// calls them.
func (p *parser) noteAliases() {
	for i := range p.aliases {
		a := &p.aliases[i]
		a.from, a.to = p.globals.names[a.name.text], p.globals.names[a.target.text]
		switch {
		case a.from == nil || a.from.fn == nil || a.from.fn.Entry || !a.from.external:
			p.fail(a.name, noAlias, a.name)
			return
		case a.to == nil || a.to.fn == nil || a.to.fn.Entry || a.to.external:
			p.fail(a.target, "alias of %v; valid is a .func with a body", a.target)
			return
		}
		if a.to.fn.Fault == nil && a.from.fn.Fault == nil {
			if fault := p.differs(a.name, a.to.fn, a.from); fault != nil {
				p.failBy(fault)
				return
			}
		}
	}
	p.linked = append(p.linked, p.aliases...)
}

// resolveAliases has calls of aliases, also from other files, be calls of the
// functions that they name.
func (l *linker) resolveAliases() error {
	target := map[*Func]*Func{}
	for _, a := range l.linked {
		switch {
		case !a.from.external: // another file has a body
			return workload.Errorf(a.file, a.name.line, noAlias, a.name)
		case target[a.from.fn] != nil:
			return workload.Errorf(a.file, a.name.line, "second alias %v; valid is one of a name", a.name)
		}
		target[a.from.fn] = a.to.fn
	}
	if len(target) == 0 {
		return nil
	}
	for i, f := range l.pointed {
		if to := target[f]; to != nil {
			l.pointed[i] = to
		}
	}
	for i, c := range l.calls {
		if to := target[c.to]; to != nil {
			l.calls[i].to = to
		}
	}
	for _, f := range l.module.Funcs {
		for i := range f.Insts {
			if in := &f.Insts[i]; in.Op == "call" && target[in.Src[0].Func] != nil {
				in.Src[0].Func = target[in.Src[0].Func]
			}
		}
	}
	return nil
}
