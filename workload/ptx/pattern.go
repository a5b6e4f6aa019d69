package ptx

import (
	"slices"
	"strconv"
	"strings"
)

// pattern is a row of opTable taken apart.
type pattern struct {
	slots    []slotPattern
	dst, src []argPattern
}

// slotPattern is a place for a modifier.
type slotPattern struct {
	any      []string
	optional bool
}

// argPattern is a place for an operand; kind is its letter in opTable.
type argPattern struct {
	kind     byte
	loose    bool // the register may be wider
	pair     bool // a predicate may follow
	not      bool
	optional bool
	// count and typ are of a {.
	count int
	typ   Type
}

// patterns has the forms of each operation.
var patterns = func() map[string][]pattern {
	m := map[string][]pattern{}
	for _, r := range slices.Concat(comparisons(), opTable, hopperTable, warpgroupProducts()) {
		f := r.pattern()
		for _, op := range strings.Fields(r.ops) {
			m[op] = append(m[op], f)
		}
	}
	return m
}()

func (r row) pattern() pattern {
	var f pattern
	for _, s := range strings.Fields(r.modifiers) {
		slot := slotPattern{optional: strings.HasSuffix(s, "?")}
		for _, name := range strings.Split(strings.TrimSuffix(s, "?"), "|") {
			if set, ok := modifierSets[name]; ok {
				slot.any = append(slot.any, strings.Split(set, "|")...)
			} else {
				slot.any = append(slot.any, name)
			}
		}
		f.slots = append(f.slots, slot)
	}
	dst, src, _ := strings.Cut(r.operands, "=")
	f.dst, f.src = argPatterns(dst), argPatterns(src)
	return f
}

func argPatterns(s string) []argPattern {
	var args []argPattern
	for _, a := range strings.Fields(s) {
		if braces, ok := strings.CutPrefix(a, "{"); ok {
			count, typ, _ := strings.Cut(strings.TrimSuffix(braces, "}"), ":")
			n, _ := strconv.Atoi(count)
			args = append(args, argPattern{kind: '{', count: n, typ: typeByName[typ]})
			continue
		}
		args = append(args, argPattern{
			kind:     strings.TrimPrefix(a, "!")[0],
			loose:    strings.HasSuffix(a, "+"),
			pair:     strings.HasSuffix(a, "|p"),
			not:      a[0] == '!',
			optional: strings.HasSuffix(a, "?"),
		})
	}
	return args
}

// match compares modifiers with the form's. If they differ, at
// is the index of the first wrong (or missing) modifier, and valid are the
// modifiers that could stand there.
func (f *pattern) match(mods []string) (ok bool, at int, valid []string) {
	for _, s := range f.slots {
		if at < len(mods) && slices.Contains(s.any, mods[at]) {
			at++
			valid = nil
			continue
		}
		valid = append(valid, s.any...)
		if !s.optional {
			return false, at, valid
		}
	}
	return at == len(mods), at, valid
}

// matchAnyOrder compares modifiers with the form's in any order, except that the type comes
// last, and returns them in the form's order; nil if they differ. Compilers and people write
// modifiers of memory accesses in other orders than PTX ISA does, and ptxas takes them.
func (f *pattern) matchAnyOrder(mods []string) (ordered []string) {
	left := slices.Clone(mods)
	for _, s := range f.slots {
		at := slices.IndexFunc(left, func(mod string) bool { return slices.Contains(s.any, mod) })
		switch {
		case at < 0 && s.optional:
			continue
		case at < 0:
			return nil
		}
		ordered = append(ordered, left[at])
		left = slices.Delete(left, at, at+1)
	}
	if last := len(mods) - 1; last < 0 || len(left) > 0 || ordered[last] != mods[last] {
		return nil
	}
	return ordered
}

// inOrder returns an instruction's modifiers in the order of the first form that takes them
// in any order, if its operation is a memory access, and those of wmma.mma; otherwise as they are.
func inOrder(op string, mods []string) []string {
	switch op {
	case "ld", "ldu", "st", "atom", "red", "ldmatrix", "stmatrix":
	case "wmma":
		return wmmaInOrder(mods)
	default:
		return mods
	}
	for i := range patterns[op] {
		if ordered := patterns[op][i].matchAnyOrder(mods); ordered != nil {
			return ordered
		}
	}
	return mods
}

// selectForms finds the forms of an operation that take its modifiers; if there is
// none, problem says why.
func selectForms(op string, mods []string) (found []*pattern, problem string) {
	all := patterns[op]
	if all == nil {
		if name := featureOf(opcode(op, mods)); name != "" {
			return nil, notModelled(name)
		}
		return nil, unknown(op)
	}
	most := 0
	var valid []string
	for i := range all {
		ok, at, v := all[i].match(mods)
		if ok {
			found = append(found, &all[i])
			continue
		}
		if at > most {
			most, valid = at, nil
		}
		if at == most {
			valid = append(valid, v...)
		}
	}
	if found != nil {
		return found, ""
	}
	if name := missing(op, mods, all); name != "" {
		return nil, notModelled(name)
	}
	wrong := "modifier missing at the end"
	if most < len(mods) {
		wrong = "modifier ." + mods[most] + " is not supported here"
	}
	if valid = unique(valid); len(valid) == 0 {
		return nil, wrong + "; valid is none"
	}
	return nil, wrong + "; valid are ." + strings.Join(valid, " .")
}

// unique leaves out what a list repeats.
func unique(list []string) []string {
	var once []string
	for _, s := range list {
		if !slices.Contains(once, s) {
			once = append(once, s)
		}
	}
	return once
}

// missing is the name of the feature of an instruction if its operation has other
// forms.
func missing(op string, mods []string, forms []pattern) (name string) {
	if name = featureOf(opcode(op, mods)); name != "" {
		return name
	}
	for _, mod := range mods {
		takes := func(f pattern) bool {
			return slices.ContainsFunc(f.slots, func(s slotPattern) bool { return slices.Contains(s.any, mod) })
		}
		if name = featureOf("." + mod); name != "" && !slices.ContainsFunc(forms, takes) {
			return name
		}
	}
	return ""
}
