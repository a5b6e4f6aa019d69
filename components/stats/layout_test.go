package stats_test

import (
	"reflect"
	"testing"

	"cotenant/components/stats"
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
	return v.Interface()
}

func TestSinceSubtractsEveryField(t *testing.T) {
	kind := reflect.TypeFor[protocol.SMCounters]()
	later, earlier := filled(kind, 5), filled(kind, 3)
	require.Equal(t, filled(kind, 2), stats.Since(later, earlier))
	require.Equal(t, filled(kind, 5), later, "what is compared stays")
	require.Equal(t, filled(kind, 3), earlier)
	require.Panics(t, func() { stats.Since(protocol.SMCounters{}, protocol.SMTenant{}) })
}

func BenchmarkSinceOfAnSM(b *testing.B) {
	later, earlier := filled(reflect.TypeFor[protocol.SMCounters](), 5), filled(reflect.TypeFor[protocol.SMCounters](), 3)
	for b.Loop() {
		stats.Since(later, earlier)
	}
}

func BenchmarkFillOfATenant(b *testing.B) {
	var from struct{ WarpInstructions, ThreadInstructions, MemoryRequests, Reads uint64 }
	var to protocol.SMTenant
	for b.Loop() {
		stats.Fill(&to, &from)
	}
}
