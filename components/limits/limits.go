// Package limits checks the parameters of blocks against the ranges in their tags:
//
//	Sets int `yaml:"sets" range:"0..4096"`
//	Ways int `yaml:"ways" range:"1..256" if:"sets"`
//	Port int `yaml:"port" range:"32,64,128"`
//	Page int `yaml:"page" range:"pow2 64..1<<20 bytes"`
//
// A range lists numbers and spans. The word pow2 before the list admits only powers of
// two; a word after the list is the unit that errors print. The tag if names another
// parameter of the struct by its yaml key. Check then skips the range while that parameter
// is 0, empty or skipped itself; if:"victim=ucp" skips it unless the parameter has that
// value. Check returns an Error for the first parameter out of its range. Rules between
// two parameters are Go code.
package limits

import (
	"fmt"
	"reflect"
	"strings"
)

// Error is a parameter out of its range.
type Error struct {
	Path  string // keys joined by dots
	Value int64
	Must  string // what the parameter must be, such as 1 to 1023
}

// Error names the parameter, its value and what it must be.
func (e *Error) Error() string { return fmt.Sprintf("%s is %d, must be %s", e.Path, e.Value, e.Must) }

// In returns an Error unless a parameter is in a span whose ends follow from other
// parameters.
func In(path string, value, least, most int) error {
	if value < least || value > most {
		return &Error{path, int64(value), fmt.Sprintf("%d to %d", least, most)}
	}
	return nil
}

// Check returns an error for the first parameter of a struct, or of a pointer's struct,
// that is out of its range. It checks a nested struct by its own Validate if there is
// one, else by its tags; range:"-" leaves the field to the caller.
func Check(spec any) error {
	v := reflect.ValueOf(spec)
	if v.Kind() != reflect.Pointer {
		v = reflect.New(v.Type())
		v.Elem().Set(reflect.ValueOf(spec))
	}
	return check(v.Elem())
}

func check(spec reflect.Value) error {
	for i := range spec.NumField() {
		f, v := spec.Type().Field(i), spec.Field(i)
		text := f.Tag.Get("range")
		switch {
		case text == "-" || !counts(spec, f):
		case text != "":
			if r := parse(text); !r.has(v.Int()) {
				return &Error{keyOf(f), v.Int(), r.String()}
			}
		case v.Kind() == reflect.Struct && f.IsExported():
			if err := within(keyOf(f), inside(v)); err != nil {
				return err
			}
		}
	}
	return nil
}

// inside checks a nested struct.
func inside(v reflect.Value) error {
	if s, ok := v.Addr().Interface().(interface{ Validate() error }); ok {
		return s.Validate()
	}
	return check(v)
}

// within puts a key in front of an error's path, unless the key's struct is inline.
func within(key string, err error) error {
	if err == nil || key == "" {
		return err
	}
	if e, ok := err.(*Error); ok {
		return &Error{key + "." + e.Path, e.Value, e.Must}
	}
	return fmt.Errorf("%s.%w", key, err)
}

// keyOf is the key of a field: its name in lower case if files cannot set it.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	if key == "-" {
		return strings.ToLower(f.Name)
	}
	return key
}

// counts reports whether the range of a field counts, by the field's tag if.
func counts(spec reflect.Value, f reflect.StructField) bool {
	key, value, equals := strings.Cut(f.Tag.Get("if"), "=")
	if key == "" {
		return true
	}
	for i := range spec.NumField() {
		if o := spec.Type().Field(i); keyOf(o) == key {
			if equals {
				return spec.Field(i).String() == value
			}
			return !spec.Field(i).IsZero() && (o.Name == f.Name || counts(spec, o))
		}
	}
	panic(fmt.Sprintf("%v has no key %q for the if of %s", spec.Type(), key, f.Name))
}
