package l1

import (
	"cmp"

	"cotenant/components/limits"
	"cotenant/components/parts"
	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Prefetcher asks for lines before loads need them.
//
// The contract: Looked follows each load that looks up a line, once, however often it
// had to be tried, in the order of lookups; it appends lines to fetch. In that order the
// cache fetches the lines that it neither has nor awaits, as long as an MSHR, a line and
// room in the miss queue are free, and forgets the rest. Invalidated says that a
// tenant's next kernel has been launched: none of its lines stays.
type Prefetcher interface {
	Looked(at *Lookup, fetch []Fetch) []Fetch
	Invalidated(t tenant.ID)
}

// Lookup is a load's lookup of a line.
type Lookup struct {
	Line    uint64 // address, tenant included
	Sectors uint8  // that the load touches, bit 0 the lowest
	Hit     bool   // they were there
	// First says that they were there because of a prefetch, and that this is the first
	// load to find the line.
	First  bool
	PC     uint32 // of the instruction: bytes from the kernel's first one
	Tenant tenant.ID
}

// Fetch is what a Prefetcher wants: sectors of a line.
type Fetch struct {
	Line    uint64
	Sectors uint8
}

// PrefetchSpec holds the parameters of the prefetcher.
type PrefetchSpec struct {
	// Kind is a name of Prefetchers; empty stands for none.
	Kind string `yaml:"kind"`
	// Degree is the number of lines that one lookup asks for, 1 to 16; with kind none it
	// counts for nothing.
	Degree int `yaml:"degree"`
}

// maxDegree bounds PrefetchSpec.Degree.
const maxDegree = 16

// prefetchers holds the kinds. The file of a kind adds it.
var prefetchers parts.Set[PrefetchSpec, Prefetcher]

func init() { prefetchers.Add("none", func(PrefetchSpec) Prefetcher { return nil }) }

// Prefetchers lists the kinds by name.
func Prefetchers() []string { return prefetchers.Names() }

// NewPrefetcher makes the prefetcher of a PrefetchSpec; nil for none. The error says
// which field is out of range.
func NewPrefetcher(spec PrefetchSpec) (Prefetcher, error) {
	p, err := prefetchers.New("kind", cmp.Or(spec.Kind, "none"), spec)
	if p == nil {
		return nil, err
	}
	return p, limits.In("degree", spec.Degree, 1, maxDegree)
}

// Validate reports the first field that is out of range, by its name.
func (s PrefetchSpec) Validate() error {
	_, err := NewPrefetcher(s)
	return err
}

// ahead is what the cache knows of prefetches.
type ahead struct {
	prefetcher Prefetcher // nil: there is none
	fetch      []Fetch
	// fresh marks lines that a prefetch brought and no load has found yet, onWay the
	// entries of such lines on their way; by number.
	fresh, onWay []bool
}

func newAhead(spec *Spec, p Prefetcher) (a ahead) {
	if a.prefetcher = p; p != nil {
		a.fresh, a.onWay = make([]bool, spec.Sets*spec.Ways), make([]bool, spec.MSHRs)
	}
	return a
}

// looked tells the prefetcher of a load that has looked up a line, and fetches the lines
// that it asks for.
func (c *Cache) looked(m *Request, a *Access, line int, hit bool, cycle uint64) {
	at := Lookup{Line: a.Line, Sectors: a.Sectors, Hit: hit, PC: m.PC, Tenant: m.Account.Tenant()}
	if hit && c.ahead.fresh[line] {
		c.ahead.fresh[line], at.First = false, true
		c.stats[m.Account].PrefetchHits++
	}
	c.ahead.fetch = c.ahead.prefetcher.Looked(&at, c.ahead.fetch[:0])
	for _, f := range c.ahead.fetch {
		c.prefetch(m, f, cycle)
	}
}

// joined follows a load that waits for a line on its way for a prefetch.
func (c *Cache) joined(entry int, a tenant.Account) {
	if c.ahead.onWay[entry] {
		c.ahead.onWay[entry] = false
		c.stats[a].PrefetchesLate++
	}
}

// prefetch asks for sectors of a line, if all that takes is free.
func (c *Cache) prefetch(m *Request, f Fetch, cycle uint64) {
	owner, need := m.Account, f.Sectors
	if !c.spec.Sectored {
		need = protocol.AllSectors
	}
	line, valid := c.tags.Probe(f.Line, need)
	fetch := need &^ valid
	switch {
	case fetch == 0, c.mshrs.Lookup(f.Line) != cache.None:
		return
	case c.spec.MSHRPerSector && c.coming+protocol.SectorCount(fetch) > c.spec.MSHRs,
		!c.queue.Room(protocol.Read, owner.Tenant()):
		c.stats[owner].PrefetchesDropped++
		return
	}
	entry := c.newMiss(m, f.Line, line, true)
	if entry == cache.None {
		c.stats[owner].PrefetchesDropped++
		return
	}
	c.mshrs.Ask(entry, fetch)
	c.ahead.onWay[entry] = true
	c.coming += protocol.SectorCount(fetch)
	c.stats[owner].Prefetches++
	c.send(protocol.Packet{Kind: protocol.Read, Addr: f.Line, Sectors: fetch, Account: owner, Line: m.Line}, cycle)
}

// brought follows a fill of an entry's line.
func (c *Cache) brought(entry, line int) {
	if line != cache.None {
		c.ahead.fresh[line] = c.ahead.onWay[entry]
	}
	c.ahead.onWay[entry] = false
}
