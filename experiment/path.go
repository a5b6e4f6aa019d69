package experiment

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"cotenant/components/stats"
)

// at is the text of a struct's value at a path of JSON names, such as l1.hits; "" if it
// does not exist, is undefined or nil. of points to the struct.
func at(of any, path string) string {
	v := reflect.ValueOf(of).Elem()
	for name := range strings.SplitSeq(path, ".") {
		if v = inner(v, name); !v.IsValid() {
			return ""
		}
	}
	if f, ok := v.Interface().(Figure); ok {
		return f.String()
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Float64 {
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

// inner is the entry of a struct, map or list with a JSON name.
func inner(v reflect.Value, name string) reflect.Value {
	if counts, ok := v.Interface().(stats.Counts); ok {
		if n, ok := counts.Get(name); ok {
			return reflect.ValueOf(n)
		}
		return reflect.Value{}
	}
	switch v.Kind() {
	case reflect.Map:
		if entry := v.MapIndex(reflect.ValueOf(name)); entry.IsValid() {
			return entry
		}
		return reflect.Zero(v.Type().Elem()) // not counted
	case reflect.Slice:
		if i, err := strconv.Atoi(name); err == nil && i < v.Len() {
			return v.Index(i)
		}
		return reflect.Value{}
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			return v.Field(i)
		} else if f.Anonymous {
			if found := inner(v.Field(i), name); found.IsValid() {
				return found
			}
		}
	}
	return reflect.Value{}
}
