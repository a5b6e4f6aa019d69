package stats

import (
	"reflect"
	"unsafe"
)

// minusOne turns a sum of counters into a difference, because they wrap around.
const minusOne = ^uint64(0)

// Add adds the counters of more to the counters of sum. Slices are added entry by
// entry; the result has the length of the longest.
func Add[T any](sum, more *T) {
	layoutOf(reflect.TypeFor[T]()).add(unsafe.Pointer(sum), unsafe.Pointer(more), 1)
}

// Subtract subtracts the counters of less from the counters of sum.
func Subtract[T any](sum, less *T) {
	layoutOf(reflect.TypeFor[T]()).add(unsafe.Pointer(sum), unsafe.Pointer(less), minusOne)
}

// Since is the difference of two structs of counters of one type, as a struct of that
// type.
func Since(later, earlier any) any {
	difference := reflect.New(reflect.TypeOf(later)).Elem()
	term := reflect.New(difference.Type()).Elem()
	for _, of := range []struct {
		counters any
		times    uint64
	}{{later, 1}, {earlier, minusOne}} {
		term.Set(reflect.ValueOf(of.counters))
		add(difference, term, of.times)
	}
	return difference.Interface()
}

// Ratio is a over b, 0 if b is 0.
func Ratio(a, b uint64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
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
