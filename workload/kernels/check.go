package kernels

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"cotenant/components/limits"
	"cotenant/workload"
)

// Limits that keep a hostile manifest from taking memory or time without bound.
const (
	maxEntries = 1000    // of any list
	maxBytes   = 8 << 30 // of all arrays together
	maxThreads = 1024    // of a TB
	maxGrid    = 1<<31 - 1
	maxShared  = 1 << 20
	maxTurns   = 1_000_000 // of a repetition
	maxStream  = 1024
)

// fault is a panic with the error that ends what a function of the package does.
type fault struct{ error }

// caught returns a fault as an error of the function that defers it.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case fault:
		*err = f.error
	default:
		panic(f)
	}
}

// raise panics with an error, if there is one.
func raise(err error) {
	if err != nil {
		panic(fault{err})
	}
}

// fail raises an error for the value at a path of the manifest.
func (m *Manifest) fail(path, format string, args ...any) {
	panic(fault{m.errorf(path, format, args...)})
}

// must raises an error, if there is one, for the value at a path.
func (m *Manifest) must(path string, err error) {
	if err != nil {
		m.fail(path, "%v", err)
	}
}

// checker checks a manifest by the tags of its fields, and by the check methods of
// its types where a rule is about several fields:
//
//	need     what to give if the field is missing
//	range    the valid numbers (package limits)
//	words    the valid texts
//	entries  the fewest entries of a list that is given
//	name     the field names something: "new" if nothing else may have the name
//	array    the field names an array, which must be there when the first step runs
type checker struct {
	m     *Manifest
	names map[string]bool
}

// checked is a value with rules of its own.
type checked interface {
	check(c *checker, path string)
}

// value checks a value and what it holds.
func (c *checker) value(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			c.value(path, v.Elem())
		}
		return
	case reflect.Slice:
		c.list(path, v)
	case reflect.Struct:
		var out *limits.Error
		if err := limits.Check(v.Addr().Interface()); errors.As(err, &out) {
			c.m.fail(join(path, out.Path), "is %d; valid: %s", out.Value, out.Must)
		}
		for f, field := range v.Fields() {
			if f.IsExported() {
				c.field(join(path, keyOf(f)), f.Tag, field)
			}
		}
	}
	if own, ok := v.Addr().Interface().(checked); ok {
		own.check(c, path)
	}
}

func (c *checker) list(path string, v reflect.Value) {
	if v.Len() > maxEntries {
		c.m.fail(path, "has %d entries; valid: at most %d", v.Len(), maxEntries)
	}
	for i := range v.Len() {
		c.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
	}
}

// field checks a field by its tags.
func (c *checker) field(path string, tag reflect.StructTag, v reflect.Value) {
	what, needed := tag.Lookup("need")
	if needed && (!given(v) || v.Kind() == reflect.Slice && v.Len() == 0) {
		c.m.fail(path, "is missing; give %s", what)
	}
	if list, ok := tag.Lookup("words"); ok && !slices.Contains(strings.Split(list, ", "), v.String()) {
		c.m.fail(path, "is %q; valid: %s", v, list)
	}
	if least, ok := tag.Lookup("entries"); ok && !v.IsNil() {
		if n := v.Len(); n < int(least[0]-'0') {
			c.m.fail(path, "has %d entries; valid: %s to %d", n, least, maxEntries)
		}
	}
	if scope, ok := tag.Lookup("name"); ok {
		c.name(path, v.String(), scope == "new")
	}
	if _, ok := tag.Lookup("array"); ok {
		c.m.named = append(c.m.named, namedArray{path, v.String()})
	}
	c.value(path, v)
}

// name checks a name that the manifest gives, which nothing else may have if it is
// new.
func (c *checker) name(path, name string, fresh bool) {
	if name == "" || span(name, letters+digits) != len(name) || strings.Contains(digits, name[:1]) {
		c.m.fail(path, "is %q; valid: letters, digits and underscores, a digit not first", name)
	}
	if _, reserved := functions[name]; reserved || slices.Contains([]string{"i", "block_x", "block_y", "block_z"}, name) {
		c.m.fail(path, "is %q, which expressions know already; valid: any other name", name)
	}
	if fresh && c.names[name] {
		c.m.fail(path, "is %q, the name of an earlier entry; valid: a name of its own", name)
	}
	c.names[name] = c.names[name] || fresh
}

// keyOf is the key of a field in a manifest, empty for what is inline.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return strings.TrimPrefix(key, "-")
}

// given reports whether a manifest has given a field.
func given(v reflect.Value) bool {
	if e, ok := v.Addr().Interface().(interface{ given() bool }); ok {
		return e.given()
	}
	return !v.IsZero()
}

// keysOf lists the keys of a struct that are given.
func keysOf(of any) (keys []string) {
	v := reflect.ValueOf(of).Elem()
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.IsExported() && !f.Anonymous && given(v.FieldByIndex(f.Index)) {
			keys = append(keys, keyOf(f))
		}
	}
	return keys
}

