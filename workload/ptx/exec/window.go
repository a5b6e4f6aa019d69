package exec

import (
	"slices"
	"sort"
)

// Reserve is Alloc for a memory in a window, in the lowest gap that is large enough. It reports
// false if the window has none.
func (m *Memory) Reserve(bytes, align int) (addr uint64, ok bool) {
	a := uint64(max(align, minAlign))
	low, at := globalBase, 0
	if !m.gaps && len(m.allocs) > 0 {
		at = len(m.allocs)
		low = m.allocs[at-1].end() + guardBytes
	}
	for ; ; at++ {
		addr = (low + a - 1) &^ (a - 1)
		if at == len(m.allocs) || uint64(bytes) <= m.allocs[at].addr && addr+guardBytes <= m.allocs[at].addr-uint64(bytes) {
			break
		}
		low = m.allocs[at].end() + guardBytes
	}
	if addr-globalBase > uint64(len(m.window)) || uint64(bytes) > uint64(len(m.window))-(addr-globalBase) {
		return 0, false
	}
	if at == len(m.allocs) {
		m.next = max(low, globalBase)
		return m.Alloc(bytes, align), true
	}
	m.allocs = slices.Insert(m.allocs, at, allocation{addr: addr, data: m.bytesAt(addr, bytes)})
	m.reindex()
	return addr, true
}

// Release frees what Alloc or Reserve has allocated at an address in a window. It reports false if
// nothing was.
func (m *Memory) Release(addr uint64) bool {
	at := sort.Search(len(m.allocs), func(i int) bool { return m.allocs[i].addr >= addr })
	if at == len(m.allocs) || m.allocs[at].addr != addr {
		return false
	}
	m.allocs = slices.Delete(m.allocs, at, at+1)
	m.gaps = true
	m.reindex()
	return true
}

// Extent is the allocation that holds an address; not ok if none does.
func (m *Memory) Extent(addr uint64) (start uint64, bytes int, ok bool) {
	a := m.find(addr)
	if a == nil {
		return 0, 0, false
	}
	return a.addr, len(a.data), true
}

// Used is how much of the window has ever been allocated, from its beginning on.
func (m *Memory) Used() uint64 { return m.used }

// end is the address behind the last byte.
func (a *allocation) end() uint64 { return a.addr + uint64(len(a.data)) }

// reindex makes the pages anew.
func (m *Memory) reindex() {
	m.pages = m.pages[:0]
	for i := range m.allocs {
		m.next = m.allocs[i].end() + guardBytes
		m.enter(i)
	}
}
