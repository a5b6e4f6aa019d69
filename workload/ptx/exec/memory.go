package exec

import (
	"encoding/binary"
	"fmt"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// The generic address space. A generic address below sharedWindow is an address
// in global memory, constant variables included; the windows above it hold the
// thread block's shared memory, the thread's local memory and the launch's
// parameters, each from offset 0. In its own space an address is the offset.
const (
	globalBase   uint64 = 0x1000_0000 // the first address that Memory gives out
	sharedWindow uint64 = 1 << windowShift
	localWindow  uint64 = 2 << windowShift
	paramWindow  uint64 = 3 << windowShift

	// firstReference is the handle of the first texture reference; no address is
	// as high. Texture objects have handles from 1.
	firstReference uint64 = 1 << 60

	windowShift = 40
	pageShift   = 12
	// minAlign follows cudaMalloc: its addresses are multiples of 256. The gap
	// of guardBytes after each array makes an index past its end a fault.
	minAlign   = 256
	guardBytes = 256
	// near is how far from an array an address can be to be told as meant for it.
	near = 1 << 20
)

// Memory is the global memory of one application. It is used by one simulation
// at a time.
type Memory struct {
	allocs []allocation // by address
	// pages[p] is the first allocation that ends behind the start of page p,
	// counted from globalBase.
	pages  []int32
	next   uint64
	vars   map[*ptx.Var]uint64 // addresses, of texture references the handles
	loaded map[*ptx.Module]bool
	// references are the texture references of the modules, in the order of their
	// handles.
	references []*ptx.Var
	// window, if it is set, holds all allocations: the byte at address globalBase+i is
	// window[i]. used is how much of it has ever been allocated.
	window []byte
	used   uint64
	gaps   bool // something has been freed
	// OutsideIsZero lets reads up to 1 MiB away from an array give zeroes, as many do on a GPU, which maps whole
	// pages; otherwise they are faults.
	OutsideIsZero bool
}

type allocation struct {
	name     string // "" if nobody has named it
	addr     uint64
	data     []byte
	constant bool
	// margin is how many bytes at the start and at the end can be read only.
	margin int
}

// view is what can be read of the allocation, or written.
func (a *allocation) view(writes bool) view {
	if writes && a.margin > 0 {
		return view{data: a.data[a.margin : len(a.data)-a.margin], base: a.addr + uint64(a.margin)}
	}
	return view{data: a.data, base: a.addr}
}

// NewMemory returns a memory without allocations.
func NewMemory() *Memory {
	return &Memory{next: globalBase, vars: map[*ptx.Var]uint64{}, loaded: map[*ptx.Module]bool{}}
}

// Alloc reserves bytes of zeroed memory and returns its address, a multiple of
// align (a power of two; 256 if it is less). Nothing lies directly behind it.
func (m *Memory) Alloc(bytes, align int) uint64 { return m.AllocWithin(bytes, align, 0) }

// NewMemoryIn returns a memory without allocations that lies in window, of zeroes: the byte
// at address Base()+i is window[i]. So another program that has the window can see it, and what
// is allocated can be freed.
func NewMemoryIn(window []byte) *Memory {
	m := NewMemory()
	m.window = window
	return m
}

// Base is the first address that a memory gives out.
func Base() uint64 { return globalBase }

// AllocWithin is Alloc with margin bytes before and behind. They are zero and can
// be read, not written.
func (m *Memory) AllocWithin(bytes, align, margin int) uint64 {
	a := uint64(max(align, minAlign))
	addr := (m.next + uint64(margin) + a - 1) &^ (a - 1)
	m.next = addr + uint64(bytes) + uint64(margin) + guardBytes
	first := addr - uint64(margin)
	m.allocs = append(m.allocs, allocation{addr: first, data: m.bytesAt(first, bytes+2*margin), margin: margin})
	m.enter(len(m.allocs) - 1)
	return addr
}

// bytesAt is zeroed memory for an allocation.
func (m *Memory) bytesAt(addr uint64, n int) []byte {
	if m.window == nil {
		return make([]byte, n)
	}
	from := addr - globalBase
	to := from + uint64(n)
	data := m.window[from:to:to]
	if from < m.used {
		clear(data[:min(to, m.used)-from])
	}
	m.used = max(m.used, to)
	return data
}

// enter enters the last allocation, of a number, into the pages.
func (m *Memory) enter(number int) {
	for last := (m.next - globalBase) >> pageShift; uint64(len(m.pages)) <= last; {
		m.pages = append(m.pages, int32(number))
	}
}

// Bytes returns the n bytes at addr, to read and write. They must lie within
// one allocation.
func (m *Memory) Bytes(addr uint64, n int) ([]byte, error) {
	a := m.find(addr)
	if a == nil || n < 0 || uint64(n) > a.addr+uint64(len(a.data))-addr {
		return nil, fmt.Errorf("memory: %s at %#x: %s", workload.Count(n, "byte"), addr, m.describe(addr))
	}
	off := addr - a.addr
	return a.data[off : off+uint64(n) : off+uint64(n)], nil
}

// Load places the module's global and constant variables, once per module, and
// sets them to their initial values.
func (m *Memory) Load(module *ptx.Module) {
	if m.loaded[module] {
		return
	}
	m.loaded[module] = true
	for _, v := range module.Vars {
		if v.Texture {
			m.vars[v] = firstReference + uint64(len(m.references))
			m.references = append(m.references, v)
			continue
		}
		if v.Space != ptx.Global && v.Space != ptx.Const {
			continue
		}
		addr := m.Alloc(max(v.Bytes, len(v.Init)), v.Align)
		a := &m.allocs[len(m.allocs)-1]
		a.constant, a.name = v.Space == ptx.Const, v.Name
		copy(a.data, v.Init)
		m.vars[v] = addr
	}
	for _, v := range module.Vars {
		for _, link := range v.Links {
			init := m.find(m.vars[v]).data
			binary.LittleEndian.PutUint64(init[link.Offset:], m.vars[link.Var]+uint64(link.Add))
		}
	}
}

// Symbol returns the address and size of a variable of a loaded module, as the
// host needs them to copy to it. The name must be that of one variable.
func (m *Memory) Symbol(module *ptx.Module, name string) (addr uint64, bytes int, err error) {
	found := 0
	for _, v := range module.Vars {
		if at, ok := m.vars[v]; ok && v.Name == name && !v.Texture {
			addr, bytes = at, v.Bytes
			found++
		}
	}
	switch found {
	case 0:
		return 0, 0, fmt.Errorf("%s: no global or constant variable %s is loaded", module.File, name)
	case 1:
		return addr, bytes, nil
	}
	return 0, 0, fmt.Errorf("%s: %d global or constant variables are called %s; valid: a name that only one has", module.File, found, name)
}

// Variables lists the global and constant variables of a loaded module, in the
// order of their addresses. A constant one is ReadOnly.
func (m *Memory) Variables(module *ptx.Module) (list []workload.Array) {
	for _, v := range module.Vars {
		if addr, ok := m.vars[v]; ok && !v.Texture {
			list = append(list, workload.Array{Name: v.Name, Addr: addr, Bytes: uint64(max(v.Bytes, len(v.Init))),
				Origin: workload.Loaded, ReadOnly: v.Space == ptx.Const})
		}
	}
	workload.SortArrays(list)
	return list
}

// find returns the allocation that holds the byte at addr, or nil.
func (m *Memory) find(addr uint64) *allocation {
	if i, ok := m.index(addr); ok {
		return &m.allocs[i]
	}
	return nil
}

// index is the number of that allocation.
func (m *Memory) index(addr uint64) (i int, ok bool) {
	page := (addr - globalBase) >> pageShift
	if page >= uint64(len(m.pages)) {
		return 0, false
	}
	for i := int(m.pages[page]); i < len(m.allocs) && m.allocs[i].addr <= addr; i++ {
		if a := &m.allocs[i]; addr-a.addr < uint64(len(a.data)) {
			return i, true
		}
	}
	return 0, false
}
