package programs

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"

	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx"
	ptxexec "cotenant/workload/ptx/exec"
)

// module is the device code of one file of the program.
type module struct{ *code }

// code is a text that has been parsed, and the kernels that have been compiled.
type code struct {
	module   *ptx.Module
	mu       sync.Mutex
	programs map[string]*ptxexec.Program
}

// function is a kernel that the program has asked for.
type function struct {
	name    string
	kernel  *ptx.Func
	program *ptxexec.Program
	shared  int // bytes, static
	origin  string
}

// codes keeps what has been parsed, by the hash of the text: every run of a program has the same.
var codes struct {
	sync.Mutex
	known map[[sha256.Size]byte]*code
}

// parse reads device code. name is for messages.
func parse(name string, text []byte) (*code, error) {
	key := sha256.Sum256(append([]byte(name+"\x00"), text...))
	codes.Lock()
	defer codes.Unlock()
	if c := codes.known[key]; c != nil {
		return c, nil
	}
	m, err := ptx.ParseWith(ptx.Library{}, ptx.File{Path: name, Text: text})
	if err != nil {
		return nil, err
	}
	c := &code{module: m, programs: map[string]*ptxexec.Program{}}
	if codes.known == nil {
		codes.known = map[[sha256.Size]byte]*code{}
	}
	codes.known[key] = c
	return c, nil
}

// compile prepares a kernel.
func (c *code) compile(name string) (*ptxexec.Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.programs[name]; p != nil {
		return p, nil
	}
	p, err := ptxexec.Compile(c.module, name)
	if err == nil {
		c.programs[name] = p
	}
	return p, err
}

func (c *code) entry(name string) *ptx.Func {
	for _, f := range c.module.Funcs {
		if f.Entry && f.Name == name {
			return f
		}
	}
	return nil
}

// maxModules and maxFunctions bound what a program registers.
const (
	maxModules   = 1 << 12
	maxFunctions = 1 << 16
)

// loadModule reads device code and places its variables in memory.
func (s *Session) loadModule(r *request) (*workload.Op, error) {
	if len(s.modules) == maxModules {
		return s.refuse(outOfMemory)
	}
	name := sourceName(r.payload)
	if name == "" {
		name = fmt.Sprintf("%s.%d", filepath.Base(s.spec.Program), len(s.modules))
	}
	c, err := parse(name+".ptx", r.payload)
	if err != nil {
		return nil, err
	}
	need := uint64(0)
	for _, v := range c.module.Vars {
		need += uint64(max(v.Bytes, len(v.Init))) + uint64(max(v.Align, 0)) + 1<<10
	}
	if need > memoryBytes-min(memoryBytes, s.memory.Used()) {
		return s.refuse(outOfMemory)
	}
	s.memory.Load(c.module)
	s.modules = append(s.modules, &module{c})
	return s.give(uint64(len(s.modules) - 1))
}

// findFunction tells what a kernel takes.
func (s *Session) findFunction(r *request) (*workload.Op, error) {
	if r.args[0] >= uint64(len(s.modules)) || len(s.functions) == maxFunctions {
		return s.refuse(invalidFunction)
	}
	m, name := s.modules[r.args[0]], string(r.payload)
	entry := m.entry(name)
	if entry == nil {
		return s.refuse(invalidFunction)
	}
	program, err := m.compile(name)
	if err != nil {
		return nil, err // the kernel has something that is not modelled
	}
	registers, err := s.machine.Registers(program)
	if err != nil {
		return nil, err
	}
	f := &function{name: kernels.PlainName(name), kernel: entry, program: program, shared: program.SharedBytes(),
		origin: fmt.Sprintf("%s:%d", entry.File, entry.Line)}
	offsets := program.ParamOffsets()
	var b []byte
	for _, v := range []int{len(s.functions), len(offsets), program.ParamBytes(), f.shared, registers, entry.MaxThreads, program.LocalBytes(), 0} {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	for i, offset := range offsets {
		b = binary.LittleEndian.AppendUint32(b, uint32(offset))
		b = binary.LittleEndian.AppendUint32(b, uint32(entry.Params[i].Bytes))
	}
	s.functions = append(s.functions, f)
	s.reply.payload = b
	return nil, nil
}

// findSymbol tells where a variable is.
func (s *Session) findSymbol(r *request) (*workload.Op, error) {
	if r.args[0] >= uint64(len(s.modules)) {
		return s.refuse(symbolNotFound)
	}
	addr, size, err := s.memory.Symbol(s.modules[r.args[0]].module, string(r.payload))
	if err != nil {
		return s.refuse(symbolNotFound)
	}
	return s.give(addr, uint64(size))
}

// launch puts a kernel into a stream.
func (s *Session) launch(r *request) (*workload.Op, error) {
	number, stream := r.args[0], r.args[6]
	if number >= uint64(len(s.functions)) {
		return s.refuse(invalidFunction)
	}
	f, d := s.functions[number], &s.spec.Device
	grid, ok := size([3]uint64{r.args[1], r.args[2], r.args[3]}, d.Grid)
	block, fits := size([3]uint64{r.args[4] & 0xffff, r.args[4] >> 16 & 0xffff, r.args[4] >> 32}, d.Block)
	most := d.ThreadsPerBlock
	if f.kernel.MaxThreads > 0 {
		most = min(most, f.kernel.MaxThreads)
	}
	switch {
	case s.streams[stream] == nil:
		return s.refuse(invalidHandle)
	case !ok || !fits || grid.Count() > maxGrid:
		return s.refuse(invalidConfiguration)
	case block.Count() > d.ThreadsPerBlock || f.kernel.Block != (workload.Dim3{}) && f.kernel.Block != block:
		return s.refuse(invalidConfiguration)
	case block.Count() > most:
		return s.refuse(outOfResources)
	case r.args[5] > uint64(d.SharedPerBlock) || f.shared+int(r.args[5]) > d.SharedPerBlock:
		return s.refuse(invalidValue)
	case len(r.payload) != f.program.ParamBytes():
		return s.refuse(invalidValue)
	}
	l := &kernels.Launch{Name: f.name, Kernel: f.kernel, Program: f.program, SharedBytesPerTB: f.shared + int(r.args[5]), Origin: f.origin,
		Config: ptxexec.LaunchConfig{Grid: grid, Block: block, DynamicShared: int(r.args[5]), Params: r.payload, Mem: s.memory,
			Textures: s.textures.named(), TextureObjects: s.objects()}}
	k, err := s.machine.Kernel(l)
	if err != nil {
		return nil, err
	}
	if k.RegistersPerTB > d.RegistersPerSM {
		return s.refuse(outOfResources)
	}
	k.Stream = int(stream)
	return &workload.Op{Kernel: k, Async: true}, nil
}

// maxGrid is the most thread blocks that a launch can have here.
const maxGrid = 1 << 31

// size is a grid or a thread block, if each side is at least 1 and within its limit.
func size(d [3]uint64, limits [3]int) (workload.Dim3, bool) {
	for i, n := range d {
		if n < 1 || n > uint64(limits[i]) {
			return workload.Dim3{}, false
		}
	}
	return workload.Dim3{X: int(d[0]), Y: int(d[1]), Z: int(d[2])}, true
}
