package wiring

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/mem/pages"
	"cotenant/tenant"
	"cotenant/workload"
)

// PageMode says where the pages of the applications are when they start.
type PageMode string

// The modes. "" stands for PagesResident.
const (
	// PagesResident: in the GPU's memory, all of them.
	PagesResident PageMode = "resident"
	// PagesDemand: data that the host has copied to the GPU, or of unknown origin, are
	// still in the CPU's memory; arrays without data need memory only. Data that came
	// with the program are resident (thesis 6.5.3).
	PagesDemand PageMode = "demand"
	// PagesLazyOutput: arrays without data have no memory yet, nor have arrays of data
	// that the first kernel overwrites, all else is resident (thesis 6.5.4).
	PagesLazyOutput PageMode = "lazy-output"
	// PagesLazyHeap: the memory that kernels allocate from is not there yet, all else
	// is resident (thesis 6.5.4).
	PagesLazyHeap PageMode = "lazy-heap"
	// PagesStrict: arrays are resident, with their rights, and there are no other pages:
	// an access outside the arrays' pages ends the run (Aborted).
	PagesStrict PageMode = "strict"
)

// PageModes lists the modes by name.
func PageModes() []string {
	return []string{string(PagesResident), string(PagesDemand), string(PagesLazyOutput), string(PagesLazyHeap), string(PagesStrict)}
}

// Check returns an error unless a GPU and an application run in this mode. App is nil for
// an application that is not open; then only the GPU counts.
func (m PageMode) Check(c *Config, app *workload.App) error {
	switch {
	case m == "" || m == PagesResident:
		return nil
	case !slices.Contains(PageModes(), string(m)):
		return fmt.Errorf("pages are %q; valid: %s", string(m), strings.Join(PageModes(), ", "))
	case !c.MMU.On():
		return fmt.Errorf("pages are %s, and GPU %s does not translate addresses; valid: %s, or a GPU with an MMU (mmu.l2_tlb.entries), such as pagefault16", m, c.Name, PagesResident)
	case m != PagesDemand && app != nil && len(app.Arrays) == 0:
		return fmt.Errorf("pages are %s, and nobody knows the arrays of application %s; valid: %s, %s, or an application of real kernels", m, app.Name, PagesResident, PagesDemand)
	}
	return nil
}

// state is that of an array's pages.
func (m PageMode) state(o workload.Origin) pages.State {
	switch {
	case m == PagesDemand && (o == workload.Uploaded || o == workload.Overwritten || o == workload.Unknown):
		return pages.CPU
	case m == PagesDemand && o != workload.Loaded:
		return pages.CPUClean
	case m == PagesLazyOutput && (o == workload.Untouched || o == workload.Overwritten), m == PagesLazyHeap && o == workload.Heap:
		return pages.Lazy
	}
	return pages.Resident
}

// strength orders states for a page that several arrays share: the strongest array's state
// counts for all of them.
var strength = [...]int{pages.Lazy: 0, pages.CPUClean: 1, pages.Resident: 2, pages.CPU: 3, pages.Invalid: 0}

// SetPages fills the page table for the applications, as they are before the first
// cycle. It must be called before Run, once. The error is that of PageMode.Check.
func (p *Platform) SetPages(m PageMode) error {
	for i, process := range p.Host.Processes() {
		if err := m.Check(&p.Config, process.App); err != nil {
			return err
		}
		if p.Pages != nil && m != "" && m != PagesResident {
			m.fill(p.Pages, tenant.ID(i), process.App.Arrays)
		}
	}
	return nil
}

// fill says where the pages of a tenant's arrays are.
func (m PageMode) fill(table *pages.Table, id tenant.ID, arrays []workload.Array) {
	switch m { // what no array is of
	case PagesDemand:
		table.SetOther(id, pages.CPU, 0)
	case PagesStrict:
		table.SetOther(id, pages.Invalid, 0)
	}
	arrays = slices.Clone(arrays)
	slices.SortStableFunc(arrays, func(a, b workload.Array) int {
		return strength[m.state(a.Origin)] - strength[m.state(b.Origin)]
	})
	for i := range arrays {
		a := &arrays[i]
		access := pages.Access(0)
		if a.ReadOnly {
			access = pages.ReadOnly
		}
		table.Set(id, a.Addr, a.Bytes, m.state(a.Origin), access)
	}
	// A page can be written if anything in it can be.
	for i := range arrays {
		a := &arrays[i]
		if a.ReadOnly || a.Bytes == 0 {
			continue
		}
		for _, addr := range []uint64{a.Addr, a.End() - 1} {
			state, _ := table.At(id.Base() | addr)
			table.Set(id, addr, 1, state, 0)
		}
	}
}
