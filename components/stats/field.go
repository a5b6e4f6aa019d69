package stats

import (
	"reflect"
	"strings"
	"sync"
	"unicode"
)

// field is a field of a struct that is a counter or holds some.
type field struct {
	index int
	name  string
}

// known has the fields of the types that were asked for: reflect.Type to []field.
var known sync.Map

// fieldsOf lists the counters of a struct, and what holds counters, in the
// order of the struct.
func fieldsOf(t reflect.Type) []field {
	if list, ok := known.Load(t); ok {
		return list.([]field)
	}
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			name = Snake(f.Name)
		}
		if f.IsExported() && name != "-" && counts(f.Type) {
			list = append(list, field{i, name})
		}
	}
	known.Store(t, list)
	return list
}

// counts reports whether a type is that of a counter or can hold some. A list
// of bare numbers is none: its entries are no counters of one thing.
func counts(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Uint64, reflect.Struct:
		return true
	case reflect.Array:
		return counts(t.Elem())
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Struct
	}
	return false
}

// Snake is a Go name in snake case. A run of capitals is a word, and so is its
// plural: TBsPlaced is tbs_placed, L1Hits l1_hits.
func Snake(name string) string {
	letters := []rune(name)
	var out strings.Builder
	for i, r := range letters {
		if i > 0 && begins(letters, i) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// begins reports whether a word of a Go name begins at its letter i.
func begins(letters []rune, i int) bool {
	at := func(i int) rune {
		if i >= len(letters) {
			return 'A' // the end of a name ends a word, too
		}
		return letters[i]
	}
	switch {
	case !unicode.IsUpper(at(i)):
		return false
	case !unicode.IsUpper(at(i - 1)):
		return true // waitCycles; TBsPlaced
	}
	plural := at(i+1) == 's' && unicode.IsUpper(at(i+2))
	return unicode.IsLower(at(i+1)) && !plural // DRAMAccesses, but not TBs
}
