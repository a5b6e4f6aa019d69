package protocol_test

import (
	"reflect"
	"testing"

	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

// numbers lists the numbers in a value of structs and arrays, by their paths.
func numbers(path string, v reflect.Value, each func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			numbers(path+"."+v.Type().Field(i).Name, v.Field(i), each)
		}
	case reflect.Array:
		for i := range v.Len() {
			numbers(path, v.Index(i), each)
		}
	default:
		each(path, v)
	}
}

// filled is counters of a type with a different number in each field, all of them
// multiplied by a factor.
func filled(kind reflect.Type, factor uint64) protocol.Counters {
	v := reflect.New(kind).Elem()
	n := uint64(0)
	numbers(kind.Name(), v, func(_ string, field reflect.Value) {
		n++
		field.SetUint(n * factor)
	})
	return v.Interface().(protocol.Counters)
}

func TestSinceSubtractsEveryField(t *testing.T) {
	kind := reflect.TypeFor[protocol.SMCounters]()
	got := filled(kind, 5).Since(filled(kind, 3))
	want := map[string][]uint64{}
	numbers(kind.Name(), reflect.ValueOf(filled(kind, 2)), func(path string, v reflect.Value) { want[path] = append(want[path], v.Uint()) })
	seen := map[string][]uint64{}
	numbers(kind.Name(), reflect.ValueOf(got), func(path string, v reflect.Value) { seen[path] = append(seen[path], v.Uint()) })
	require.Equal(t, want, seen)
}
