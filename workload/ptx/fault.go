package ptx

import "iter"

// A fault in a function or variable leaves the rest of the file as it is: the
// parser notes the fault and goes on behind. The file of a library often has
// kernels for tensor cores or in half precision that a program never launches.

// apart has read take a part of the file and returns the first fault in it, if
// that is not the whole file's. Then skip takes the part instead. If it cannot
// tell where the part ends, or read went on behind that, the fault is the file's:
// parts must not overlap, or much text would be read again and again.
func (p *parser) apart(read func(), skip func() bool) (fault error) {
	start := p.mark()
	read()
	if p.err == nil || p.whole {
		return nil
	}
	fault = p.err
	p.err, p.inside, p.scope = nil, false, p.globals
	p.reset(start)
	// The token at the end of a part may itself be the fault.
	if reached := p.reached; !skip() || p.peekAfter().pos < reached {
		p.failBy(fault)
	}
	return fault
}

// skipTo stands the parser before the first of some tokens that is not in
// parentheses or braces; false if there is none.
func (p *parser) skipTo(ends ...string) bool {
	depth := 0
	for p.peek().kind != endOfFile {
		t := p.peek()
		for _, end := range ends {
			if depth == 0 && t.is(end) {
				return true
			}
		}
		switch t.text {
		case "(", "{":
			depth++
		case ")", "}":
			depth--
		case ".pragma": // has a semicolon of its own
			p.skipPast(";", t.text)
			continue
		}
		p.next()
	}
	return false
}

// skipHead skips a function up to its body or the semicolon in its place.
func (p *parser) skipHead() bool { return p.skipTo("{", ";") }

// skipDeclaration skips a declaration of variables.
func (p *parser) skipDeclaration() bool { return p.skipTo(";") && p.accept(";") }

// skipBody skips a body in braces.
func (p *parser) skipBody() bool {
	for depth := 0; p.peek().kind != endOfFile; {
		switch t := p.next(); {
		case t.is("{"):
			depth++
		case t.is("}"):
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}

// names goes through the names that a part declares, from a place to where the
// parser stands: the first name that is not in brackets, and each behind a comma
// that is not.
func (p *parser) names(from mark) iter.Seq[token] {
	return func(yield func(token) bool) {
		end := p.mark()
		defer p.reset(end)
		p.reset(from)
		due := true
		for depth := 0; p.peek().pos < end.now.pos; {
			switch t := p.next(); {
			case t.is("("), t.is("["), t.is("{"):
				depth++
			case t.is(")"), t.is("]"), t.is("}"):
				depth--
			case depth != 0:
			case t.is(","):
				due = true
			case t.kind == wordToken && due:
				if due = false; !yield(t) {
					return
				}
			}
		}
	}
}

// firstName is the first of names, as that of a function is.
func (p *parser) firstName(from mark) (name token) {
	for name = range p.names(from) {
		break
	}
	return name
}

// moduleVariables reads variables of the module after the directive of their
// space. If there is a fault, it is that of the functions that use the names.
func (p *parser) moduleVariables(start token) {
	first, links := p.mark(), p.linkage
	var vars []*Var
	fault := p.apart(func() { vars = p.variables(start, links.external) }, p.skipDeclaration)
	switch {
	case p.err != nil:
		return
	case fault == nil:
		p.module.Vars = append(p.module.Vars, vars...)
		return
	}
	named := false
	p.linkage = links
	for name := range p.names(first) {
		named = true
		space := spaceByName[start.text[1:]]
		p.introduce(name.text, space, &symbol{v: &Var{Name: name.text, Line: name.line, Space: space}, fault: fault})
	}
	if !named {
		p.failBy(fault)
	}
}
