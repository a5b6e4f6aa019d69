package stats

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// Fill adds counters of the structs from to the counters of a struct. A counter takes
// the counter with its Go name, or the counters that its tag names: from:"Reads+Writes"
// is a sum of two, from:"L1.Hits" a counter of a nested struct, and
// from:"Accesses|Reads+Writes" the first alternative with all of its counters in the
// source. A nested struct is filled from the struct of its name, an embedded one as if
// its fields were the outer struct's. All are pointers. It panics if two sources have a
// counter for one field, a fault of the program.
func Fill(to any, from ...any) {
	out := reflect.ValueOf(to)
	filled := map[uintptr]int{} // field offset to number of its source
	for i, source := range from {
		in := reflect.ValueOf(source)
		for _, p := range pairsOf(out.Type().Elem(), in.Type().Elem()) {
			if len(from) > 1 {
				if by, ok := filled[p.to]; ok && by != i {
					panic(fmt.Sprintf("two counters are called %s", p.name))
				}
				filled[p.to] = i
			}
			*(*uint64)(unsafe.Add(out.UnsafePointer(), p.to)) += *(*uint64)(unsafe.Add(in.UnsafePointer(), p.from))
		}
	}
}

// pair is a target counter, a source counter and the target's name.
type pair struct {
	to, from uintptr
	name     string
}

// pairings caches the pairs of two types: [2]reflect.Type to []pair.
var pairings sync.Map

func pairsOf(to, from reflect.Type) []pair {
	types := [2]reflect.Type{to, from}
	if list, ok := pairings.Load(types); ok {
		return list.([]pair)
	}
	list := match(nil, to, 0, from, 0)
	pairings.Store(types, list)
	return list
}

// match appends the pairs of two structs at their offsets.
func match(list []pair, to reflect.Type, at uintptr, from reflect.Type, source uintptr) []pair {
	for i := range to.NumField() {
		f := to.Field(i)
		switch {
		case f.Anonymous:
			list = match(list, f.Type, at+f.Offset, from, source)
		case f.Type.Kind() == reflect.Uint64:
			for _, offset := range terms(f, from) {
				list = append(list, pair{at + f.Offset, source + offset, f.Name})
			}
		case f.Type.Kind() == reflect.Struct:
			if inner, offset := find(from, f.Name); inner != nil && inner.Kind() == reflect.Struct {
				list = match(list, f.Type, at+f.Offset, inner, source+offset)
			}
		}
	}
	return list
}

// terms are the offsets of a struct's counters that a field sums.
func terms(f reflect.StructField, in reflect.Type) []uintptr {
	sums, ok := f.Tag.Lookup("from")
	if !ok {
		sums = f.Name
	}
next:
	for sum := range strings.SplitSeq(sums, "|") {
		var list []uintptr
		for path := range strings.SplitSeq(sum, "+") {
			counter, offset := find(in, path)
			if counter == nil || counter.Kind() != reflect.Uint64 {
				continue next
			}
			list = append(list, offset)
		}
		return list
	}
	return nil
}

// find is the type of a struct's member at a path of Go names, and its offset; nil if
// there is none.
func find(in reflect.Type, path string) (at reflect.Type, offset uintptr) {
	for name := range strings.SplitSeq(path, ".") {
		if in.Kind() != reflect.Struct {
			return nil, 0
		}
		f, ok := in.FieldByName(name)
		if !ok || len(f.Index) > 1 { // of an embedded struct
			return nil, 0
		}
		in, offset = f.Type, offset+f.Offset
	}
	return in, offset
}
