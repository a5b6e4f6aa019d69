package stats

import (
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// layout lists the names and offsets of a struct's counters, in the order of the
// struct.
type layout struct {
	entries []entry
	// tenants is the index of the field with the counters of each tenant, -1 for none.
	tenants int
}

// entry is a counter, or a slice of structs of counters.
type entry struct {
	name   string
	at     uintptr
	of     reflect.Type // of the slice; nil for a counter
	tenant bool         // in the field with the counters of each tenant
}

// layouts caches layouts: reflect.Type to *layout.
var layouts sync.Map

// layoutOf is the layout of a type of counters.
func layoutOf(t reflect.Type) *layout {
	if l, ok := layouts.Load(t); ok {
		return l.(*layout)
	}
	l := &layout{tenants: -1}
	l.enter("", t, 0, false)
	layouts.Store(t, l)
	return l
}

// enter adds a member with a name and an offset.
func (l *layout) enter(name string, t reflect.Type, at uintptr, tenant bool) {
	switch t.Kind() {
	case reflect.Uint64:
		l.entries = append(l.entries, entry{name, at, nil, tenant})
	case reflect.Slice:
		l.entries = append(l.entries, entry{name, at, t, tenant})
	case reflect.Array:
		labels, _ := reflect.Zero(t).Interface().(Labelled)
		for i := range t.Len() {
			label := strconv.Itoa(i)
			if labels != nil {
				label = labels.Label(i)
			}
			l.enter(name+"_"+label, t.Elem(), at+uintptr(i)*t.Elem().Size(), tenant)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			inner := nameOf(f)
			if inner == "" {
				continue
			}
			own := name == "" && (inner == tenants || inner == accounts)
			if own {
				l.tenants = i
			}
			if name != "" {
				inner = name + "_" + inner
			}
			l.enter(inner, f.Type, at+f.Offset, tenant || own)
		}
	}
}

// nameOf is the name of a field that is or holds a counter, "" for any other.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case !f.IsExported() || name == "-" || !counts(f.Type):
		return ""
	case name == "":
		return Snake(f.Name)
	}
	return name
}

// counts reports whether a type is a counter or can hold counters. A list of bare
// numbers cannot: its entries count different things.
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

// in points to the counter in a value.
func (e *entry) in(of unsafe.Pointer) *uint64 { return (*uint64)(unsafe.Add(of, e.at)) }

// list is the slice in a value.
func (e *entry) list(of unsafe.Pointer) reflect.Value {
	return reflect.NewAt(e.of, unsafe.Add(of, e.at)).Elem()
}

// add adds the counters of more, multiplied by times, to the counters of sum.
func (l *layout) add(sum, more unsafe.Pointer, times uint64) {
	for i := range l.entries {
		e := &l.entries[i]
		if e.of == nil {
			*e.in(sum) += times * *e.in(more)
			continue
		}
		to, from := e.list(sum), e.list(more)
		if missing := from.Len() - to.Len(); missing > 0 {
			to.Set(reflect.AppendSlice(to, reflect.MakeSlice(e.of, missing, missing)))
		}
		for k := range from.Len() {
			add(to.Index(k), from.Index(k), times)
		}
	}
}

// add adds more, multiplied by times, to sum; both are addressable and of one type.
func add(sum, more reflect.Value, times uint64) {
	layoutOf(sum.Type()).add(sum.Addr().UnsafePointer(), more.Addr().UnsafePointer(), times)
}
