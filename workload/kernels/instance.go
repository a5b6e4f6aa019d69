package kernels

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// Instance is one run of an application: its arrays in a memory, and how far
// its host program has come.
type Instance struct {
	m       *Manifest
	memory  *exec.Memory
	arch    string
	numbers map[string]value
	arrays  map[string]*Data
	bytes   int64
	frames  []frame
	// pending are operations that a step has planned.
	pending []Operation
	// idle counts turns of repetitions since the last launch.
	idle int
	// underWay: launches of streams may not have been executed yet. early says that
	// the step has looked at an array all the same. stream is that of the step.
	underWay, early bool
	stream          int
	// inspector is told of dump and expect steps, nil if they are passed over.
	inspector workload.Inspector
	// heap is the memory that kernels allocate from and its tables, if they do.
	heap []workload.Array
}

// New allocates the application's arrays in memory, which must belong to this
// instance alone, and fills them. size is a name of Sizes. arch chooses among the
// demands of the kernels: where there are none of that name, and for "", the
// first.
// An error is one line that names the manifest and, where there is one, the
// line; that of an unknown size or arch lists the valid ones.
func (m *Manifest) New(size, arch string, memory *exec.Memory) (*Instance, error) {
	i, err := m.start(size, arch)
	if err != nil {
		return nil, err
	}
	i.memory = memory
	memory.Load(m.module)
	for _, v := range m.module.Vars {
		if v.Space == ptx.Global || v.Space == ptx.Const {
			i.bytes += int64(v.Bytes)
		}
	}
	i.handles()
	for at := range m.Arrays {
		if err := i.allocate(fmt.Sprintf("arrays[%d]", at), &m.Arrays[at]); err != nil {
			return nil, err
		}
	}
	if err := i.layHeap(); err != nil {
		return nil, err
	}
	return i, i.known()
}

// known finds arrays that steps name and that there are not: a run would find
// out after all the launches before.
func (i *Instance) known() (err error) {
	eachStep(i.m.Steps, "steps", func(path string, s *Step) {
		name := ""
		switch {
		case s.Dump != nil:
			path, name = path+".dump.array", s.Dump.Array
		case s.Expect != nil:
			path, name = path+".expect.array", s.Expect.Array
		case s.Fill != nil:
			path, name = path+".fill.array", s.Fill.Array
		case s.Set != nil:
			path, name = path+".set.array", s.Set.Array
		case s.PrefixSum != nil:
			path, name = path+".prefix_sum.from", s.PrefixSum.From
		default:
			return
		}
		if err == nil {
			_, err = i.data(path, name)
		}
	})
	return err
}

// start makes an instance that knows its parameters and has no arrays yet.
func (m *Manifest) start(size, arch string) (*Instance, error) {
	n := slices.Index(Sizes, size)
	if n < 0 {
		return nil, fmt.Errorf("there is no size %q; valid: %s", size, strings.Join(Sizes, ", "))
	}
	if err := m.checkArch(arch); err != nil {
		return nil, err
	}
	i := &Instance{m: m, arch: arch, numbers: map[string]value{}, arrays: map[string]*Data{},
		frames: []frame{{steps: m.Steps, path: "steps"}}}
	for at := range m.Parameters {
		p := &m.Parameters[at]
		e := &p.Value
		if !e.given() {
			e = p.sizes()[n]
		}
		v, err := e.eval(i)
		if err != nil {
			return nil, m.errorf(fmt.Sprintf("parameters[%d]", at), "(%s) %v", p.Name, err)
		}
		if i.numbers[p.Name], err = p.check(v); err != nil {
			return nil, m.errorf(fmt.Sprintf("parameters[%d]", at), "(%s) %v", p.Name, err)
		}
	}
	return i, nil
}

// checkArch finds unknown names of architectures.
func (m *Manifest) checkArch(arch string) error {
	var named []string
	for i := range m.Kernels {
		named = append(named, m.Kernels[i].archs()...)
	}
	return workload.CheckArch(named, arch)
}

func (k *Kernel) archs() (names []string) {
	for i := range k.Demands {
		names = append(names, k.Demands[i].Arch)
	}
	return names
}

// demand is what the kernel takes on an architecture, by default its first, nil
// if it does not say.
func (k *Kernel) demand(arch string) *Demand {
	if len(k.Demands) == 0 {
		return nil
	}
	return &k.Demands[workload.ChooseDemand(k.archs(), arch)]
}

// allocate makes the array, or arrays, of one entry.
func (i *Instance) allocate(path string, array *Array) error {
	a := &args{Instance: i, path: path}
	key, g := array.source()
	switch {
	case g != nil:
		a.path += "." + key
		out := g.generate(a)
		for _, p := range out.parts {
			if a.err != nil {
				break
			}
			t, data := p.encode()
			if d := a.add(join(array.Name, p.name), t, len(data)/t.bytes, 0); d != nil {
				copy(d.Bytes, data)
			}
		}
		for _, n := range out.numbers {
			i.numbers[join(array.Name, n.name)] = wholeOf(int64(n.i))
		}
	case array.Fields != nil:
		a.structures(array)
	case array.File != "":
		a.file(array)
	default:
		t, _ := elementOf(array.Type)
		if length := a.length(array, len(array.Values)); a.err == nil {
			if d := a.add(array.Name, t, length, a.margin(array)); d != nil {
				a.fill(&array.Source, t, d.Bytes)
			}
		}
	}
	return a.err
}

