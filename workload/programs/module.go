package programs

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx"
	ptxexec "cotenant/workload/ptx/exec"
)

// module is the device code of one file of the program.
type module struct {
	*code // nil before it is linked
	// suffix ends the names of what is static in the file, if it has been compiled separately.
	suffix string
}

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

// parse reads device code. Several files are linked.
func parse(files ...ptx.File) (*code, error) {
	hash := sha256.New()
	for _, f := range files {
		fmt.Fprintf(hash, "%s\x00%d\x00%s", f.Path, len(f.Text), f.Text)
	}
	key := [sha256.Size]byte(hash.Sum(nil))
	codes.Lock()
	defer codes.Unlock()
	if c := codes.known[key]; c != nil {
		return c, nil
	}
	m, err := ptx.ParseWith(ptx.Library{}, files...)
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

// entry is the kernel of a name in a file, nil if there is none.
func (m *module) entry(name string) *ptx.Func {
	for _, f := range m.code.module.Funcs {
		if f.Entry && (f.Name == name || f.Name == name+m.suffix) {
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
	number := uint64(len(s.modules))
	name, separate := sourceName(r.payload)
	if name == "" {
		name = fmt.Sprintf("%s.%d", filepath.Base(s.spec.Program), number)
	}
	f := ptx.File{Path: name + ".ptx", Text: r.payload}
	s.modules = append(s.modules, &module{suffix: suffixOf(r.payload)})
	if separate { // linked with the other ones, at the next request of another kind
		s.separate = append(s.separate, f)
		s.unlinked = append(s.unlinked, s.modules[number])
		return s.give(number)
	}
	e, err := s.place(s.modules[number:], f)
	s.reply.error = e
	if err != nil {
		return nil, err
	}
	return s.give(number)
}

// link links what has been compiled separately.
func (s *Session) link() error {
	if len(s.separate) == 0 {
		return nil
	}
	e, err := s.place(s.unlinked, s.separate...)
	s.separate, s.unlinked = nil, nil
	if e != success {
		return errors.New("its variables do not fit into the device's memory")
	}
	return err
}

// place parses files and gives their variables a place in memory.
func (s *Session) place(modules []*module, files ...ptx.File) (cudaError, error) {
	c, err := parse(files...)
	if err != nil {
		return success, err
	}
	need := uint64(0)
	for _, v := range c.module.Vars {
		need += uint64(max(v.Bytes, len(v.Init))) + uint64(max(v.Align, 0)) + 1<<10
	}
	if need > s.memoryBytes()-min(s.memoryBytes(), s.memory.Used()) {
		return outOfMemory, nil
	}
	s.memory.Load(c.module)
	for _, m := range modules {
		m.code = c
	}
	return success, nil
}

// findFunction tells what a kernel takes.
func (s *Session) findFunction(r *request) (*workload.Op, error) {
	if r.args[0] >= uint64(len(s.modules)) || len(s.functions) == maxFunctions {
		return s.refuse(invalidFunction)
	}
	m, name := s.modules[r.args[0]], string(r.payload)
	if m.code == nil { // it did not fit
		return s.refuse(invalidFunction)
	}
	entry := m.entry(name)
	if entry == nil {
		return s.refuse(invalidFunction)
	}
	program, err := m.compile(entry.Name)
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
	m, name := s.modules[r.args[0]], string(r.payload)
	if m.code == nil {
		return s.refuse(symbolNotFound)
	}
	addr, size, err := s.memory.Symbol(m.module, name)
	if err != nil && m.suffix != "" {
		addr, size, err = s.memory.Symbol(m.module, name+m.suffix)
	}
	if err != nil { // programs name static variables as the source does (binomialOptions_nvrtc of the CUDA samples)
		addr, size, err = s.memory.Symbol(m.module, fmt.Sprintf("_ZL%d%s%s", len(name), name, m.suffix))
	}
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
	case r.args[5] > uint64(d.SharedPerBlockOptin) || f.shared+int(r.args[5]) > d.SharedPerBlockOptin:
		return s.refuse(invalidValue)
	case len(r.payload) != f.program.ParamBytes() || !s.residency.has(r.args[7]):
		return s.refuse(invalidValue)
	}
	printed := map[int]string{} // by thread block
	l := &kernels.Launch{Name: f.name, Kernel: f.kernel, Program: f.program, SharedBytesPerTB: f.shared + int(r.args[5]), Origin: f.origin,
		Config: ptxexec.LaunchConfig{Grid: grid, Block: block, Cluster: clusterOf(r.args[7]), DynamicShared: int(r.args[5]), Params: r.payload, Mem: s.memory, Check: s.check, CheckAsync: s.spec.CheckAsync,
			Textures: s.named(), TextureObjects: s.objects(), Print: func(tb int, text string) { printed[tb] += text }}}
	if !f.program.ClustersFit(&l.Config) {
		return s.refuse(invalidClusterSize)
	}
	if s.spec.Sticky {
		l.Fault = s.faulted
	}
	k, err := s.machine.Kernel(l)
	if err != nil {
		return nil, err
	}
	if k.RegistersPerTB > d.RegistersPerSM {
		return s.refuse(outOfResources)
	}
	k.Stream, k.Priority = int(stream), s.streams[stream].priority
	k.L2 = s.residency.of(r.args[7])
	return &workload.Op{Kernel: k, Graph: r.args[7]&inGraph != 0, Async: true, Done: func(uint64) { s.print(printed) }}, nil
}

// clusterOf is the size of a launch's clusters by its flags, zero if they give none.
func clusterOf(flags uint64) workload.Dim3 {
	side := func(n int) int { return int(flags >> (clusterShift + 16*n) & 0xffff) }
	return workload.Dim3{X: side(0), Y: side(1), Z: side(2)}
}

// print prints what the threads of a launch have printed, in the order of their thread blocks.
func (s *Session) print(printed map[int]string) {
	for _, tb := range slices.Sorted(maps.Keys(printed)) {
		s.peer.print(printed[tb])
	}
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
