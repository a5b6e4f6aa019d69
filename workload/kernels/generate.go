package kernels

import (
	"encoding/binary"
	"fmt"
	"reflect"
)

// generator makes the contents of arrays. It takes its parameters from args,
// which keep the first fault; after one the output does not matter.
type generator interface {
	generate(a *args) output
}

// output is what a generator makes.
type output struct {
	parts   []part
	numbers []number
}

// part is one array. A generator that makes a single array leaves its name
// empty.
type part struct {
	name string
	data any // []uint8, []uint16, []int32 or []float32
}

// number is what a generator found out, for expressions.
type number struct {
	name string
	i    int
}

// encode returns the elements as they lie in memory, and their type.
func (p part) encode() (elementType, []byte) {
	var name string
	var bytes []byte
	switch data := p.data.(type) {
	case []uint8:
		return elementTypes[0], data
	case []uint16:
		name = "u16"
		bytes, _ = binary.Append(make([]byte, 0, 2*len(data)), binary.LittleEndian, data)
	case []int32:
		name = "s32"
		bytes, _ = binary.Append(make([]byte, 0, 4*len(data)), binary.LittleEndian, data)
	case []float32:
		name = "f32"
		bytes, _ = binary.Append(make([]byte, 0, 4*len(data)), binary.LittleEndian, data)
	}
	t, _ := elementOf(name)
	return t, bytes
}

// args evaluate the parameters of one generator.
type args struct {
	*Instance
	path string
	err  error
}

func (a *args) fail(key, format string, args ...any) {
	if a.err == nil {
		a.err = a.m.errorf(a.path+"."+key, format, args...)
	}
}

// whole is a parameter from low to high; normal is its value where the manifest
// gives none, and below low if it must be given.
func (a *args) whole(key string, e *Expr, low, high, normal int) int {
	if a.err != nil {
		return low
	}
	if !e.given() {
		if normal < low {
			a.fail(key, "is missing; valid: %d to %d", low, high)
		}
		return max(low, normal)
	}
	v, err := e.whole(a, int64(low), int64(high))
	if err != nil {
		a.fail(key, "%v", err)
		return low
	}
	return int(v)
}

// number is a parameter of either kind from low to high, with a default.
func (a *args) number(key string, e *Expr, low, high, normal float64) float64 {
	if a.err != nil || !e.given() {
		return normal
	}
	v, err := e.number(a)
	if err == nil && !(v >= low && v <= high) {
		err = fmt.Errorf("%q is %v; valid: %v to %v", e.text, v, low, high)
	}
	if err != nil {
		a.fail(key, "%v", err)
		return normal
	}
	return v
}

// seed starts a generator's random numbers.
func (a *args) seed(e *Expr) *random {
	r := random(a.whole("seed", e, 0, 1<<62, 0))
	return &r
}

// source is the generator of an array that has one, and its key.
func (a *Array) source() (key string, g generator) {
	for _, s := range a.generators() {
		if !reflect.ValueOf(s.g).IsNil() {
			return s.key, s.g
		}
	}
	return "", nil
}

type keyed struct {
	key string
	g   generator
}

func (a *Array) generators() []keyed {
	return []keyed{{"sky", a.Sky}, {"matrix", a.Matrix}, {"road", a.Road}, {"rmat", a.RMAT}, {"water", a.Water},
		{"kspace", a.KSpace}, {"frames", a.Frames}, {"tree", a.Tree}, {"queens", a.Queens}}
}

// array checks one array of the manifest.
func (c *checker) array(path string, a *Array) {
	c.fresh(path+".name", a.Name)
	c.optional(path+".length", &a.Length)
	c.optional(path+".margin", &a.Margin)
	sources := c.source(path, &a.Source)
	made, g := a.source()
	for _, s := range a.generators() {
		if !reflect.ValueOf(s.g).IsNil() {
			sources++
		}
	}
	if g != nil {
		c.parameters(path+"."+made, g)
	}
	if sources > 1 {
		c.fail(path, "has %d sources of its contents; valid: one, or none for zeros", sources)
	}
	if g != nil {
		if a.Type != "" || a.Length.given() || a.Margin.given() || a.Fields != nil {
			c.fail(path, "has type, length, fields or margin beside %s, which sets type and length", made)
		}
		return
	}
	if a.Fields != nil {
		c.structures(path, a)
		if sources > 0 && a.File == "" {
			c.fail(path, "has a source of its contents beside fields; valid: file, or those of the fields")
		}
	} else if _, ok := elementOf(a.Type); !ok {
		c.fail(path+".type", "is %q; valid: %s", a.Type, elementNames())
	}
	if !a.Length.given() && a.Values == nil && a.File == "" {
		c.fail(path+".length", "is missing; give the number of elements")
	}
}

// source checks where contents come from, and counts in how many ways that is
// said.
func (c *checker) source(path string, s *Source) (ways int) {
	c.contents(path, &s.Contents)
	if s.Uniform != nil {
		c.parameters(path+".uniform", s.Uniform)
	}
	if s.Normal != nil {
		c.parameters(path+".normal", s.Normal)
	}
	return s.ways()
}

// ways counts the sources.
func (s *Source) ways() int {
	return s.Contents.ways() + count(s.Uniform != nil, s.Normal != nil)
}

// contents checks what elements hold, and counts in how many ways that is said.
func (c *checker) contents(path string, s *Contents) (ways int) {
	c.optional(path+".fill", &s.Fill)
	c.optional(path+".formula", &s.Formula)
	for key, list := range [][]Expr{s.Values, s.Stretches} {
		if key := path + []string{".values", ".stretches"}[key]; list != nil {
			c.count(key, len(list), 1)
			c.exprs(key, list)
		}
	}
	return s.ways()
}

func (s *Contents) ways() int {
	return count(s.Fill.given(), s.Values != nil, s.Stretches != nil, s.Formula.given(), s.File != "")
}

// count is how many of them hold.
func count(given ...bool) (n int) {
	for _, g := range given {
		if g {
			n++
		}
	}
	return n
}

// parameters checks the expressions in the fields of a generator.
func (c *checker) parameters(path string, g any) {
	s := reflect.ValueOf(g).Elem()
	for i := range s.NumField() {
		if e, ok := s.Field(i).Addr().Interface().(*Expr); ok {
			c.optional(path+"."+s.Type().Field(i).Tag.Get("yaml"), e)
		}
	}
}
