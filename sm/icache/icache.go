// Package icache is an SM's instruction cache: its lines, and those on their way
// to it, each with an MSHR. A line takes its place when it arrives. Who waits for
// which, the front end knows.
package icache

import (
	"math/bits"

	"cotenant/tenant"
)

// Cache is an instruction cache.
type Cache struct {
	spec    Spec
	shift   uint     // from an address to its line's number
	lines   []uint64 // line number plus one, by set and way; 0: empty
	lastUse []uint64 // of lines
	clock   uint64   // grows with every use
	misses  []miss   // by MSHR
	coming  int      // MSHRs that are taken
	first   int      // the taken MSHR with the earliest line; MSHRs are taken in turn
	stats   tenant.PerAccount[TenantStats]
}

// miss is an MSHR: a line, and when it arrives.
type miss struct{ line, at uint64 }

// TenantStats counts the instruction cache's work for one tenant.
type TenantStats struct {
	Accesses uint64 // fetches that hit or missed; a missed fetch is made again when its line is there
	Misses   uint64 // fetches that missed, of lines that were on their way included
}

// Result is what a lookup comes to.
type Result uint8

// The results.
const (
	Hit  Result = iota // the line is there
	Miss               // it is on its way
	Full               // it is not there, and no MSHR is free: look again
)

// New makes an empty cache. The Spec must be valid, with sets.
func New(spec Spec) *Cache {
	n := spec.Sets * spec.Ways
	return &Cache{spec: spec, shift: uint(bits.TrailingZeros(uint(spec.LineBytes))), lines: make([]uint64, n), lastUse: make([]uint64, n),
		misses: make([]miss, spec.MSHRs)}
}

// Lookup looks for the line of an address. After a Miss the line comes with the
// MSHR of the number.
func (c *Cache) Lookup(cycle, addr uint64, account tenant.Account) (r Result, mshr int) {
	line := addr>>c.shift + 1
	if at := c.find(line); c.lines[at] == line {
		c.use(at)
		c.stats[account].Accesses++
		return Hit, 0
	}
	mshr, known := c.outstanding(line)
	if !known {
		if c.coming == len(c.misses) {
			return Full, 0
		}
		c.misses[mshr] = miss{line, cycle + uint64(c.spec.MissLatency)}
		c.coming++
	}
	c.stats[account].Accesses++
	c.stats[account].Misses++
	return Miss, mshr
}

// Take is a fetch from a line that has been waited for and has arrived, which is a
// hit whether or not another one has displaced it meanwhile.
func (c *Cache) Take(addr uint64, account tenant.Account) {
	line := addr>>c.shift + 1
	if at := c.find(line); c.lines[at] == line {
		c.use(at)
	}
	c.stats[account].Accesses++
}

// outstanding is the MSHR of a line, or else the next free MSHR.
func (c *Cache) outstanding(line uint64) (mshr int, ok bool) {
	mshr = c.first
	for range c.coming {
		if c.misses[mshr].line == line {
			return mshr, true
		}
		mshr = c.after(mshr)
	}
	return mshr, false
}

// find is the place of a line, or else the least recently used place of its set, which
// the line would take.
func (c *Cache) find(line uint64) (at int) {
	at = int(line%uint64(c.spec.Sets)) * c.spec.Ways
	for i := at; i < at+c.spec.Ways; i++ {
		if c.lines[i] == line {
			return i
		}
	}
	for i := at + 1; i%c.spec.Ways != 0; i++ {
		if c.lastUse[i] < c.lastUse[at] {
			at = i
		}
	}
	return at
}

func (c *Cache) use(at int) {
	c.clock++
	c.lastUse[at] = c.clock
}

func (c *Cache) after(mshr int) int {
	if mshr++; mshr == len(c.misses) {
		return 0
	}
	return mshr
}

// Arrive puts the next line that has come by a cycle into the cache, and returns
// its MSHR, which is free again; it reports false if there is none.
func (c *Cache) Arrive(cycle uint64) (mshr int, ok bool) {
	m := &c.misses[c.first]
	if c.coming == 0 || m.at > cycle {
		return 0, false
	}
	at := c.find(m.line)
	c.lines[at] = m.line
	c.use(at)
	mshr, c.first = c.first, c.after(c.first)
	c.coming--
	return mshr, true
}

// Next is when the next line arrives; it reports false if none is on its way.
func (c *Cache) Next() (cycle uint64, ok bool) { return c.misses[c.first].at, c.coming > 0 }

// Stats returns an account's counters.
func (c *Cache) Stats(a tenant.Account) *TenantStats { return &c.stats[a] }
