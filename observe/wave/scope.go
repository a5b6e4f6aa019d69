package wave

import (
	"fmt"
	"strings"
)

// scope is a module's place in the hierarchy.
type scope struct {
	name      string
	inner     []*scope
	variables []variable
}

// variable is a signal's name and number.
type variable struct {
	name   string
	signal int
}

// at returns the scope of a module by its full name, such as GPU.SM[3].
func (s *scope) at(name string) *scope {
	for part := range strings.SplitSeq(name, ".") {
		s = s.child(part)
	}
	return s
}

func (s *scope) child(name string) *scope {
	for _, c := range s.inner {
		if c.name == name {
			return c
		}
	}
	c := &scope{name: name}
	s.inner = append(s.inner, c)
	return c
}

// declare writes the scope's variables, and the scopes inside it.
func (s *scope) declare(w *Writer) {
	for _, v := range s.variables {
		sig := &w.signals[v.signal]
		if sig.real {
			fmt.Fprintf(w.out, "$var real 64 %s %s $end\n", sig.code, v.name)
			continue
		}
		dimension := ""
		if sig.bits > 1 {
			dimension = fmt.Sprintf(" [%d:0]", sig.bits-1)
		}
		fmt.Fprintf(w.out, "$var wire %d %s %s%s $end\n", sig.bits, sig.code, v.name, dimension)
	}
	for _, c := range s.inner {
		fmt.Fprintf(w.out, "$scope module %s $end\n", c.name)
		c.declare(w)
		fmt.Fprint(w.out, "$upscope $end\n")
	}
}
