package ptx

// scope holds the names that one pair of braces, or the module, declares.
type scope struct {
	parent *scope
	names  map[string]*symbol
	ranges map[string]regRange // by prefix: %r<12> declares %r0 to %r11
	labels map[string]int      // index of the instruction that follows
	lists  map[string][]label  // of .branchtargets
	// prototypes have the parameters and results of .callprototype and .calltargets.
	prototypes map[string]*Func
}

// symbol is what a name stands for: a variable, a function or a register.
type symbol struct {
	v        *Var
	fn       *Func
	typ      Type // of a register
	reg      int  // its number in Func.Regs, -1 as long as nothing uses it
	external bool // a variable or function that is declared, not defined
	weak     bool // another definition may stand beside it
	file     string
	// fault is what is wrong with the declaration; each user of the name has it.
	fault error
}

type regRange struct {
	typ   Type
	count uint64
}

// label is the use of a label.
type label struct {
	name token
	from *scope
}

func newScope(parent *scope) *scope {
	return &scope{
		parent:     parent,
		names:      map[string]*symbol{},
		ranges:     map[string]regRange{},
		labels:     map[string]int{},
		lists:      map[string][]label{},
		prototypes: map[string]*Func{},
	}
}

// find looks a name up from the inside out; nil if nothing declares it.
func (s *scope) find(name string) *symbol {
	for ; s != nil; s = s.parent {
		if sym := s.names[name]; sym != nil {
			return sym
		}
		if sym := s.inRange(name); sym != nil {
			s.names[name] = sym
			return sym
		}
	}
	return nil
}

// inRange makes the symbol of a register that a range declares. Ranges may be
// much larger than what is used of them, so registers come to be one by one.
func (s *scope) inRange(name string) *symbol {
	n, unit := uint64(0), uint64(1)
	for i := len(name) - 1; i > 0 && isDigit(name[i]) && len(name)-i < 10; i-- {
		digit := uint64(name[i] - '0')
		n += digit * unit
		unit *= 10
		if digit == 0 && i < len(name)-1 {
			continue // no leading zeros
		}
		if r, ok := s.ranges[name[:i]]; ok && n < r.count {
			return &symbol{typ: r.typ, reg: -1}
		}
	}
	return nil
}

// find is the instruction that a label names, looked up from the inside out.
func (l label) find() (at int, ok bool) {
	return lookUp(l.from, l.name.text, func(s *scope) map[string]int { return s.labels })
}

// findList looks a .branchtargets list up.
func (s *scope) findList(name string) (list []label, ok bool) {
	return lookUp(s, name, func(s *scope) map[string][]label { return s.lists })
}

// lookUp looks a name up from the inside out.
func lookUp[T any](s *scope, name string, in func(*scope) map[string]T) (found T, ok bool) {
	for ; s != nil && !ok; s = s.parent {
		found, ok = in(s)[name]
	}
	return found, ok
}
