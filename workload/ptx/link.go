package ptx

import (
	"fmt"
	"slices"
)

// File is a PTX file: its path, for messages, and its text.
type File struct {
	Path string
	Text []byte
}

// Library is a file that is linked to a program that declares, without a body, any
// of its functions.
type Library struct {
	File
	Functions []string
}

// ParseWith links PTX files into a program, as nvlink does with separately
// compiled files: what a file declares .extern is what another defines
// .visible or .weak. Of several .weak definitions the first is taken; other
// names are a file's own. The library is the last file if it is linked. The error is
// that of Parse.
func ParseWith(library Library, files ...File) (*Module, error) {
	l := &linker{module: &Module{File: files[0].Path}, symbols: map[string]*symbol{}, functions: functionsOf(files), defined: map[*Func]bool{}, addresses: map[*Func]uint64{}}
	for _, f := range files {
		if err := l.parse(f); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(library.Functions, l.lacks) {
		if err := l.parse(library.File); err != nil {
			return nil, err
		}
	}
	if err := l.resolveAliases(); err != nil {
		return nil, err
	}
	for _, u := range l.uses {
		switch {
		case !u.of.external:
		case u.by == nil:
			return nil, u.fault
		case u.by.Fault == nil:
			u.by.clear(u.fault)
		}
	}
	for _, f := range l.module.Funcs {
		l.defined[f] = true
	}
	for _, f := range l.module.Funcs {
		l.resolvePointers(f)
	}
	l.checkCalls()
	return l.module, nil
}

// lacks reports whether files declare a function that none has a body for.
func (l *linker) lacks(name string) bool {
	s := l.symbols[name]
	return s != nil && s.fn != nil && s.external
}

// linker is what the files of a program share.
type linker struct {
	module *Module
	// symbols are the symbols that other files see, by name.
	symbols map[string]*symbol
	calls   []callSite
	uses    []use
	// linked are the aliases of the files so far.
	linked []alias
	// defined are the functions with a body, once all files have been read.
	defined map[*Func]bool
	// functions is where the addresses of functions begin, addresses has their numbers, and pointed them by number.
	functions uint64
	addresses map[*Func]uint64
	pointed   []*Func
	// varBytes is what variables so far take of global memory, initBytes what
	// their initial values take.
	varBytes, initBytes int
}

// use is a use of a variable without a definition so far, and the error of that.
type use struct {
	of    *symbol
	by    *Func // nil if it is no function's
	fault error
}

// linkage is what the directives before a declaration say.
type linkage struct{ visible, external, weak bool }

func (l *linker) parse(f File) error {
	source := strip(string(f.Text))
	p := &parser{file: f.Path, source: source, from: &Source{text: source}, lexer: lexer{file: f.Path, text: source, line: 1}, globals: newScope(nil), linker: l}
	p.scope = p.globals
	p.now = p.read()
	p.after = p.read()
	for p.peek().kind != endOfFile {
		p.topLevel()
	}
	if p.err == nil {
		p.noteAliases()
	}
	return p.err
}

// known is what a name stands for that is declared here, nil if it is new.
// Shared memory is not linked.
func (p *parser) known(name string, space Space) *symbol {
	own := p.scope.names[name]
	if !p.linkage.visible || space == Shared || p.scope != p.globals {
		return own
	}
	if own == nil {
		if own = p.symbols[name]; own != nil {
			p.scope.names[name] = own
		}
	} else if p.symbols[name] == nil {
		p.symbols[name] = own
	}
	return own
}

// introduce makes the symbol of a name that is new.
func (p *parser) introduce(name string, space Space, s *symbol) {
	s.file, s.weak = p.file, p.linkage.weak
	p.scope.names[name] = s
	if p.linkage.visible && space != Shared && p.scope == p.globals {
		p.symbols[name] = s
	}
}

// elsewhere names the place of a symbol: a line, and the file if it is another.
func (p *parser) elsewhere(s *symbol) string {
	line := 0
	if s.v != nil {
		line = s.v.Line
	} else if s.fn != nil {
		line = s.fn.Line
	}
	if s.file == "" || s.file == p.file {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s:%d", s.file, line)
}
