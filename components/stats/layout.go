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

// entry is a counter, or a slice of structs of counters. In the field with the counters
// of each tenant, which is never listed as a whole, it is any number of counters in a
// row, without a name: there may be thousands.
type entry struct {
	name   string
	at     uintptr
	of     reflect.Type // of the slice; nil for counters
	row    int          // number of counters
	tenant bool         // in the field with the counters of each tenant
	// optional: see Count.
	optional bool
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
		l.put(entry{name: name, at: at, row: 1, tenant: tenant})
	case reflect.Slice:
		l.put(entry{name: name, at: at, of: t, tenant: tenant})
	case reflect.Array:
		if tenant {
			l.repeat(t, at)
			return
		}
		labels, _ := reflect.Zero(t).Interface().(Labelled)
		sparse, _ := reflect.Zero(t).Interface().(Sparse)
		for i := range t.Len() {
			label := strconv.Itoa(i)
			if labels != nil {
				label = labels.Label(i)
			}
			l.enter(name+"_"+label, t.Elem(), at+uintptr(i)*t.Elem().Size(), false)
			if sparse != nil && sparse.Optional(i) && t.Elem().Kind() == reflect.Uint64 {
				l.entries[len(l.entries)-1].optional = true
			}
		}
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if tenant {
				if counted(f) {
					l.enter("", f.Type, at+f.Offset, true)
				}
				continue
			}
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
			first := len(l.entries)
			l.enter(inner, f.Type, at+f.Offset, own)
			if f.Tag.Get("optional") != "" {
				for n := range l.entries[first:] {
					l.entries[first+n].optional = true
				}
			}
		}
	}
}

// repeat adds an array, at an offset, in the field with the counters of each tenant.
func (l *layout) repeat(t reflect.Type, at uintptr) {
	var one layout
	one.enter("", t.Elem(), 0, true)
	for i := range t.Len() {
		for _, e := range one.entries {
			e.at += at + uintptr(i)*t.Elem().Size()
			l.put(e)
		}
	}
}

// put adds an entry. Counters without names continue the row that ends before them.
func (l *layout) put(e entry) {
	if n := len(l.entries); n > 0 && e.tenant && e.of == nil {
		if last := &l.entries[n-1]; last.tenant && last.of == nil && last.at+uintptr(last.row)*counterBytes == e.at {
			last.row += e.row
			return
		}
	}
	l.entries = append(l.entries, e)
}

// nameOf is the name of a field that is or holds a counter, "" for any other.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case !counted(f):
		return ""
	case name == "":
		return Snake(f.Name)
	}
	return name
}

// counted reports whether a field is or holds a counter.
func counted(f reflect.StructField) bool {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return f.IsExported() && name != "-" && counts(f.Type)
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

// counterBytes is the size of a counter.
const counterBytes = unsafe.Sizeof(uint64(0))

// in points to the first counter in a value.
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
			to, from := unsafe.Slice(e.in(sum), e.row), unsafe.Slice(e.in(more), e.row)
			for k := range from {
				to[k] += times * from[k]
			}
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
