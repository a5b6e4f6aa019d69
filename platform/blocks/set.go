package blocks

import (
	"fmt"
	"reflect"
)

// Set is the section blocks of a GPU's configuration: the blocks that it has, by
// key, each a pointer to its Spec.
type Set map[string]any

// Keys lists the keys that there are.
func (Set) Keys() []string {
	var keys []string
	for _, k := range kinds {
		keys = append(keys, k.Key)
	}
	return keys
}

// Value returns a pointer to the Spec of a block, which the GPU then has. Keys lists the
// valid keys.
func (s *Set) Value(key string) any {
	if *s == nil {
		*s = Set{}
	}
	for _, k := range kinds {
		if k.Key == key && (*s)[key] == nil {
			(*s)[key] = k.defaults()
		}
	}
	return (*s)[key]
}

// Off takes a block off the GPU.
func (s *Set) Off(key string) { delete(*s, key) }

// Validate reports the first parameter that is out of range, by its path within
// the section.
func (s Set) Validate() error {
	for _, k := range kinds {
		if spec, has := s[k.Key]; has {
			if err := spec.(Spec).Validate(); err != nil {
				return fmt.Errorf("%s.%w", k.Key, err)
			}
		}
	}
	return nil
}

// At lists the blocks that the GPU has at a joint, from the side of Up to that of
// Down, in alphabetical order of their keys.
func (s Set) At(j Joint) (list []Chosen) {
	for _, k := range kinds {
		if spec, has := s[k.Key]; has && k.Joint == j {
			list = append(list, Chosen{k, spec})
		}
	}
	return list
}

// Chosen is a kind of block that a GPU has, with its parameters.
type Chosen struct {
	Kind
	spec any // a pointer
}

// Spec is the block's parameters, a struct.
func (c *Chosen) Spec() any { return deref(c.spec) }

// Make makes the block for one link. An error names it.
func (c *Chosen) Make(p Place) (Block, error) {
	b, err := c.build(p, c.spec)
	if err == nil && (b.Module == nil || b.Up == nil || !counted(b.Stats)) {
		err = fmt.Errorf("%s: a block must have Module, Up, and Stats that point to a struct", p.Name)
	}
	return b, err
}

func counted(stats any) bool {
	t := reflect.TypeOf(stats)
	return t != nil && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct
}

func deref(pointer any) any { return reflect.ValueOf(pointer).Elem().Interface() }
