package kernels

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"cotenant/workload"
)

// dump checks a step that writes an array.
func (c *checker) dump(path string, s *DumpStep) {
	c.part(path, &s.Range)
	if s.File.text == "" {
		c.fail(path+".file", "is missing; give the path of the file to write")
		return
	}
	for _, e := range s.File.exprs {
		c.optional(path+".file", &e)
	}
	if s.File.fixed() {
		if err := c.m.spare(s.File.text); err != nil {
			c.fail(path+".file", "%v", err)
		}
	}
}

// expect checks a step that compares an array.
func (c *checker) expect(path string, s *ExpectStep) {
	c.part(path, &s.Range)
	c.optional(path+".absolute", &s.Absolute)
	c.optional(path+".relative", &s.Relative)
	if n := c.contents(path, &s.Contents); n != 1 {
		c.fail(path, "has %d of the keys fill, values, stretches, formula, file; valid: one", n)
	}
	if s.File == "" || c.m.expected[s.File] != nil || c.err != nil {
		return
	}
	data, err := c.m.data(s.File)
	if err != nil {
		c.fail(path+".file", unread, beside(c.m.file, s.File), cause(err))
		return
	}
	if c.m.expected == nil {
		c.m.expected = map[string][]byte{}
	}
	c.m.expected[s.File] = data
}

func (c *checker) part(path string, r *Range) {
	c.optional(path+".start", &r.Start)
	c.optional(path+".count", &r.Count)
}

// eachStep calls f with every step, inside repetitions too, and its path.
func eachStep(steps []Step, path string, f func(path string, s *Step)) {
	for i := range steps {
		path := fmt.Sprintf("%s[%d]", path, i)
		f(path, &steps[i])
		if r := steps[i].Repeat; r != nil {
			eachStep(r.Steps, path+".repeat.steps", f)
		}
	}
}

// Inspections are the steps that dump and expect arrays, in the order of the
// manifest.
func (m *Manifest) Inspections() (list []workload.Step) {
	eachStep(m.Steps, "steps", func(path string, s *Step) {
		switch {
		case s.Dump != nil:
			step := workload.Step{At: m.where(path + ".dump"), Dump: true}
			if s.Dump.File.fixed() {
				step.File = beside(m.file, s.Dump.File.text)
			}
			list = append(list, step)
		case s.Expect != nil:
			list = append(list, workload.Step{At: m.where(path + ".expect")})
		}
	})
	return list
}

// where names a step.
func (m *Manifest) where(path string) string { return m.at.Nearest(path).Errorf("%s", path).Error() }

// spare returns an error if the manifest reads the file of a name.
func (m *Manifest) spare(name string) error {
	file := beside(m.file, name)
	for _, read := range m.reads() {
		if filepath.Clean(beside(m.file, read)) == filepath.Clean(file) {
			return fmt.Errorf("names %s, which the manifest reads; valid: another file", name)
		}
	}
	if filepath.Clean(m.file) == filepath.Clean(file) {
		return fmt.Errorf("names %s, the manifest itself; valid: another file", name)
	}
	return nil
}

// Inspect has the steps that dump and expect arrays carried out; without, they
// are passed over. It must be called before the first Next.
func (i *Instance) Inspect(inspector workload.Inspector) { i.inspector = inspector }

// span evaluates a part of an array.
func (i *Instance) span(path string, d *Data, r *Range) (start, count int64, err error) {
	if r.Start.given() {
		if start, err = r.Start.whole(i, 0, int64(d.Length)); err != nil {
			return 0, 0, i.m.errorf(path+".start", "%v", err)
		}
	}
	count = int64(d.Length) - start
	if r.Count.given() {
		if count, err = r.Count.whole(i, 0, count); err != nil {
			return 0, 0, i.m.errorf(path+".count", "%v", err)
		}
	}
	return start, count, nil
}

// Arrays lists the arrays by name, as they are now. Their contents are live.
func (i *Instance) Arrays() (list []workload.Array) {
	for _, name := range slices.Sorted(maps.Keys(i.arrays)) {
		if d := i.arrays[name]; d.stride == 0 {
			list = append(list, d.array(name))
		}
	}
	return list
}

// data is an array of the manifest.
func (i *Instance) data(path, name string) (*Data, error) {
	d := i.arrays[name]
	if d == nil {
		return nil, i.m.errorf(path, "is %q, no array; valid: %s", name, strings.Join(slices.Sorted(maps.Keys(i.arrays)), ", "))
	}
	return d, nil
}

// plain is an array of the manifest with numbers as elements.
func (i *Instance) plain(path, name string) (*Data, error) {
	d, err := i.data(path, name)
	if err == nil && d.typ.structure {
		return nil, i.m.errorf(path, "is %q, whose elements are structures; valid: %s", name, d.fields(name))
	}
	return d, err
}

// part is a part of an array that a step names.
func (i *Instance) part(path, array string, r *Range) (d *Data, start, count int64, err error) {
	if d, err = i.data(path+".array", array); err == nil {
		start, count, err = i.span(path, d, r)
	}
	return d, start, count, err
}

