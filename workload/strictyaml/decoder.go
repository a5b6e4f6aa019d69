package strictyaml

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"cotenant/options"
)

// Text is a scalar with a notation of its own.
type Text interface {
	encoding.TextUnmarshaler
	// Takes completes "it takes ..." in the message on a text that
	// UnmarshalText rejects.
	Takes() string
}

// Defaulter is a type that starts from defaults when its key is given, whatever
// it held before.
type Defaulter interface{ SetDefaults() }

// Short is a struct or a slice that may also be written as a scalar.
type Short interface {
	// Short returns a pointer to the part that the scalar sets.
	Short() any
}

// Keyed is a mapping with keys that are no fields of a struct.
type Keyed interface {
	// Keys lists the valid keys.
	Keys() []string
	// Value returns a pointer to the value of a valid key, made if need be, for
	// the document to be written over.
	Value(key string) any
	// Off takes a valid key away: the document says off for it.
	Off(key string)
}

// ShortList is a slice that is a Short.
type ShortList interface {
	Short
	// Takes completes "it takes ..." in the message on what is neither a list nor
	// the scalar.
	Takes() string
}

// decoder writes one document.
type decoder struct {
	*Document
	at Positions
}

func (d *decoder) value(node *yaml.Node, out reflect.Value, path string) error {
	d.at[path] = d.At(node)
	if node.Kind == yaml.AliasNode {
		return d.At(node).Errorf("%s is an alias; write the value out", d.name(path))
	}
	if out.Kind() == reflect.Pointer {
		out.Set(reflect.New(out.Type().Elem()))
		out = out.Elem()
	}
	if v, ok := out.Addr().Interface().(Defaulter); ok {
		v.SetDefaults()
	}
	if text, ok := out.Addr().Interface().(Text); ok {
		if node.Kind != yaml.ScalarNode || text.UnmarshalText([]byte(node.Value)) != nil {
			return d.fault(node, path, text.Takes())
		}
		return nil
	}
	if list, ok := out.Addr().Interface().(ShortList); ok && node.Kind != yaml.SequenceNode {
		if node.Kind != yaml.ScalarNode || d.value(node, reflect.ValueOf(list.Short()).Elem(), path) != nil {
			return d.fault(node, path, list.Takes())
		}
		return nil
	}
	if short, ok := out.Addr().Interface().(Short); ok && node.Kind == yaml.ScalarNode {
		return d.value(node, reflect.ValueOf(short.Short()).Elem(), path)
	}
	if keyed, ok := out.Addr().Interface().(Keyed); ok {
		return d.keyed(node, keyed, path)
	}
	switch out.Kind() {
	case reflect.Struct:
		return d.structure(node, out, path)
	case reflect.Slice:
		return d.sequence(node, out, path)
	}
	return d.scalar(node, out, path)
}

func (d *decoder) structure(node *yaml.Node, out reflect.Value, path string) error {
	keys, fields := keysOf(out.Type())
	return d.mapping(node, keys, path, func(k int, value *yaml.Node, path string) error {
		return d.value(value, out.FieldByIndex(fields[k]), path)
	})
}

func (d *decoder) keyed(node *yaml.Node, out Keyed, path string) error {
	keys := out.Keys()
	return d.mapping(node, keys, path, func(k int, value *yaml.Node, path string) error {
		if value.Kind == yaml.ScalarNode && value.Value == "off" {
			out.Off(keys[k])
			return nil
		}
		return d.value(value, reflect.ValueOf(out.Value(keys[k])).Elem(), path)
	})
}

