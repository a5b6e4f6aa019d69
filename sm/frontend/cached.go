package frontend

import (
	"cotenant/sm/icache"
	"cotenant/tenant"
)

// Program knows what the warps execute.
type Program interface {
	// Fetched is where the next instruction of a slot's warp lies, in bytes, apart
	// from the instructions of every other kernel, and the warp's account.
	Fetched(slot int) (addr uint64, account tenant.Account)
}

// missing is what a warp waits for in the instruction cache.
type missing struct {
	mshr    uint16 // of its line, plus one; 0: none
	brought bool   // the line that the warp has waited for has arrived
}

// present looks up a warp's next instruction before its fetch. On a miss the warp has
// had its turn: it waits for the line, or, without a free MSHR, for another turn. Once
// its line has come, the warp has its instructions, even if another line has displaced
// it before the warp's turn: otherwise more warps than the cache has lines could
// displace each other's lines for ever.
func (u *Unit) present(scheduler, bit int, cycle uint64) bool {
	addr, account := u.program.Fetched(scheduler*u.each + bit)
	m := &u.missing[scheduler][bit]
	if m.brought {
		m.brought = false
		u.cache.Take(addr, account)
		return true
	}
	found, mshr := u.cache.Lookup(cycle, addr, account)
	if found == icache.Miss {
		m.mshr = uint16(mshr) + 1
		u.wait(scheduler, bit, waiting)
	}
	return found == icache.Hit
}

// fill takes the lines that have arrived, and has their warps fetched for again.
func (u *Unit) fill(cycle uint64) (moved bool) {
	for {
		mshr, ok := u.cache.Arrive(cycle)
		if !ok {
			return moved
		}
		for scheduler, list := range u.missing {
			for bit := range list {
				if m := &list[bit]; m.mshr == uint16(mshr)+1 {
					m.mshr, m.brought = 0, true
					u.wait(scheduler, bit, 0)
				}
			}
		}
		moved = true
	}
}

// wait sets whether the warp of a scheduler's slot waits for a line.
func (u *Unit) wait(scheduler, bit int, reason uint8) {
	b := u.buffer(scheduler, bit)
	b.closed = b.closed&^waiting | reason
	u.refresh(scheduler, bit)
}

// Deliver lets the instruction cache's line of an MSHR arrive at a cycle.
func (u *Unit) Deliver(mshr int, cycle uint64) { u.cache.Deliver(mshr, cycle) }

// Outstanding is the number of lines on their way to the instruction cache.
func (u *Unit) Outstanding() int {
	if u.cache == nil {
		return 0
	}
	return u.cache.Outstanding()
}

// Next is when a line arrives in the instruction cache; it reports false if time alone
// brings none.
func (u *Unit) Next() (cycle uint64, ok bool) {
	if u.cache == nil {
		return 0, false
	}
	return u.cache.Next()
}

// ICache returns an account's counters of the instruction cache.
func (u *Unit) ICache(a tenant.Account) (counters icache.TenantStats) {
	if u.cache != nil {
		counters = *u.cache.Stats(a)
	}
	return counters
}
