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

func (s *DumpStep) check(c *checker, path string) {
	for k := range s.File.exprs {
		s.File.exprs[k].check(c, path+".file")
	}
	if s.File.fixed() {
		c.m.must(path+".file", c.m.spare(s.File.text))
	}
}

func (s *ExpectStep) check(c *checker, path string) {
	if n := len(keysOf(&s.Contents)); n != 1 {
		c.m.fail(path, "has %d of the keys fill, values, stretches, formula, file; valid: one", n)
	}
	if s.File == "" || c.m.expected[s.File] != nil {
		return
	}
	c.m.expected[s.File] = c.m.elements(path, s.File, 0, zeros)
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
func (i *Instance) span(d *Data, r *Range) (start, count int64) {
	start = i.wholeOr(&r.Start, 0, int64(d.Length), 0)
	rest := int64(d.Length) - start
	return start, i.wholeOr(&r.Count, 0, rest, rest)
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
func (i *Instance) data(path, name string) *Data {
	d := i.arrays[name]
	if d == nil {
		i.m.fail(path, "is %q, no array; valid: %s", name, strings.Join(slices.Sorted(maps.Keys(i.arrays)), ", "))
	}
	return d
}

// plain is an array of the manifest with numbers as elements.
func (i *Instance) plain(path, name string) *Data {
	d := i.data(path, name)
	if d.typ.structure {
		i.m.fail(path, "is %q, whose elements are structures; valid: %s", name, d.fields(name))
	}
	return d
}

// dump writes an array to a file.
func (i *Instance) dump(path string, s *DumpStep) {
	if i.inspector == nil {
		return
	}
	d := i.data(path+".array", s.Array)
	start, count := i.span(d, &s.Range)
	name, err := s.File.name(&fileScope{i, i.inspector.Tenant()})
	if err == nil {
		err = i.m.spare(name)
	}
	i.m.must(path+".file", err)
	raise(i.inspector.Dumped(i.m.where(path), filepath.Clean(beside(i.m.file, name)), d.elements(start, count)))
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
func (i *Instance) expect(path string, s *ExpectStep) {
	if i.inspector == nil {
		return
	}
	d := i.data(path+".array", s.Array)
	start, count := i.span(d, &s.Range)
	near := tolerance{i.tolerance(&s.Absolute, d.typ), i.tolerance(&s.Relative, d.typ)}
	want := i.wanted(path, s, d.typ, start, count)
	i.inspector.Expected(i.m.where(path), i.differences(path, s.Array, d, start, count, want, near))
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
func (i *Instance) wanted(path string, s *ExpectStep, t elementType, start, count int64) []byte {
	size := count * int64(t.bytes)
	if s.File != "" {
		data := i.m.expected[s.File]
		if int64(len(data)) != size {
			i.m.fail(path+".file", "names %s of %d bytes; valid: %d, the %d elements of %d bytes that it is compared with",
				s.File, len(data), size, count, t.bytes)
		}
		return data
	}
	if t.structure {
		i.m.fail(path, "compares %s, whose elements are structures; valid: with a file, or one of %s", s.Array, i.arrays[s.Array].fields(s.Array))
	}
	want := make([]byte, size)
	i.contents(path, &s.Contents, t, want, start)
	return want
}

// tolerance is how far elements may be off.
type tolerance struct{ absolute, relative float64 }

// tolerance is a part of a tolerance.
func (i *Instance) tolerance(e *Expr, t elementType) float64 {
	if !e.given() {
		return 0
	}
	v, err := e.number(i)
	switch {
	case err != nil:
	case !t.real && !t.structure:
		err = fmt.Errorf("is given for elements of type %s; valid: for floating-point numbers; integers must be equal", t.name)
	case !(v >= 0) || math.IsInf(v, 0):
		err = fmt.Errorf("%q is %v; valid: a number from 0", e.text, v)
	}
	i.m.must(e.path, err)
	return v
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
