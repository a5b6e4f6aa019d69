package kernels

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"
)

// Generator is the parameters of a generator as a manifest gives them: an expression
// for each field of G, by its key. The tag range is what the field may be, ends
// included, and default its value where the manifest gives none; without, it must be
// given. Both are expressions too, in which a key stands for an earlier field. The tag
// with names a field that must not be 0 beside the field, without one that must be.
type Generator[G any] struct{ given map[string]*Expr }

// maker makes the arrays of one entry of the manifest.
type maker interface {
	make(i *Instance, path, name string)
}

// evaluated is a generator with its fields set.
type evaluated interface {
	generate(at place) output
}

// place is where a manifest has a generator.
type place struct {
	m    *Manifest
	path string
}

func (p place) fail(key, format string, args ...any) { p.m.fail(p.path+"."+key, format, args...) }

// output is what a generator makes.
type output struct {
	parts   []part
	numbers []number
}

// part is one array. A generator that makes a single array leaves its name
// empty.
type part struct {
	name string
	data any // []uint16, []int32 or []float32
}

// number is what a generator found out, for expressions.
type number struct {
	name string
	i    int
}

// partTypes are the types of the elements of parts.
var partTypes = map[reflect.Kind]string{reflect.Uint16: "u16", reflect.Int32: "s32", reflect.Float32: "f32"}

// seeded is the part of a generator that draws random numbers.
type seeded struct {
	// Seed starts the random numbers.
	Seed int `yaml:"seed" range:"0..1 << 62" default:"0"`
}

func (s *seeded) random() *random {
	r := random(s.Seed)
	return &r
}

// fields are the parameters of the generator.
func (g *Generator[G]) fields() (fields []reflect.StructField) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[G]()) {
		if !f.Anonymous {
			fields = append(fields, f)
		}
	}
	return fields
}

// Keys implements strictyaml.Keyed.
func (g *Generator[G]) Keys() (keys []string) {
	for _, f := range g.fields() {
		keys = append(keys, keyOf(f))
	}
	return keys
}

// Value implements strictyaml.Keyed.
func (g *Generator[G]) Value(key string) any {
	if g.given == nil {
		g.given = map[string]*Expr{}
	}
	g.given[key] = &Expr{}
	return g.given[key]
}

// Off implements strictyaml.Keyed: off may be the name of a number.
func (g *Generator[G]) Off(key string) { g.Value(key).(*Expr).UnmarshalText([]byte("off")) }

func (g *Generator[G]) check(c *checker, path string) {
	for _, key := range g.Keys() {
		if e := g.given[key]; e != nil {
			e.check(c, path+"."+key)
		}
	}
}

// read evaluates the parameters.
func (g *Generator[G]) read(i *Instance, path string) *G {
	out := new(G)
	known := fieldScope{}
	at := place{i.m, path}
	for _, f := range g.fields() {
		key, e, to := keyOf(f), g.given[keyOf(f)], reflect.ValueOf(out).Elem().FieldByIndex(f.Index)
		if other := f.Tag.Get("with"); other != "" && e != nil && !known[other].isTrue() {
			at.fail(key, "needs %s; give both, or neither", other)
		}
		if other := f.Tag.Get("without"); other != "" && known[other].isTrue() {
			if e != nil {
				at.fail(key, "has no meaning with %s; leave one out", other)
			}
			continue
		}
		if to.Kind() == reflect.Bool {
			if e != nil && e.text != "true" && e.text != "false" {
				at.fail(key, "is %q; it takes true or false", e.text)
			}
			to.SetBool(e != nil && e.text == "true")
			continue
		}
		v := g.number(i, at, f, known)
		known[key] = v
		if to.CanInt() {
			to.SetInt(v.i)
		} else {
			to.SetFloat(v.float())
		}
	}
	return out
}

// number evaluates a parameter, which is whole if its field is.
func (g *Generator[G]) number(i *Instance, at place, f reflect.StructField, known fieldScope) value {
	key, e := keyOf(f), g.given[keyOf(f)]
	first, last, _ := strings.Cut(f.Tag.Get("range"), "..")
	low, high := known.of(first), known.of(last)
	normal, optional := f.Tag.Lookup("default")
	switch {
	case e == nil && !optional:
		at.fail(key, "is missing; valid: %v to %v", low, high)
	case e == nil:
		return known.of(normal)
	case f.Type.Kind() == reflect.Int:
		return wholeOf(i.whole(e, low.i, high.i))
	}
	v, err := e.number(i)
	if err == nil && !(v >= low.float() && v <= high.float()) {
		err = fmt.Errorf("%q is %v; valid: %v to %v", e.text, v, low, high)
	}
	i.m.must(e.path, err)
	return realOf(v)
}

// make generates the arrays. Their names begin with the name of the entry.
func (g *Generator[G]) make(i *Instance, path, name string) {
	out := any(g.read(i, path)).(evaluated).generate(place{i.m, path})
	for _, p := range out.parts {
		list := reflect.ValueOf(p.data)
		t, _ := elementOf(partTypes[list.Type().Elem().Kind()])
		d := i.add(path, join(name, p.name), t, list.Len(), 0)
		binary.Encode(d.Bytes, binary.LittleEndian, p.data) // which fits
	}
	for _, n := range out.numbers {
		i.numbers[join(name, n.name)] = wholeOf(int64(n.i))
	}
}

// fieldScope is the scope of the tags of a generator: the fields so far.
type fieldScope map[string]value

func (s fieldScope) name(name string) (value, error) { return s[name], nil }

func (s fieldScope) element(string, int64) (value, error) { return value{}, nil }

// of is the value of an expression in a tag.
func (s fieldScope) of(text string) value {
	e := Expr{}
	e.UnmarshalText([]byte(text)) // of this program, and so without faults
	v, _ := e.eval(s)
	return v
}

// maker is the generator of the array and its key, nil without.
func (g *Generators) maker() (key string, by maker) {
	for f, v := range reflect.ValueOf(g).Elem().Fields() {
		if !v.IsNil() {
			key, by = keyOf(f), v.Interface().(maker)
		}
	}
	return key, by
}

func (a *Array) check(c *checker, path string) {
	sources := keysOf(&a.Source)
	made := keysOf(&a.Generators)
	if n := len(sources) + len(made); n > 1 {
		c.m.fail(path, "has %d sources of its contents; valid: one, or none for zeros", n)
	}
	if len(made) > 0 {
		if a.Type != "" || a.Length.given() || a.Margin.given() || a.Fields != nil {
			c.m.fail(path, "has type, length, fields or margin beside %s, which sets type and length", made[0])
		}
		return
	}
	if a.Fields == nil {
		if _, ok := elementOf(a.Type); !ok {
			c.m.fail(path+".type", "is %q; valid: %s", a.Type, elementNames)
		}
	} else {
		a.checkFields(c, path, sources)
	}
	if !a.Length.given() && a.Values == nil && a.File == "" {
		c.m.fail(path+".length", "is missing; give the number of elements")
	}
}
