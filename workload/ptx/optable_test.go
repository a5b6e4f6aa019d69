package ptx

import (
	"fmt"
	"sort"
	"strings"
)

// modifierLists yields lists of modifiers that a form takes: each that a slot
// may hold, with the other slots as short as they may be.
func (p *pattern) modifierLists() [][]string {
	least := make([]string, len(p.slots))
	for i, s := range p.slots {
		if !s.optional {
			least[i] = s.any[0]
		}
	}
	lists := [][]string{least}
	for i, s := range p.slots {
		_, isType := typeByName[s.any[0]]
		for _, base := range lists {
			if !isType { // only types are combined with each other
				base = least
			}
			for _, mod := range s.any {
				list := append([]string(nil), base...)
				list[i] = mod
				lists = append(lists, list)
			}
			if !isType {
				break
			}
		}
	}
	for i, l := range lists {
		lists[i] = strings.Fields(strings.Join(l, " "))
	}
	return lists
}

// example writes an operand for a place in a form. There is a register for
// each type, named after it.
func (a argPattern) example(in *Inst) string {
	register := func(t Type) string { return "%" + t.String() }
	vector := func(t Type, n int) string {
		return "{" + strings.Repeat(register(t)+", ", n-1) + register(t) + "}"
	}
	switch a.kind {
	case '1', 'm':
		return register(in.Types[0])
	case '2':
		return register(in.Types[1])
	case 'w':
		return register(wide(in.Types[0]))
	case 'u':
		return "%u32"
	case 'f':
		return "%f32"
	case 'l':
		return "%u64"
	case 'p':
		return "%pred"
	case 'r':
		return vector(B32, in.Vec)
	case '{':
		return vector(a.typ, a.count)
	case 'v':
		if in.Vec > 1 {
			return vector(in.Types[0], in.Vec)
		}
		return register(in.Types[0])
	case 'c':
		return "16"
	case 's':
		return "[%u32+16]"
	case 'g':
		return "[%u64+16]"
	case 't':
		rank := 1
		for _, mod := range in.Mods {
			if len(mod) == 2 && mod[1] == 'd' {
				rank = int(mod[0] - '0')
			}
		}
		return "[%u64, " + vector(S32, rank) + "]"
	case 'h':
		return "%u16"
	case '+', 'b':
		return "1"
	case 'a':
		if in.Space == Param && in.Op == "st" {
			return "[arg]"
		}
		if in.Space == Param {
			return "[in]"
		}
		return "[%u64+8]"
	case 'x':
		shape := in.TextureShape()
		if shape[0] != 'a' {
			return "[tex, " + vector(in.Types[1], map[string]int{"1d": 1, "2d": 2, "3d": 4, "cube": 4}[shape]) + "]"
		}
		return "[tex, {%u32, " + vector(in.Types[1], map[string]int{"a1d": 1, "a2d": 3}[shape])[1:] + "]"
	default:
		return "7"
	}
}

// EveryForm is a module for each instruction that the table of operations
// describes, with a kernel k that has it. Instructions without operands in the table
// are left out.
func EveryForm() (modules []string) {
	var ops []string
	for op := range patterns {
		ops = append(ops, op)
	}
	sort.Strings(ops)
	var declarations strings.Builder
	for typ := B8; typ < numTypes; typ++ {
		register := typ
		if declared(typ.String()) == NoType {
			register = map[int]Type{2: B16, 4: B32, 8: B64}[typ.Size()]
		}
		fmt.Fprintf(&declarations, ".reg .%v %%%v;", register, typ)
	}
	seen := map[string]bool{}
	for _, op := range ops {
		if op == "bra" || op == "brx" || op == "call" {
			continue
		}
		for i := range patterns[op] {
			f := &patterns[op][i]
			for _, mods := range f.modifierLists() {
				in := Inst{Op: op, Vec: 1}
				for _, m := range mods {
					in.modifier(m)
				}
				if in.vectorProblem() != "" {
					continue
				}
				var args []string
				for _, a := range f.dst {
					args = append(args, a.example(&in))
				}
				for _, a := range f.src {
					args = append(args, a.example(&in))
				}
				text := strings.TrimSuffix(op+"."+strings.Join(mods, "."), ".") + " " + strings.Join(args, ", ") + ";"
				if seen[text] {
					continue
				}
				seen[text] = true
				modules = append(modules, head+".global .texref tex; .entry k(.param .b64 in) { .param .b64 arg;"+declarations.String()+text+"}")
			}
		}
	}
	return modules
}
