package ptx

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Source is the text of a PTX file and its line table, which says from which lines of a
// program's source the compiler made the file (.file and .loc). A nil Source knows nothing.
type Source struct {
	text   string
	files  map[int]string // by the number of .file
	marks  []lineMark     // in order
	once   sync.Once
	starts []int // of the lines in text
}

// lineMark is a .loc: behind this line of the PTX file stands code of a line of a file.
type lineMark struct{ at, file, line int }

// Line is the text of a line, from 1, its words one space apart; "" if there is none.
func (s *Source) Line(line int) string {
	if s == nil {
		return ""
	}
	s.once.Do(func() {
		s.starts = []int{0}
		for i := range len(s.text) {
			if s.text[i] == '\n' {
				s.starts = append(s.starts, i+1)
			}
		}
		s.starts = append(s.starts, len(s.text))
	})
	if line < 1 || line >= len(s.starts) {
		return ""
	}
	return strings.Join(strings.Fields(s.text[s.starts[line-1]:s.starts[line]]), " ")
}

// Origin is the file and the line of a program's source from which the compiler made a line
// of the function; "" if the PTX file does not say.
func (f *Func) Origin(line int) (file string, from int) {
	s := f.Source
	if s == nil || len(s.marks) == 0 {
		return "", 0
	}
	n, _ := slices.BinarySearchFunc(s.marks, line, func(m lineMark, line int) int { return cmp.Compare(m.at, line+1) })
	for n--; n >= 0 && s.marks[n].at >= f.Line; n-- {
		// Line 0 marks code of no line.
		if m := s.marks[n]; m.at <= line {
			if m.line == 0 {
				return "", 0
			}
			return s.files[m.file], m.line
		}
	}
	return "", 0
}

// lineTable reads a .file or .loc into the line table. It leaves out malformed entries, as
// the parser ignores all else for debuggers.
func (p *parser) lineTable(t token) {
	p.next()
	var numbers []int
	var names []string
	for p.peek().kind != endOfFile && p.peek().line == t.line {
		switch word := p.next(); word.kind {
		case numberToken:
			if n, err := strconv.Atoi(word.text); err == nil && len(names) == 0 {
				numbers = append(numbers, n)
			}
		case quotedToken:
			if name, err := strconv.Unquote(word.text); err == nil {
				names = append(names, name)
			}
		}
	}
	s := p.from
	switch {
	case t.is(".file") && len(numbers) == 1 && len(names) > 0:
		name := names[0]
		if len(names) > 1 { // a folder goes before it
			if name = names[1]; !path.IsAbs(name) {
				name = path.Join(names[0], name)
			}
		}
		if s.files == nil {
			s.files = map[int]string{}
		}
		s.files[numbers[0]] = name
	case t.is(".loc") && len(numbers) >= 2:
		s.marks = append(s.marks, lineMark{t.line, numbers[0], numbers[1]})
	}
}