// repeated is the index of the first entry of a list that is empty or an earlier one,
// -1 if there is none.
func repeated(list []string) int {
	for i, s := range list {
		if s == "" || slices.Contains(list[:i], s) {
			return i
		}
	}
	return -1
}

// namesOf are the names of the entries of a list.
func namesOf[T any](list []T, name func(*T) string) (names []string) {
	for i := range list {
		names = append(names, name(&list[i]))
	}
	return names
}

func (e *Expr) check(c *checker, path string) {
	e.path = path
	if e.fault != nil && e.text == "" {
		c.m.fail(path, "is missing; it takes %s", e.Takes())
	}
	if e.fault != nil {
		c.m.fail(path, "is %q, which %v", e.text, e.fault)
	}
}

func (m *Manifest) check(c *checker, _ string) {
	for i, name := range m.Abbr {
		if repeated(m.Abbr) == i || span(name, letters+digits+"+") != len(name) {
			c.m.fail("abbr", "has %q; valid: letters, digits, underscores and plus signs, once", name)
		}
	}
	if i := repeated(m.PTX); i >= 0 {
		c.m.fail(m.pathOfPTX(i), "is %q; valid: the path of a PTX file, once", m.PTX[i])
	}
	if i := repeated(m.kernelNames()); i >= 0 {
		c.m.fail(fmt.Sprintf("kernels[%d].name", i), "is %q; valid: a kernel of the PTX file, once", m.Kernels[i].Name)
	}
}

func (p *Parameter) check(c *checker, path string) {
	sized := 0
	for _, e := range p.sizes() {
		if e.given() {
			sized++
		}
	}
	if p.Value.given() && sized > 0 || !p.Value.given() && sized < len(Sizes) {
		c.m.fail(path, "must have either value, or all of %s", strings.Join(Sizes, ", "))
	}
}

// sizes are the values in the order of Sizes.
func (p *Parameter) sizes() []*Expr { return []*Expr{&p.Tiny, &p.Small, &p.Medium} }

func (k *Kernel) check(c *checker, path string) {
	archs := k.archs()
	if i := repeated(archs); i >= 0 && (archs[i] != "" || len(archs) > 1) {
		c.m.fail(fmt.Sprintf("%s.demands[%d].arch", path, i), "is %q; valid: one entry for each architecture, and its name if there are several", archs[i])
	}
}

func (s *Stream) check(c *checker, path string) {
	for i := range c.m.Streams {
		if other := &c.m.Streams[i]; other != s && other.Stream == s.Stream {
			c.m.fail(path+".stream", "is %d, as another; valid: each stream once", s.Stream)
		}
	}
}

func (d *Dimensions) check(c *checker, path string) {
	if len(*d) > 3 {
		c.m.fail(path, "has %d entries; valid: one to three", len(*d))
	}
}

func (s *Step) check(c *checker, path string) {
	keys := slices.DeleteFunc(keysOf(s), func(key string) bool { return key == "stream" })
	if len(keys) != 1 {
		c.m.fail(path, "has %d of the keys %s; valid: one", len(keys), strings.Join(stepKinds, ", "))
	}
	s.kind = keys[0]
	if n := len(s.Swap); s.kind == "swap" && n != 2 {
		c.m.fail(path+".swap", "has %d names; valid: two", n)
	}
	if _, given := c.m.at[path+".stream"]; !given {
		return
	}
	if !slices.Contains([]string{"launch", "upload", "download"}, s.kind) {
		c.m.fail(path+".stream", "is beside %s; valid: beside launch, upload or download", s.kind)
	}
	if s.Stream < 1 || s.Stream > maxStream {
		c.m.fail(path+".stream", "is %d; valid: whole numbers from 1 to %d", s.Stream, maxStream)
	}
}

func (l *LaunchStep) check(c *checker, path string) {
	if names := c.m.kernelNames(); !slices.Contains(names, l.Kernel) {
		c.m.fail(path+".kernel", "is %q, no entry of kernels; valid: %s", l.Kernel, strings.Join(names, ", "))
	}
}

func (a *Arg) check(c *checker, path string) {
	if len(a.Fields) == 0 && !a.Value.given() {
		c.m.fail(path, "is missing; it takes %s", a.Value.Takes())
	}
}

func (f *Field) check(c *checker, path string) {
	if f.Value.given() == (len(f.Values) > 0) {
		c.m.fail(path, "must have either value or values")
	}
}

func (r *RepeatStep) check(c *checker, path string) {
	if r.Times.given() == r.While.given() {
		c.m.fail(path, "must have either times or while")
	}
	if r.Index != "" {
		c.name(path+".index", r.Index, false)
	}
}

// launches checks the arguments of launches against the kernels of the PTX.
func (c *checker) launches() {
	eachStep(c.m.Steps, "steps", func(path string, s *Step) {
		if s.Launch == nil {
			return
		}
		if f := c.m.entries[c.m.kernel(s.Launch.Kernel)]; len(f.Params) != len(s.Launch.Args) {
			c.m.fail(path+".launch.args", "has %s; valid: %d, the parameters of %s", workload.Count(len(s.Launch.Args), "entry"), len(f.Params), f.Name)
		}
	})
}