// mapping reads a mapping with some of the keys, and calls write with the number
// of each that there is, its value and that value's path.
func (d *decoder) mapping(node *yaml.Node, keys []string, path string, write func(k int, value *yaml.Node, path string) error) error {
	valid := strings.Join(keys, ", ")
	if path == "" {
		valid = strings.Join(slices.Concat(d.taken, keys), ", ")
	}
	if valid == "" && (node.Kind != yaml.MappingNode || len(node.Content) > 0) {
		return d.At(node).Errorf("%s takes no keys; leave it out", d.name(path))
	}
	if node.Kind != yaml.MappingNode {
		return d.fault(node, path, "the keys "+valid)
	}
	seen := make([]bool, len(keys))
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		k := slices.Index(keys, key.Value)
		if path == "" && slices.Contains(d.taken, key.Value) {
			return d.At(key).Errorf("%s is given twice; once is enough", key.Value)
		}
		inner := key.Value
		if path != "" {
			inner = path + "." + inner
		}
		for end, why := range d.format.Gone {
			if inner == end || strings.HasSuffix(inner, "."+end) {
				return d.At(key).Errorf("%s has gone: %s; leave it out", inner, why)
			}
		}
		if k < 0 || key.Kind != yaml.ScalarNode {
			where := d.name(path)
			if where != "" {
				where = " in " + where
			}
			return d.At(key).Errorf("unknown key %q%s; valid keys: %s", key.Value, where, valid)
		}
		if seen[k] {
			return d.At(key).Errorf("%s is given twice; once is enough", inner)
		}
		seen[k] = true
		if err := write(k, value, inner); err != nil {
			return err
		}
	}
	return nil
}

// keysOf lists the keys of a struct and the fields they set. The keys of an inline
// struct are among its own.
func keysOf(t reflect.Type) (keys []string, fields [][]int) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, option, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case option == "inline":
			inner, under := keysOf(f.Type)
			keys = append(keys, inner...)
			for _, index := range under {
				fields = append(fields, append([]int{i}, index...))
			}
		case key != "" && key != "-":
			keys, fields = append(keys, key), append(fields, []int{i})
		}
	}
	return keys, fields
}

func (d *decoder) sequence(node *yaml.Node, out reflect.Value, path string) error {
	if node.Kind != yaml.SequenceNode {
		return d.fault(node, path, "a list, such as [a, b]")
	}
	out.Set(reflect.MakeSlice(out.Type(), len(node.Content), len(node.Content)))
	for i, entry := range node.Content {
		if err := d.value(entry, out.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// scalars are the YAML tags that a kind of field takes, and what they are
// called.
var scalars = map[reflect.Kind]struct {
	tags  []string
	takes string
}{
	reflect.Bool:    {[]string{"!!bool"}, "true or false"},
	reflect.Int:     {[]string{"!!int"}, "a whole number"},
	reflect.Float64: {[]string{"!!int", "!!float"}, "a number"},
	reflect.String:  {[]string{"!!str"}, "text"},
}

func (d *decoder) scalar(node *yaml.Node, out reflect.Value, path string) error {
	kind, tag := scalars[out.Kind()], node.ShortTag()
	switch {
	case node.Kind != yaml.ScalarNode:
	case out.Kind() == reflect.String && d.format.AnyText && tag != "!!null":
		out.SetString(node.Value)
		return nil
	case slices.Contains(kind.tags, tag) && node.Decode(out.Addr().Interface()) == nil:
		return nil
	case out.Kind() == reflect.Int && tag == "!!float":
		// Such as 1e3, which is whole.
		if n, ok := options.Whole(node.Value); ok {
			out.SetInt(int64(n))
			return nil
		}
	}
	return d.fault(node, path, kind.takes)
}

// fault reports a value of the wrong kind.
func (d *decoder) fault(node *yaml.Node, path, takes string) error {
	text := fmt.Sprintf("%s is %s; it takes %s", d.name(path), describe(node), takes)
	return d.At(node).Errorf("%s", strings.TrimPrefix(text, " "))
}

// name is what messages call the value at a path.
func (d *decoder) name(path string) string {
	if path == "" {
		return d.format.Root
	}
	return path
}

// describe says what a value is.
func describe(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.MappingNode:
		return "a mapping"
	case node.Kind == yaml.SequenceNode:
		return "a list"
	case node.Value == "":
		return "empty"
	}
	return strconv.Quote(node.Value)
}
