package ptx

import (
	"fmt"

	"cotenant/workload"
)

// Parse reads PTX text. The error, a *workload.InputError with the line, is what
// keeps the file from being taken apart into variables and functions. What of
// them the emulator cannot run is the Fault of the functions concerned, and no
// matter to kernels that do not call these.
func Parse(file string, text []byte) (*Module, error) { return ParseWith(Library{}, File{file, text}) }

// parser reads one file. After the first error it stands at the end of the
// file, so that every loop over tokens ends; fault.go says how it goes on.
type parser struct {
	file   string
	source string
	from   *Source // of what is read
	lexer  lexer
	// now is the next token, after the one behind it: a file has many.
	now, after token

	err error
	// whole says that err is the whole file's, whatever part it is in.
	whole bool
	// reached is where the parser stood when err came up.
	reached int

	globals *scope
	scope   *scope
	aliases []alias
	*linker
	// linkage is that of the declaration being read, of the module.
	linkage linkage

	// Of the instruction being read, if inside says that there is one.
	inside bool
	start  token
	behind []Inst // instructions to come after it

	// Of the function being read.
	f        *Func
	branches []branch
	results  []Operand // the registers of its results; of no kind for results in memory
}

func (p *parser) fail(at token, format string, args ...any) {
	var fault error
	if p.err == nil {
		fault = p.fault(at, format, args...)
	}
	p.failBy(fault)
}

// failBy is fail with a fault that is known already.
func (p *parser) failBy(fault error) {
	if p.err == nil {
		p.err, p.reached = fault, p.now.pos
	}
	p.end()
}

// failWhole is failBy with a fault that is the whole file's.
func (p *parser) failWhole(fault error) {
	p.whole = p.whole || p.err == nil
	p.failBy(fault)
}

// end leaves out the rest of the file.
func (p *parser) end() {
	p.lexer.pos = len(p.source)
	p.now = token{kind: endOfFile, line: p.lexer.line, pos: p.lexer.pos}
	p.after = p.now
}

// fault makes an error.
func (p *parser) fault(at token, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if p.inside {
		msg = fmt.Sprintf("instruction %q: %s", p.statementText(), msg)
	}
	return workload.Errorf(p.file, at.line, "%s", msg)
}

// read takes a token from the lexer.
func (p *parser) read() token {
	t, err := p.lexer.next()
	if err != nil {
		p.failWhole(err)
		return p.now
	}
	return t
}

// mark is a place between two tokens, to go back to.
type mark struct {
	lexer      lexer
	now, after token
}

func (p *parser) mark() mark { return mark{p.lexer, p.now, p.after} }

func (p *parser) reset(to mark) { p.lexer, p.now, p.after = to.lexer, to.now, to.after }

func (p *parser) peek() token { return p.now }

func (p *parser) peekAfter() token { return p.after }

func (p *parser) next() token {
	t := p.now
	p.now = p.after
	p.after = p.read()
	return t
}

// accept takes the next token if it is text.
func (p *parser) accept(text string) bool {
	if p.peek().is(text) {
		p.next()
		return true
	}
	return false
}

// expect takes the next token, which must be text.
func (p *parser) expect(text, where string) {
	if t := p.peek(); !p.accept(text) {
		p.fail(t, "%v in %s; valid is %q", t, where, text)
	}
}

// name takes a name.
func (p *parser) name(what string) token {
	t := p.next()
	if t.kind != wordToken {
		p.fail(t, "%v where %s is named; valid is a name", t, what)
	}
	return t
}

// count takes a plain number from 1 to most.
func (p *parser) count(what string, most int64) int {
	t := p.peek()
	v := p.constant()
	if n := int64(v.bits); p.err == nil && (v.float || n < 1 || n > most) {
		p.fail(t, "%s is %v; valid is 1 to %d", what, t, most)
	}
	return int(v.bits)
}

// skipPast leaves out everything up to and including text.
func (p *parser) skipPast(text, what string) {
	start := p.peek()
	for !p.accept(text) {
		if p.next().kind == endOfFile {
			p.fail(start, "%s has no end; valid is %q", what, text)
			return
		}
	}
}

// debugging leaves out a directive that serves debuggers or is advice to the
// assembler, and reports whether there was one.
func (p *parser) debugging() bool {
	switch t := p.peek(); t.text {
	case ".loc", ".file":
		p.lineTable(t)
	case ".section":
		p.skipPast("{", t.text)
		p.skipPast("}", t.text)
	case ".pragma":
		p.skipPast(";", t.text)
	default:
		return false
	}
	return true
}

// topLevel reads a directive of the module.
func (p *parser) topLevel() {
	if p.debugging() || p.accept(";") {
		return
	}
	switch t := p.peek(); {
	case t.is(".version"):
		p.next()
		v := p.next()
		if !isVersion(v.text) {
			p.fail(v, "version %v; valid are %s", v, versions())
		}
		p.module.Version = v.text
		if newer(v.text) {
			p.module.Notes = append(p.module.Notes, fmt.Sprintf("%s:%d: PTX version %s is newer than %s, the last that is known here; what is new in it is refused",
				p.file, v.line, v.text, lastVersion()))
		}
	case t.is(".target"):
		p.next()
		p.target()
	case t.is(".address_size"):
		p.next()
		if v := p.next(); v.text != "64" {
			p.fail(v, "address size %v; valid is 64", v)
		}
	case t.is(".alias"):
		p.next()
		p.alias()
	default:
		p.declaration()
	}
}

func (p *parser) target() {
	t := p.name("the target")
	if p.module.Target = t.text; p.err == nil && !isTarget(t.text) {
		p.fail(t, "target %v; valid is sm_ and one of %s, such as sm_52 or sm_90a", t, workload.SMs(0))
	}
	for p.accept(",") {
		if t := p.name("a target option"); t.text != "debug" && t.text != "texmode_unified" {
			p.fail(t, "target option %v; valid are debug and texmode_unified", t)
		}
	}
}

// declaration reads a variable or function of the module.
func (p *parser) declaration() {
	p.linkage = linkage{}
	defer func() { p.linkage = linkage{} }()
	for {
		switch t := p.peek(); t.text {
		case ".extern", ".visible", ".weak", ".common":
			p.linkage.visible = true
			p.linkage.external = p.linkage.external || t.is(".extern")
			p.linkage.weak = p.linkage.weak || t.is(".weak") || t.is(".common")
			p.next()
		case ".entry", ".func":
			p.next()
			p.function(t)
			return
		case ".global", ".const", ".shared", ".tex":
			p.next()
			p.moduleVariables(t)
			return
		default:
			p.fail(t, "%v outside functions; valid are .version, .target, .address_size, .alias, .entry, .func, "+
				".global, .const, .shared, and .visible, .extern, .weak or .common before the last five", t)
			return
		}
	}
}
