// Package tlb models an SM's L1 TLB. It is looked up beside the L1 cache, which is virtual:
// a hit takes no cycle of its own (thesis Table 6.1). A miss takes an MSHR of its page
// and asks the MMU; more accesses of the page wait in the same MSHR, and other pages hit
// meanwhile.
//
// The answer may be a page fault. A TLB that holds faults keeps the MSHR and asks again
// once the region has been served, so that the SM does not know of it (stall on fault,
// thesis 2.1). Otherwise the TLB frees the MSHR and reports the fault to each waiting
// access; the SM decides about the instruction (thesis 6.2).
package tlb

import (
	"math/bits"

	"cotenant/mem/cache"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Outcome is what became of a look-up.
type Outcome uint8

// The outcomes.
const (
	Refused Outcome = iota // no MSHR is free: try again
	Hit                    // the page can be accessed
	Waits                  // Waiter is told when it can be, or why not
)

// Waiter is told of look-ups that have waited.
type Waiter interface {
	// Translated: the page of an access can be accessed.
	Translated(access uint32)
	// Faulted: it cannot be, until the region has been served, or never if the
	// fault aborts.
	Faulted(access uint32, fault protocol.Fault, region uint64)
	// Held: the access has begun to wait for a fault to be served (true), or has been
	// told Translated after it (false).
	Held(access uint32, on bool)
}

// Network takes what the TLB sends to the MMU.
type Network interface {
	// Ask sends a translation that has not been answered, and reports false if the
	// way is barred; then it is asked again at the next Step.
	Ask(page uint64, a tenant.Account, write bool) bool
}

// TLB is the L1 TLB.
type TLB struct {
	tags    *cache.Tags
	shift   uint // from an address to a page number
	holds   bool
	waiter  Waiter
	network Network
	misses  []miss // MSHRs
	used    int    // of them
	barred  int    // of them, in that state
	stats   tenant.PerAccount[TenantStats]
}

// miss is an MSHR.
type miss struct {
	page    uint64 // address
	region  uint64 // that it waits for, if held, or has waited for
	waiting []uint32
	account tenant.Account
	write   bool // a waiting access writes
	faulted bool // it has been held
	state   state
}

// state is what an MSHR waits for.
type state uint8

const (
	free   state = iota
	barred       // the way to the MMU
	asked        // its answer
	held         // its region
)

// TenantStats counts one tenant's look-ups.
type TenantStats struct {
	Hits   uint64
	Misses uint64 // that took an MSHR
	Merges uint64 // misses that joined another of the same page
	Faults uint64 // answers that were page faults, served later
}

// Parts are what a TLB works with.
type Parts struct {
	PageBytes int // a power of two, at least 128
	// HoldFaults keeps accesses waiting until their fault is served; else Waiter
	// is told.
	HoldFaults bool
	Waiter     Waiter
	Network    Network
}

// New makes an empty TLB. The Spec must be valid and have entries.
func New(spec Spec, p Parts) *TLB {
	return &TLB{
		tags:  cache.NewTags(spec.Entries/spec.Ways, spec.Ways, cache.Index{}),
		shift: uint(bits.TrailingZeros(uint(p.PageBytes))),
		holds: p.HoldFaults, waiter: p.Waiter, network: p.Network, misses: make([]miss, spec.MSHRs),
	}
}

// tag is a page's address as the tags want it, which are of cache lines.
func (t *TLB) tag(page uint64) uint64 { return page >> t.shift * protocol.LineBytes }

// LookUp looks for the page of an address. An access that Waits is named to the
// Waiter.
func (t *TLB) LookUp(addr uint64, a tenant.Account, write bool, access uint32) Outcome {
	page := addr >> t.shift << t.shift
	s := t.stats.Of(a)
	right := readable
	if write {
		right = writable
	}
	if line, hit := t.tags.Probe(t.tag(page), right); hit != 0 {
		t.tags.Touch(line)
		s.Hits++
		return Hit
	}
	var taken *miss
	for i := range t.misses {
		m := &t.misses[i]
		if m.state == free {
			if taken == nil {
				taken = m
			}
		} else if m.page == page && (m.write || !write) {
			m.waiting = append(m.waiting, access)
			s.Merges++
			if m.faulted {
				t.waiter.Held(access, true)
			}
			return Waits
		}
	}
	if taken == nil {
		return Refused
	}
	*taken = miss{page: page, waiting: append(taken.waiting[:0], access), account: a, write: write}
	t.used++
	s.Misses++
	t.ask(taken)
	return Waits
}

// The rights of a page, which the tags keep as sectors.
const (
	readable uint8 = 1 << iota
	writable
)

// ask asks the MMU for a page, now or as soon as the way is free.
func (t *TLB) ask(m *miss) {
	if m.state = asked; !t.network.Ask(m.page, m.account, m.write) {
		m.state = barred
		t.barred++
	}
}

// Step asks for what the way was barred to before, and reports whether anything
// could be.
func (t *TLB) Step() (moved bool) {
	for i := 0; t.barred > 0 && i < len(t.misses); i++ {
		if m := &t.misses[i]; m.state == barred {
			t.barred--
			if t.ask(m); m.state == barred {
				return moved
			}
			moved = true
		}
	}
	return moved
}

// Answer takes an answer of the MMU.
func (t *TLB) Answer(n *protocol.Translation) {
	m := t.find(n)
	if n.Fault == protocol.NoFault {
		t.fill(m, n.ReadOnly)
		t.release(m, func(access uint32) {
			if m.faulted {
				t.waiter.Held(access, false)
			}
			t.waiter.Translated(access)
		})
		return
	}
	t.stats.Of(m.account).Faults++
	switch {
	case !t.holds || n.Fault.Aborts():
		t.release(m, func(access uint32) { t.waiter.Faulted(access, n.Fault, n.Region) })
	default:
		m.state, m.region = held, n.Region
		if !m.faulted {
			m.faulted = true
			for _, access := range m.waiting {
				t.waiter.Held(access, true)
			}
		}
	}
}

// find is the MSHR that an answer is for.
func (t *TLB) find(n *protocol.Translation) *miss {
	for i := range t.misses {
		if m := &t.misses[i]; m.state == asked && m.page == n.Page && m.write == n.Write {
			return m
		}
	}
	return nil
}

// fill puts a page into the TLB.
func (t *TLB) fill(m *miss, readOnly bool) {
	line, _ := t.tags.Probe(t.tag(m.page), readable)
	if line == cache.None {
		line, _, _ = t.tags.Reserve(t.tag(m.page), m.account)
	}
	t.tags.Fill(line, readable)
	if !readOnly {
		t.tags.Fill(line, writable)
	}
}

// release frees an MSHR and tells its waiting accesses. They must not look up anything
// before it returns.
func (t *TLB) release(m *miss, tell func(access uint32)) {
	m.state = free
	t.used--
	for _, access := range m.waiting {
		tell(access)
	}
}

// Served has those ask again that have waited for a region.
func (t *TLB) Served(r *protocol.RegionServed) {
	for i := range t.misses {
		if m := &t.misses[i]; m.state == held && m.region == r.Region {
			t.ask(m)
		}
	}
}

// Waiting is the number of pages that are waited for.
func (t *TLB) Waiting() int { return t.used }

// Stats are an account's counters.
func (t *TLB) Stats(a tenant.Account) *TenantStats { return t.stats.Of(a) }
