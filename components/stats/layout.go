package stats

import (
	"reflect"
	"sync"
	"unsafe"
)

// layout says where the counters of a type lie in its values, so that adding
// them takes no look at the type.
type layout struct {
	runs   []run
	slices []slice
}

// run is a number of counters side by side.
type run struct {
	at uintptr
	n  int
}

// slice is one with a struct of counters for each entry.
type slice struct {
	at uintptr
	of reflect.Type
}

// layouts are those of the types that were asked for: reflect.Type to *layout.
var layouts sync.Map

// layoutOf is the layout of a type of counters.
func layoutOf(t reflect.Type) *layout {
	if l, ok := layouts.Load(t); ok {
		return l.(*layout)
	}
	l := &layout{}
	l.enter(t, 0)
	layouts.Store(t, l)
	return l
}

// enter enters what lies at an offset.
func (l *layout) enter(t reflect.Type, at uintptr) {
	switch t.Kind() {
	case reflect.Uint64:
		if last := len(l.runs) - 1; last >= 0 && l.runs[last].at+uintptr(l.runs[last].n)*t.Size() == at {
			l.runs[last].n++
			return
		}
		l.runs = append(l.runs, run{at, 1})
	case reflect.Struct:
		for _, f := range fieldsOf(t) {
			l.enter(t.Field(f.index).Type, at+t.Field(f.index).Offset)
		}
	case reflect.Array:
		for i := range t.Len() {
			l.enter(t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	case reflect.Slice:
		l.slices = append(l.slices, slice{at, t})
	}
}

// add adds so many times the counters of a value to those of another of the type.
func (l *layout) add(sum, more unsafe.Pointer, times uint64) {
	for _, r := range l.runs {
		to, from := counters(sum, r), counters(more, r)
		for i, n := range from {
			to[i] += times * n
		}
	}
	for _, s := range l.slices {
		to, from := reflect.NewAt(s.of, unsafe.Add(sum, s.at)).Elem(), reflect.NewAt(s.of, unsafe.Add(more, s.at)).Elem()
		if missing := from.Len() - to.Len(); missing > 0 {
			to.Set(reflect.AppendSlice(to, reflect.MakeSlice(s.of, missing, missing)))
		}
		for i := range from.Len() {
			add(to.Index(i), from.Index(i), times)
		}
	}
}

// counters are the counters of a run in a value.
func counters(of unsafe.Pointer, r run) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Add(of, r.at)), r.n)
}

// add adds so many times a value to another of its type; both can be addressed.
func add(sum, more reflect.Value, times uint64) {
	layoutOf(sum.Type()).add(sum.Addr().UnsafePointer(), more.Addr().UnsafePointer(), times)
}

// Add adds the counters of more to those of sum. Slices are added entry by
// entry, and as long as the longest.
func Add[T any](sum, more *T) {
	layoutOf(reflect.TypeFor[T]()).add(unsafe.Pointer(sum), unsafe.Pointer(more), 1)
}

// Subtract takes the counters of less from those of sum.
func Subtract[T any](sum, less *T) {
	layoutOf(reflect.TypeFor[T]()).add(unsafe.Pointer(sum), unsafe.Pointer(less), minusOne)
}

// minusOne makes a sum of counters a difference, as they wrap around.
const minusOne = ^uint64(0)

// Since is what was counted since earlier counters: the difference of two structs
// of one type, and of that type.
func Since(later, earlier any) any {
	difference := reflect.New(reflect.TypeOf(later)).Elem()
	less := reflect.New(difference.Type()).Elem()
	difference.Set(reflect.ValueOf(later))
	less.Set(reflect.ValueOf(earlier))
	add(difference, less, minusOne)
	return difference.Interface()
}

// Sum is the sum of counters of several blocks, or tenants.
func Sum[T any](list []T) (sum T) { return Each(list, 1) }

// Each is the sum of every n-th entry of a list, from the first on.
func Each[T any](list []T, n int) (sum T) {
	for i := 0; i < len(list); i += n {
		Add(&sum, &list[i])
	}
	return sum
}
