// Package stats adds up, names and lists the counters of Stats structs, so that
// a block counts in a struct of its own and nothing else knows the struct's
// fields.
//
// A counter is an exported field of type uint64, in the struct or in structs,
// arrays and slices of structs inside it. Its name is the field's in snake case,
// WaitCycles as wait_cycles, or that of its json tag; one with the tag "-" is
// for the code alone. What a tenant has had of a block is in a field named
// Tenants, an array or slice with a struct for each, or in one named Accounts,
// which is Grouped.
//
// A counter of cycles in which something was busy has the tag percycle: by how much
// it grows at most in a cycle of its module's clock, all tenants together. That is a
// number, or the yaml key of the module's parameter that says it. tests/conservation
// checks it.
//
// All of this is reflection: it is for the end of a run and for samples, not for
// a clock edge.
package stats

import (
	"fmt"
	"reflect"
)

// Add adds the counters of more to those of sum. Slices are added entry by
// entry, and as long as the longest.
func Add[T any](sum, more *T) { add(reflect.ValueOf(sum).Elem(), reflect.ValueOf(more).Elem(), 1) }

// Subtract takes the counters of less from those of sum.
func Subtract[T any](sum, less *T) {
	add(reflect.ValueOf(sum).Elem(), reflect.ValueOf(less).Elem(), minusOne)
}

// minusOne makes a sum of counters a difference, as they wrap around.
const minusOne = ^uint64(0)

// Sum is the sum of counters of several blocks, or tenants.
func Sum[T any](list []T) (sum T) {
	for i := range list {
		Add(&sum, &list[i])
	}
	return sum
}

// Each is the sum of every n-th entry of a list, from the first on.
func Each[T any](list []T, n int) (sum T) {
	for i := 0; i < len(list); i += n {
		Add(&sum, &list[i])
	}
	return sum
}

// add adds so many times a value to another of its type. Most tenants have no
// counts, which is seen at once.
func add(sum, more reflect.Value, times uint64) {
	switch sum.Kind() {
	case reflect.Uint64:
		sum.SetUint(sum.Uint() + times*more.Uint())
	case reflect.Struct:
		if more.IsZero() {
			return
		}
		for _, f := range fieldsOf(sum.Type()) {
			add(sum.Field(f.index), more.Field(f.index), times)
		}
	case reflect.Array:
		for i := range sum.Len() {
			add(sum.Index(i), more.Index(i), times)
		}
	case reflect.Slice:
		if missing := more.Len() - sum.Len(); missing > 0 {
			sum.Set(reflect.AppendSlice(sum, reflect.MakeSlice(sum.Type(), missing, missing)))
		}
		for i := range more.Len() {
			add(sum.Index(i), more.Index(i), times)
		}
	}
}

// Fill sets the counters of a struct to those of the same Go name in others.
// Counters in structs inside it stay. That two of the others have a counter of
// one name that the struct has too is a fault of the program.
func Fill(to any, from ...any) {
	out := reflect.ValueOf(to).Elem()
	for i := range out.NumField() {
		name, found := out.Type().Field(i).Name, false
		if out.Field(i).Kind() != reflect.Uint64 {
			continue
		}
		for _, source := range from {
			v := reflect.ValueOf(source).Elem().FieldByName(name)
			if v.Kind() != reflect.Uint64 {
				continue
			}
			if found {
				panic(fmt.Sprintf("two counters are called %s", name))
			}
			found = true
			out.Field(i).SetUint(v.Uint())
		}
	}
}
