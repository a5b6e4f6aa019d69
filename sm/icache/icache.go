// Package icache models an SM's instruction cache: its lines, and those on their way
// to it, each with an MSHR. A line takes its place when it arrives: a fixed time after
// the fetch that missed, or when a Memory delivers it. The front end knows which warps
// wait for which line.
package icache

import (
	"math"
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
	next    uint64   // when the earliest line arrives; never if none has a time
	memory  Memory   // nil: lines come after a fixed time
	stats   tenant.PerAccount[TenantStats]
}

// miss is an MSHR: a line number plus one, 0 if it is free, and when the line arrives.
type miss struct{ line, at uint64 }

const never = math.MaxUint64

// Memory fetches lines of code.
type Memory interface {
	// FetchLine reads the line of a number for an account. The request leaves at the given
	// cycle or later; Cache.Deliver ends it, with the MSHR's number.
	FetchLine(line uint64, mshr int, account tenant.Account, from uint64)
}

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

// New makes an empty cache. The Spec must be valid, with sets. Only a Spec of FromMemory
// uses the memory.
func New(spec Spec, memory Memory) *Cache {
	n := spec.Sets * spec.Ways
	c := &Cache{spec: spec, shift: uint(bits.TrailingZeros(uint(spec.LineBytes))), lines: make([]uint64, n), lastUse: make([]uint64, n),
		misses: make([]miss, spec.MSHRs), next: never}
	if spec.Misses == FromMemory {
		c.memory = memory
	}
	return c
}

// Lookup looks for the line of an address. After a Miss the line comes with the
// MSHR of the number.
func (c *Cache) Lookup(cycle, addr uint64, account tenant.Account) (r Result, mshr int) {
	line := addr>>c.shift + 1
	if at := c.find(line); c.lines[at] == line {
		c.use(at)
		c.stats.Of(account).Accesses++
		return Hit, 0
	}
	mshr, known := c.outstanding(line)
	if !known {
		if mshr < 0 {
			return Full, 0
		}
		at := cycle + uint64(c.spec.MissLatency)
		if c.memory != nil {
			c.memory.FetchLine(line-1, mshr, account, at)
			at = never
		}
		c.misses[mshr] = miss{line, at}
		c.next = min(c.next, at)
		c.coming++
	}
	c.stats.Of(account).Accesses++
	c.stats.Of(account).Misses++
	return Miss, mshr
}

// Take is a fetch from a line that has been waited for and has arrived, which is a
// hit whether or not another one has displaced it meanwhile.
func (c *Cache) Take(addr uint64, account tenant.Account) {
	line := addr>>c.shift + 1
	if at := c.find(line); c.lines[at] == line {
		c.use(at)
	}
	c.stats.Of(account).Accesses++
}

// outstanding is the MSHR of a line, or else a free one, -1 if all are taken.
func (c *Cache) outstanding(line uint64) (mshr int, ok bool) {
	free := -1
	for i := range c.misses {
		switch c.misses[i].line {
		case line:
			return i, true
		case 0:
			if free < 0 {
				free = i
			}
		}
	}
	return free, false
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

// Arrive puts the next line that has come by a cycle into the cache, and returns
// its MSHR, which is free again; it reports false if there is none.
func (c *Cache) Arrive(cycle uint64) (mshr int, ok bool) {
	if c.next > cycle {
		return 0, false
	}
	mshr = -1
	next := uint64(never)
	for i := range c.misses {
		switch m := &c.misses[i]; {
		case m.line == 0:
		case m.at == c.next && mshr < 0:
			mshr = i
		default:
			next = min(next, m.at)
		}
	}
	m := &c.misses[mshr]
	at := c.find(m.line)
	c.lines[at] = m.line
	c.use(at)
	m.line, c.next = 0, next
	c.coming--
	return mshr, true
}

// Deliver lets the line of an MSHR arrive at a cycle: the Memory has it.
func (c *Cache) Deliver(mshr int, cycle uint64) {
	c.misses[mshr].at = cycle
	c.next = min(c.next, cycle)
}

// Next is when the next line arrives; it reports false if no line on its way has a time.
func (c *Cache) Next() (cycle uint64, ok bool) { return c.next, c.next != never }

// Outstanding is the number of lines that are on their way.
func (c *Cache) Outstanding() int { return c.coming }

// Stats returns an account's counters.
func (c *Cache) Stats(a tenant.Account) *TenantStats { return c.stats.Of(a) }
