package monitor

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// snapshot is a value in the page's form: a dictionary with the root's members by number.
// Nested members are left out; the page asks for them when its user opens them.
type snapshot struct {
	Root string           `json:"r"`
	Dict map[string]entry `json:"dict"`
}

// entry is one value. Kind is a number of reflect.Kind; the page knows the kinds in
// shallow.
type entry struct {
	Kind   reflect.Kind `json:"k"`
	Type   string       `json:"t"`
	Value  any          `json:"v"`
	Length *int         `json:"l,omitempty"`
}

// maxElements bounds the shown elements of a list; the page draws a row for each.
const maxElements = 1024

// takeSnapshot copies the part of root at path: names of fields and indices, separated
// by dots, or "" for all of it.
func takeSnapshot(root any, path string) (*snapshot, error) {
	v := follow(reflect.ValueOf(root))
	for step := range strings.SplitSeq(path, ".") {
		if path == "" {
			break
		}
		switch v.Kind() {
		case reflect.Struct:
			v = v.FieldByName(step)
			if !v.IsValid() {
				return nil, fmt.Errorf("no field %q", step)
			}
		case reflect.Slice, reflect.Array:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= v.Len() {
				return nil, fmt.Errorf("no element %q among %d", step, v.Len())
			}
			v = v.Index(i)
		default:
			return nil, fmt.Errorf("nothing inside a value to find %q", step)
		}
		v = follow(v)
	}
	s := &snapshot{Root: "0", Dict: map[string]entry{}}
	e := shallow(v)
	switch v.Kind() {
	case reflect.Struct:
		members := map[string]string{}
		for i := range v.NumField() {
			members[v.Type().Field(i).Name] = s.add(i+1, v.Field(i))
		}
		e.Value = members
	case reflect.Slice, reflect.Array:
		members := []string{}
		for i := range min(v.Len(), maxElements) {
			members = append(members, s.add(i+1, v.Index(i)))
		}
		e.Value = members
	}
	s.Dict[s.Root] = e
	return s, nil
}

// add enters a member under a number.
func (s *snapshot) add(number int, v reflect.Value) string {
	id := strconv.Itoa(number)
	s.Dict[id] = shallow(follow(v))
	return id
}

// follow goes through pointers and interfaces. Nil leads to the invalid Value.
func follow(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// shallow describes a value without its members.
func shallow(v reflect.Value) entry {
	if !v.IsValid() {
		return entry{Kind: reflect.Invalid, Type: "null"}
	}
	name := v.Type().String()
	switch {
	case v.Kind() == reflect.Bool:
		return entry{Kind: reflect.Bool, Type: name, Value: v.Bool()}
	case v.CanInt():
		return entry{Kind: reflect.Int64, Type: name, Value: v.Int()}
	case v.CanUint():
		return entry{Kind: reflect.Uint64, Type: name, Value: v.Uint()}
	case v.CanFloat() && !math.IsNaN(v.Float()) && !math.IsInf(v.Float(), 0):
		return entry{Kind: reflect.Float64, Type: name, Value: v.Float()}
	case v.CanFloat():
		return entry{Kind: reflect.String, Type: name, Value: strconv.FormatFloat(v.Float(), 'g', -1, 64)}
	case v.Kind() == reflect.String:
		return entry{Kind: reflect.String, Type: name, Value: v.String()}
	case v.Kind() == reflect.Struct:
		return entry{Kind: reflect.Struct, Type: name}
	case v.Kind() == reflect.Slice || v.Kind() == reflect.Array:
		// The page knows no arrays.
		n := v.Len()
		return entry{Kind: reflect.Slice, Type: name, Length: &n}
	case v.Kind() == reflect.Map:
		return entry{Kind: reflect.String, Type: name, Value: strconv.Itoa(v.Len()) + " entries"}
	}
	return entry{Kind: reflect.String, Type: name, Value: v.Kind().String()}
}
