// Package parts lets a preset choose the implementation of a block's part by name: a
// replacement rule, a DRAM scheduler, a topology. Options can follow the name:
//
//	victim: srrip:bits=3
//
// Each kind of part is a Set. Implementations add themselves to it; New makes the part
// that a preset's text names, or returns an error that lists the valid names.
package parts

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cotenant/components/limits"
)

// Set holds the implementations of a part in alphabetical order. P is the part's
// interface; C is what the block tells each part that it makes. The zero Set is empty.
type Set[C, P any] struct{ list []part[C, P] }

type part[C, P any] struct {
	name  string
	parse func(options string) (func(C) P, error)
}

// Add registers an implementation without options. A name that is taken is a fault of
// the program.
func (s *Set[C, P]) Add(name string, create func(C) P) {
	AddWithOptions(s, name, struct{}{}, func(c C, _ struct{}) P { return create(c) })
}

// AddWithOptions registers an implementation. Defaults is a struct of options: numbers
// and booleans with yaml tags and, for package limits, ranges.
func AddWithOptions[C, P, O any](s *Set[C, P], name string, defaults O, create func(C, O) P) {
	at, taken := slices.BinarySearchFunc(s.list, name, func(p part[C, P], name string) int { return strings.Compare(p.name, name) })
	if taken {
		panic("two parts are called " + name)
	}
	s.list = slices.Insert(s.list, at, part[C, P]{name, func(text string) (func(C) P, error) {
		o := defaults
		if err := decode(reflect.ValueOf(&o).Elem(), text); err != nil {
			return nil, err
		}
		return func(c C) P { return create(c, o) }, limits.Check(&o)
	}})
}

// Names lists the implementations.
func (s *Set[C, P]) Names() (names []string) {
	for _, p := range s.list {
		names = append(names, p.name)
	}
	return names
}

// New makes the part that the parameter of a key asks for. Errors begin with the key.
func (s *Set[C, P]) New(key, text string, c C) (made P, err error) {
	create, err := s.parse(key, text)
	if err == nil {
		made = create(c)
	}
	return made, err
}

// Check returns the error of New without making the part.
func (s *Set[C, P]) Check(key, text string) error {
	_, err := s.parse(key, text)
	return err
}

func (s *Set[C, P]) parse(key, text string) (create func(C) P, err error) {
	name, options, _ := strings.Cut(text, ":")
	i := slices.IndexFunc(s.list, func(p part[C, P]) bool { return p.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%s is %q, must be one of %s", key, name, strings.Join(s.Names(), ", "))
	}
	if create, err = s.list[i].parse(options); err != nil {
		err = fmt.Errorf("%s is %q: %w", key, text, err)
	}
	return create, err
}

// decode writes options over a struct of defaults.
func decode(spec reflect.Value, options string) error {
	if options == "" {
		return nil
	}
	for item := range strings.SplitSeq(options, ",") {
		key, value, _ := strings.Cut(item, "=")
		var keys []string
		known := false
		for i := range spec.NumField() {
			name := spec.Type().Field(i).Tag.Get("yaml")
			if keys = append(keys, name); name != key {
				continue
			}
			known = true
			if err := assign(spec.Field(i), value); err != nil {
				return fmt.Errorf("%s is %q, must be %w", key, value, err)
			}
		}
		if !known {
			return fmt.Errorf("unknown option %q; valid: %s", key, strings.Join(append(keys, "none")[:max(1, len(keys))], ", "))
		}
	}
	return nil
}

// assign sets an option to the value that a text stands for. The error says what the
// text must be.
func assign(field reflect.Value, text string) error {
	if field.Kind() == reflect.Bool {
		b, err := strconv.ParseBool(text)
		if field.SetBool(b); err != nil {
			return fmt.Errorf("true or false")
		}
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if field.SetInt(n); err != nil {
		return fmt.Errorf("a whole number")
	}
	return nil
}