func join(name, part string) string {
	if part == "" {
		return name
	}
	return name + "." + part
}

// length is the length of an array, by default as many elements as its source
// has.
func (a *args) length(array *Array, have int) int {
	if !array.Length.given() {
		return have
	}
	length, err := array.Length.whole(a, 0, maxBytes)
	if err != nil {
		a.fail("length", "%v", err)
	} else if have > 0 && int(length) != have {
		a.fail("length", "is %d, and the contents have %s; valid: as many, or no length", length, workload.Count(have, "element"))
	}
	return int(length)
}

// margin is the number of elements on each side of an array.
func (a *args) margin(array *Array) int { return a.whole("margin", &array.Margin, 0, maxBytes, 0) }

// add allocates an array with a margin of elements on each side. It returns nil
// after a fault.
func (a *args) add(name string, t elementType, length, margin int) *Data {
	if a.err != nil {
		return nil
	}
	bytes := int64(length) * int64(t.bytes)
	if a.bytes += bytes + 2*int64(margin)*int64(t.bytes); a.bytes > maxBytes {
		a.fail("length", "makes the arrays, with the variables of the PTX, larger than %d GiB together; make the input smaller", maxBytes>>30)
		return nil
	}
	addr := a.memory.AllocWithin(int(bytes), 0, margin*t.bytes)
	data, err := a.memory.Bytes(addr, int(bytes))
	if err != nil && bytes > 0 {
		a.fail("length", "of %s: %v", name, err)
		return nil
	}
	d := &Data{Addr: addr, Length: length, Bytes: data, typ: t, margin: margin * t.bytes, origin: a.m.origin(name)}
	a.arrays[name] = d
	return d
}

// Faults of files with elements.
const (
	unread   = "names %s, which cannot be read: %v; give the path of raw elements, relative to the manifest"
	notWhole = "names %s of %s; valid: a whole number of elements of %s, at least one"
)

// fileOf reads elements from a file, nil after a fault.
func (a *args) fileOf(name string, t elementType) []byte {
	data, err := a.m.data(name)
	if err != nil {
		a.fail("file", unread, beside(a.m.file, name), cause(err))
		return nil
	}
	if len(data) == 0 || len(data)%t.bytes != 0 {
		a.fail("file", notWhole, name, workload.Count(len(data), "byte"), workload.Count(t.bytes, "byte"))
		return nil
	}
	return data
}

// file fills an array from a file.
func (a *args) file(array *Array) {
	f, size, err := a.m.open(array.File)
	if err != nil {
		a.fail("file", unread, beside(a.m.file, array.File), cause(err))
		return
	}
	defer f.Close()
	t, _ := elementOf(array.Type)
	if size == 0 || size%int64(t.bytes) != 0 {
		a.fail("file", notWhole, array.File, workload.Count(int(size), "byte"), workload.Count(t.bytes, "byte"))
		return
	}
	length := a.length(array, int(size)/t.bytes)
	if a.err != nil {
		return
	}
	if d := a.add(array.Name, t, length, a.margin(array)); d != nil {
		if _, err := io.ReadFull(f, d.Bytes); err != nil {
			a.fail("file", unread, beside(a.m.file, array.File), cause(err))
		}
	}
}

// open opens the file of an array, and says how long it is.
func (m *Manifest) open(name string) (*os.File, int64, error) {
	path := beside(m.file, name)
	f, err := workload.OpenRegular(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxBytes {
		err = fmt.Errorf("it is larger than %d GiB", maxBytes>>30)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// data is what a file of elements holds.
func (m *Manifest) data(name string) ([]byte, error) {
	f, size, err := m.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, size)
	_, err = io.ReadFull(f, data)
	return data, err
}

// Array is the array that a name of the manifest stands for now, nil if there is
// none.
func (i *Instance) Array(name string) *Data { return i.arrays[name] }

// Errorf makes an error for the program as a whole.
func (i *Instance) Errorf(format string, args ...any) error {
	return i.m.errorf("steps", format, args...)
}

// Memory is where the arrays are.
func (i *Instance) Memory() *exec.Memory { return i.memory }

// name implements scope.
func (i *Instance) name(name string) (value, error) {
	if v, ok := i.numbers[name]; ok {
		return v, nil
	}
	if d := i.arrays[name]; d != nil {
		return value{kind: address, i: int64(d.Addr), elem: d.step()}, nil
	}
	return value{}, fmt.Errorf("has the name %s, which is no parameter, number or array so far", name)
}

// element implements scope.
func (i *Instance) element(array string, index int64) (value, error) {
	d := i.arrays[array]
	if d == nil {
		return value{}, fmt.Errorf("reads %s, which is no array so far", array)
	}
	i.early = i.early || i.underWay
	if index < 0 || index >= int64(d.Length) {
		return value{}, fmt.Errorf("reads element %d of %s, which has %d", index, array, d.Length)
	}
	if d.typ.structure {
		return value{}, fmt.Errorf("reads %s, whose elements are structures; valid: %s", array, d.fields(array))
	}
	return d.typ.get(d.at(index)), nil
}
