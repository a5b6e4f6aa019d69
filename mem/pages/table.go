package pages

import (
	"fmt"
	"math/bits"
	"slices"

	"cotenant/protocol"
	"cotenant/tenant"
)

const (
	// local is the address bit of local memory, which always has its pages.
	local = uint64(1) << 55
	// offset are the bits of an address that say where it lies in its tenant's
	// global memory.
	offset = local - 1
)

// page is what the table says of a page.
type page struct {
	state  State
	access Access
}

// servable reports whether the page is not there, but can be.
func (p page) servable() bool { return p.state == CPU || p.state == CPUClean || p.state == Lazy }

// region is a region that Set or Served has touched.
type region struct {
	all   page   // every page of it, unless pages is set
	pages []page // each; nil: all are alike
}

// memory is one tenant's part of the table.
type memory struct {
	other   page     // where there is no region
	numbers []uint64 // of the regions, ascending
	regions []region // in the same order
}

// Table is the page table of a GPU: the state of every page of every tenant,
// Resident at first. It is small where whole regions are alike. Local memory is
// always Resident, for all.
type Table struct {
	pageShift, regionShift uint
	tenants                [tenant.Max]memory
}

// NewTable returns a table of pages in aligned regions that are served as a
// whole. Both sizes are powers of two, of at least protocol.LineBytes, and a page
// is no larger than a region.
func NewTable(pageBytes, regionBytes int) (*Table, error) {
	power := func(n int) bool { return n >= protocol.LineBytes && n&(n-1) == 0 }
	if !power(pageBytes) || !power(regionBytes) || pageBytes > regionBytes {
		return nil, fmt.Errorf("pages of %d bytes in regions of %d bytes; valid: powers of two, at least %d, and a page no larger than a region", pageBytes, regionBytes, protocol.LineBytes)
	}
	return &Table{pageShift: uint(bits.TrailingZeros(uint(pageBytes))), regionShift: uint(bits.TrailingZeros(uint(regionBytes)))}, nil
}

// pagesOf is the number of pages of a region.
func (t *Table) pagesOf() uint64 { return 1 << (t.regionShift - t.pageShift) }

// Region is the address of the region of an address, tenant included.
func (t *Table) Region(addr uint64) uint64 { return addr >> t.regionShift << t.regionShift }

// SetOther sets all pages of a tenant that Set does not. Call it before Set.
func (t *Table) SetOther(id tenant.ID, state State, access Access) {
	t.tenants[id].other = page{state, access}
}

// Set sets the pages of a range of a tenant's global memory, over earlier settings. The
// address need not have the tenant's number. The table's memory grows with the regions
// that are set: use SetOther for what holds everywhere.
func (t *Table) Set(id tenant.ID, addr, bytes uint64, state State, access Access) {
	addr &= offset
	bytes = min(bytes, local-addr)
	if bytes == 0 {
		return
	}
	m, to := &t.tenants[id], page{state, access}
	first, last := addr>>t.pageShift, (addr+bytes-1)>>t.pageShift
	n := t.pagesOf()
	for number := first / n; number <= last/n; number++ {
		r := m.get(number)
		from, end := max(first, number*n)-number*n, min(last, number*n+n-1)-number*n+1
		if from == 0 && end == n {
			*r = region{all: to}
			continue
		}
		r.split(n)
		for i := from; i < end; i++ {
			r.pages[i] = to
		}
		r.join()
	}
}

// At is the page of an address as Set and Served have left it.
func (t *Table) At(addr uint64) (State, Access) {
	p := t.page(addr)
	return p.state, p.access
}

// Walk is what a walk finds at a page. The address has its tenant's number. A region is
// served as a whole: it is migrated if any of its pages is, and a handler on the GPU can
// serve it only if the CPU has none of its pages.
func (t *Table) Walk(addr uint64, write bool) Walk {
	if addr&local != 0 {
		return Walk{}
	}
	p := t.page(addr)
	switch {
	case p.state == Invalid:
		return Walk{Fault: protocol.Invalid}
	case p.access == ReadOnly && write:
		return Walk{Fault: protocol.ReadOnly}
	case p.state == Resident:
		return Walk{}
	}
	counts := t.count(addr)
	if counts[CPU] > 0 {
		return Walk{Fault: protocol.Migrate}
	}
	return Walk{Fault: protocol.Allocate, Lazy: counts[CPUClean] == 0}
}

// Moves is the number of bytes that move from the CPU's memory when the region of
// an address is served.
func (t *Table) Moves(addr uint64) uint64 { return t.count(addr)[CPU] << t.pageShift }

// Served makes all pages of the region of an address Resident that can be.
func (t *Table) Served(addr uint64) {
	if addr&local != 0 {
		return
	}
	r := t.tenants[addr>>tenant.AddressShift].get(addr & offset >> t.regionShift)
	if r.all.servable() {
		r.all.state = Resident
	}
	for i := range r.pages {
		if r.pages[i].servable() {
			r.pages[i].state = Resident
		}
	}
	r.join()
}

// page is the state of a page of global memory.
func (t *Table) page(addr uint64) page {
	m := &t.tenants[addr>>tenant.AddressShift]
	r := m.find(addr & offset >> t.regionShift)
	switch {
	case r == nil:
		return m.other
	case r.pages == nil:
		return r.all
	}
	return r.pages[addr>>t.pageShift&(t.pagesOf()-1)]
}

// count is the number of the pages of a region in each state.
func (t *Table) count(addr uint64) (counts [Invalid + 1]uint64) {
	m := &t.tenants[addr>>tenant.AddressShift]
	all := m.other
	if r := m.find(addr & offset >> t.regionShift); r != nil {
		if r.pages != nil {
			for _, p := range r.pages {
				counts[p.state]++
			}
			return counts
		}
		all = r.all
	}
	counts[all.state] = t.pagesOf()
	return counts
}

// find is the region of a number, nil if nothing has been said of it.
func (m *memory) find(number uint64) *region {
	if i, ok := slices.BinarySearch(m.numbers, number); ok {
		return &m.regions[i]
	}
	return nil
}

// get is the region of a number, a new one if there is none.
func (m *memory) get(number uint64) *region {
	i, ok := slices.BinarySearch(m.numbers, number)
	if !ok {
		m.numbers = slices.Insert(m.numbers, i, number)
		m.regions = slices.Insert(m.regions, i, region{all: m.other})
	}
	return &m.regions[i]
}

// split has the region keep each of its n pages.
func (r *region) split(n uint64) {
	if r.pages == nil {
		r.pages = slices.Repeat([]page{r.all}, int(n))
	}
}

// join has it keep one for all if they are alike.
func (r *region) join() {
	for _, p := range r.pages {
		if p != r.pages[0] {
			return
		}
	}
	if r.pages != nil {
		*r = region{all: r.pages[0]}
	}
}
