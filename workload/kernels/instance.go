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
func (m *Manifest) New(size, arch string, memory *exec.Memory) (i *Instance, err error) {
	defer caught(&err)
	i, err = m.start(size, arch)
	raise(err)
	i.memory = memory
	memory.Load(m.module)
	for _, v := range m.module.Vars {
		if v.Space == ptx.Global || v.Space == ptx.Const {
			i.bytes += int64(v.Bytes)
		}
	}
	i.handles()
	for at := range m.Arrays {
		i.allocate(fmt.Sprintf("arrays[%d]", at), &m.Arrays[at])
	}
	i.layHeap()
	for _, n := range m.named { // or a run would find out after all the launches before
		i.data(n.path, n.name)
	}
	return i, nil
}

// start makes an instance that knows its parameters and has no arrays yet.
func (m *Manifest) start(size, arch string) (i *Instance, err error) {
	defer caught(&err)
	n := slices.Index(Sizes, size)
	if n < 0 {
		return nil, fmt.Errorf("there is no size %q; valid: %s", size, strings.Join(Sizes, ", "))
	}
	raise(m.checkArch(arch))
	i = &Instance{m: m, arch: arch, numbers: map[string]value{}, arrays: map[string]*Data{},
		frames: []frame{{steps: m.Steps, path: "steps"}}}
	for at := range m.Parameters {
		p := &m.Parameters[at]
		e := &p.Value
		if !e.given() {
			e = p.sizes()[n]
		}
		v, err := e.eval(i)
		if err == nil {
			v, err = p.whole(v)
		}
		if err != nil {
			m.fail(fmt.Sprintf("parameters[%d]", at), "(%s) %v", p.Name, err)
		}
		i.numbers[p.Name] = v
	}
	return i, nil
}

// eval evaluates an expression of the manifest.
func (i *Instance) eval(e *Expr) value {
	v, err := e.eval(i)
	i.m.must(e.path, err)
	return v
}

// whole evaluates an expression to a whole number from low to high.
func (i *Instance) whole(e *Expr, low, high int64) int64 {
	v, err := e.whole(i, low, high)
	i.m.must(e.path, err)
	return v
}

// wholeOr is whole, or a default where the expression is not given.
func (i *Instance) wholeOr(e *Expr, low, high, normal int64) int64 {
	if !e.given() {
		return normal
	}
	return i.whole(e, low, high)
}

// checkArch finds unknown names of architectures.
func (m *Manifest) checkArch(arch string) error {
	var named []string
	for i := range m.Kernels {
		named = append(named, m.Kernels[i].archs()...)
	}
	return workload.CheckArch(named, arch)
}

func (k *Kernel) archs() []string {
	return namesOf(k.Demands, func(d *Demand) string { return d.Arch })
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
func (i *Instance) allocate(path string, array *Array) {
	t, _ := elementOf(array.Type)
	key, by := array.maker()
	switch {
	case by != nil:
		by.make(i, path+"."+key, array.Name)
	case array.Fields != nil:
		i.structures(path, array)
	case array.File != "":
		i.m.elements(path, array.File, t.bytes, func(bytes int) []byte {
			return i.addArray(path, array, t, bytes/t.bytes).Bytes
		})
	default:
		d := i.addArray(path, array, t, len(array.Values))
		i.fill(path, &array.Source, t, d.Bytes)
	}
}

// join is the path or the name of a part, or the whole if that is empty.
func join(name, part string) string {
	if part == "" || name == "" {
		return name + part
	}
	return name + "." + part
}

// addArray allocates an array of the manifest with its margin. By default it has as
// many elements as its source.
func (i *Instance) addArray(path string, array *Array, t elementType, have int) *Data {
	length := int(i.wholeOr(&array.Length, 0, maxBytes, int64(have)))
	if have > 0 && length != have {
		i.m.fail(path+".length", "is %d, and the contents have %s; valid: as many, or no length", length, workload.Count(have, "element"))
	}
	return i.add(path, array.Name, t, length, int(i.wholeOr(&array.Margin, 0, maxBytes, 0)))
}

// add allocates an array with a margin of elements on each side.
func (i *Instance) add(path, name string, t elementType, length, margin int) *Data {
	bytes := int64(length) * int64(t.bytes)
	if i.bytes += bytes + 2*int64(margin)*int64(t.bytes); i.bytes > maxBytes {
		i.m.fail(path+".length", "makes the arrays, with the variables of the PTX, larger than %d GiB together; make the input smaller", maxBytes>>30)
	}
	addr := i.memory.AllocWithin(int(bytes), 0, margin*t.bytes)
	i.memory.Name(addr, name)
	data, err := i.memory.Bytes(addr, int(bytes))
	if err != nil && bytes > 0 {
		i.m.fail(path+".length", "of %s: %v", name, err)
	}
	d := &Data{Addr: addr, Length: length, Bytes: data, typ: t, margin: margin * t.bytes, origin: i.m.origin(name)}
	i.arrays[name] = d
	return d
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

// elements reads a file of elements of a size, 0 for any, into the room that it is
// given for its bytes.
func (m *Manifest) elements(path, name string, size int, room func(bytes int) []byte) (data []byte) {
	f, bytes, err := m.open(name)
	if err == nil {
		defer f.Close()
		if size > 0 && (bytes == 0 || bytes%int64(size) != 0) {
			m.fail(path+".file", "names %s of %s; valid: a whole number of elements of %s, at least one",
				name, workload.Count(int(bytes), "byte"), workload.Count(size, "byte"))
		}
		data = room(int(bytes))
		_, err = io.ReadFull(f, data)
	}
	if err != nil {
		m.fail(path+".file", "names %s, which cannot be read: %v; give the path of raw elements, relative to the manifest", beside(m.file, name), workload.WithoutPath(err))
	}
	return data
}

func zeros(bytes int) []byte { return make([]byte, bytes) }

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