// dump writes an array to a file.
func (i *Instance) dump(path string, s *DumpStep) error {
	if i.inspector == nil {
		return nil
	}
	d, start, count, err := i.part(path, s.Array, &s.Range)
	if err != nil {
		return err
	}
	name, err := s.File.name(&fileScope{i, i.inspector.Tenant()})
	if err == nil {
		err = i.m.spare(name)
	}
	if err != nil {
		return i.m.errorf(path+".file", "%v", err)
	}
	return i.inspector.Dumped(i.m.where(path), filepath.Clean(beside(i.m.file, name)), d.elements(start, count))
}

// fileScope is the scope of a file's name.
type fileScope struct {
	*Instance
	tenant int
}

func (s *fileScope) name(name string) (value, error) {
	if name == "tenant" {
		return wholeOf(int64(s.tenant)), nil
	}
	return s.Instance.name(name)
}

// expect compares an array with what it should hold.
func (i *Instance) expect(path string, s *ExpectStep) error {
	if i.inspector == nil {
		return nil
	}
	d, start, count, err := i.part(path, s.Array, &s.Range)
	if err != nil {
		return err
	}
	near, err := i.tolerance(path, s, d.typ)
	if err != nil {
		return err
	}
	want, err := i.wanted(path, s, d.typ, start, count)
	if err != nil {
		return err
	}
	i.inspector.Expected(i.m.where(path), i.differences(path, s.Array, d, start, count, want, near))
	return nil
}

// differences is the difference of an array, or of the first field that has one.
func (i *Instance) differences(path, name string, d *Data, start, count int64, want []byte, near tolerance) error {
	if !d.typ.structure {
		return i.difference(path, name, d.typ, start, d.elements(start, count), want, near)
	}
	for _, m := range d.members {
		in := int64(m.count) // each structure
		wanted := m.of(&Data{typ: d.typ}, want).elements(0, count*in)
		got := m.of(d, d.Bytes).elements(start*in, count*in)
		if err := i.difference(path, join(name, m.name), m.elementType, start*in, got, wanted, near); err != nil {
			return err
		}
	}
	return nil
}

// wanted are the elements that are expected.
func (i *Instance) wanted(path string, s *ExpectStep, t elementType, start, count int64) ([]byte, error) {
	size := count * int64(t.bytes)
	if s.File != "" {
		data := i.m.expected[s.File]
		if int64(len(data)) != size {
			return nil, i.m.errorf(path+".file", "names %s of %d bytes; valid: %d, the %d elements of %d bytes that it is compared with",
				s.File, len(data), size, count, t.bytes)
		}
		return data, nil
	}
	if t.structure {
		return nil, i.m.errorf(path, "compares %s, whose elements are structures; valid: with a file, or one of %s", s.Array, i.arrays[s.Array].fields(s.Array))
	}
	if n := int64(len(s.Values)); s.Values != nil && n != count {
		return nil, i.m.errorf(path+".values", "has %d entries; valid: %d, the elements that they are compared with", n, count)
	}
	a := &args{Instance: i, path: path}
	want := make([]byte, size)
	a.contents(&s.Contents, t, want, start)
	return want, a.err
}

// tolerance is how far elements may be off.
type tolerance struct{ absolute, relative float64 }

func (i *Instance) tolerance(path string, s *ExpectStep, t elementType) (near tolerance, err error) {
	for _, n := range []struct {
		key string
		e   *Expr
		to  *float64
	}{{"absolute", &s.Absolute, &near.absolute}, {"relative", &s.Relative, &near.relative}} {
		if !n.e.given() {
			continue
		}
		v, err := n.e.number(i)
		switch {
		case err != nil:
		case !t.real && !t.structure:
			err = fmt.Errorf("is given for elements of type %s; valid: for f32 and f64, others must be equal", t.name)
		case !(v >= 0) || math.IsInf(v, 0):
			err = fmt.Errorf("%q is %v; valid: a number from 0", n.e.text, v)
		}
		if err != nil {
			return near, i.m.errorf(path+"."+n.key, "%v", err)
		}
		*n.to = v
	}
	return near, nil
}

// accepts reports whether an element is close enough to another.
func (t elementType) accepts(got, want []byte, near tolerance) bool {
	if bytes.Equal(got, want) || !t.real {
		return bytes.Equal(got, want)
	}
	g, w := t.get(got).f, t.get(want).f
	if g == w || g != g && w != w {
		return true
	}
	return !math.IsInf(w, 0) && math.Abs(g-w) <= near.absolute+near.relative*math.Abs(w)
}

// difference is an error that tells the first element that is not as expected,
// nil if all are.
func (i *Instance) difference(path, name string, t elementType, start int64, got, want []byte, near tolerance) error {
	if bytes.Equal(got, want) {
		return nil
	}
	first, differ, n := 0, 0, len(got)/t.bytes
	for k := n - 1; k >= 0; k-- {
		if at := k * t.bytes; !t.accepts(got[at:at+t.bytes], want[at:at+t.bytes], near) {
			first = k
			differ++
		}
	}
	if differ == 0 {
		return nil
	}
	within := ""
	if near.absolute > 0 {
		within = fmt.Sprintf(" within %v", near.absolute)
	}
	if near.relative > 0 && near.absolute > 0 {
		within += fmt.Sprintf(" and %v of it", near.relative)
	} else if near.relative > 0 {
		within = fmt.Sprintf(" within %v of it", near.relative)
	}
	at := first * t.bytes
	return i.m.errorf(path, "failed: %s[%d] is %s, expected %s%s; %d of %d elements differ",
		name, start+int64(first), t.text(got[at:]), t.text(want[at:]), within, differ, n)
}
