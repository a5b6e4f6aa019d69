package l2tlb

import (
	"cotenant/components"
	"cotenant/mem/cache"
	"cotenant/protocol"
)

// TLB is the L2 TLB.
type TLB struct {
	components.Module

	// SMs has a port for each SM, by its number: *protocol.Translation in, and out
	// answered.
	SMs []*components.Port
	// Fill is the port to the fill unit: *protocol.Walk out and in, and
	// *protocol.RegionServed in.
	Fill *components.Port

	spec      Spec
	width     int // requests taken in a cycle
	pageShift uint

	tags     *cache.Tags
	readOnly []bool // of the tags' lines
	mshrs    *cache.MSHRs
	misses   []miss   // by MSHR
	waiters  []waiter // in lists; free ones are in a list too
	free     int32    // the first free waiter, or cache.None
	answered []int32  // MSHRs with ended walks and waiting requests, oldest first

	lookups   components.FIFO[lookup]
	next      int    // SM with the port that is looked at first
	stalled   bool   // the request to be looked up is
	stalledAt uint64 // since when
	stats     Stats
}

// lookup is a request that is looked up from cycle at on.
type lookup struct {
	msg *protocol.Translation
	at  uint64
}

// miss is what an MSHR holds: the walk, and the requests that wait for it.
type miss struct {
	walk        protocol.Walk
	first, last int32 // waiters, or cache.None
}

// waiter is a request in a list.
type waiter struct {
	msg  *protocol.Translation
	next int32
}

// Stats are the counters, up to date after every edge.
func (t *TLB) Stats() *Stats { return &t.stats }

// Gauges are the requests on their way to the look-up and the pages walked for.
func (t *TLB) Gauges() []components.Gauge {
	return []components.Gauge{
		t.lookups.Gauge("Lookups"),
		{Name: "MSHRs", Max: t.spec.MSHRs, Level: t.mshrs.Len},
	}
}

// key is what tags and MSHRs know a page by: they count lines.
func (t *TLB) key(page uint64) uint64 { return page >> t.pageShift * protocol.LineBytes }

// Tick is one edge of the core clock.
func (t *TLB) Tick(cycle uint64) bool {
	moved := t.takeWalks()
	moved = t.answer() || moved
	moved = t.accept(cycle) || moved
	moved = t.look(cycle) || moved
	if t.lookups.Len() > 0 && t.lookups.Front().at > cycle {
		t.WakeAt(t.lookups.Front().at)
	}
	return moved
}

// takeWalks takes what the fill unit says, all of it: it must never wait here.
func (t *TLB) takeWalks() (moved bool) {
	for {
		switch m := t.Fill.Front().(type) {
		case *protocol.Walk:
			t.answered = append(t.answered, int32(m.Tag))
			if m.Read == protocol.NoFault {
				t.keep(m)
			}
		case *protocol.RegionServed:
			t.served(m.Region)
		default:
			t.Fill.Unknown()
			return moved
		}
		t.Fill.Pop()
		moved = true
	}
}

// keep puts a page that can be read into the tags.
func (t *TLB) keep(w *protocol.Walk) {
	line, _, _ := t.tags.Reserve(t.key(w.Page), w.Account) // no line is ever pinned
	t.tags.Fill(line, 1)
	t.readOnly[line] = w.Written != protocol.NoFault
}

// served makes faults of a region that have not been passed on NoFault.
func (t *TLB) served(region uint64) {
	for _, i := range t.answered {
		w := &t.misses[i].walk
		if w.Region != region {
			continue
		}
		for _, f := range []*protocol.Fault{&w.Read, &w.Written} {
			if !f.Aborts() {
				*f = protocol.NoFault
			}
		}
	}
}

// answer answers the requests that wait for ended walks, as far as SMs have room.
func (t *TLB) answer() (moved bool) {
	left := t.answered[:0]
	for _, i := range t.answered {
		m := &t.misses[i]
		before := int32(cache.None)
		for at := m.first; at != cache.None; {
			w := &t.waiters[at]
			following := w.next
			if !t.reply(w.msg, &m.walk) {
				before, at = at, following
				continue
			}
			moved = true
			if before == cache.None {
				m.first = following
			} else {
				t.waiters[before].next = following
			}
			*w = waiter{next: t.free}
			t.free, at = at, following
		}
		m.last = before
		if m.first == cache.None {
			t.mshrs.Free(int(i))
		} else {
			left = append(left, i)
		}
	}
	t.answered = left
	return moved
}

// reply answers a request by a walk and reports whether its SM has room for it.
func (t *TLB) reply(m *protocol.Translation, w *protocol.Walk) bool {
	port := t.SMs[m.SM]
	if !port.CanPush() {
		return false
	}
	m.Fault, m.Region, m.Local = w.Fault(m.Write), w.Region, false
	m.ReadOnly = w.Written != protocol.NoFault
	if m.Fault != protocol.NoFault {
		t.stats.Accounts.Of(m.Account).Faults++
		m.Local = w.Local && !m.Fault.Aborts()
	}
	return port.Push(m)
}

// accept starts requests on their way to the look-up, SMs taking turns, as many as are
// looked up in a cycle.
func (t *TLB) accept(cycle uint64) bool {
	if t.Incoming() == 0 {
		return false
	}
	taken := 0
	for idle := 0; idle < len(t.SMs) && taken < t.width && !t.lookups.Full(); {
		port := t.SMs[t.next]
		m, ok := port.Front().(*protocol.Translation)
		if !ok {
			port.Unknown()
			idle++
			t.pass()
			continue
		}
		t.lookups.Push(lookup{m, cycle + uint64(t.spec.Latency-2)})
		port.Pop()
		idle = 0
		taken++
		t.pass()
	}
	return taken > 0
}

// pass has the next SM's turn come.
func (t *TLB) pass() {
	if t.next++; t.next == len(t.SMs) {
		t.next = 0
	}
}

// look looks up the requests that are due.
func (t *TLB) look(cycle uint64) bool {
	done := 0
	for done < t.width && t.lookups.Len() > 0 && t.lookups.Front().at <= cycle {
		m := t.lookups.Front().msg
		k := t.stats.Accounts.Of(m.Account)
		ok, wants := t.translate(m, k)
		if !ok {
			if wants && !t.stalled {
				t.stalled, t.stalledAt = true, cycle
			}
			break
		}
		if t.stalled {
			k.MSHRStallCycles += cycle - t.stalledAt
			t.stalled = false
		}
		k.Accesses++
		t.lookups.Pop()
		done++
	}
	return done > 0
}

// translate answers a request, or has it wait for a walk, or changes nothing and
// says whether it wants an MSHR or room at the fill unit.
func (t *TLB) translate(m *protocol.Translation, k *TenantStats) (ok, wants bool) {
	key := t.key(m.Page)
	if line, _ := t.tags.Probe(key, 1); line != cache.None {
		here := protocol.Walk{}
		if t.readOnly[line] {
			here.Written = protocol.ReadOnly
		}
		if !t.reply(m, &here) {
			return false, false
		}
		t.tags.Touch(line)
		k.Hits++
		return true, false
	}
	if i := t.mshrs.Lookup(key); i != cache.None {
		t.wait(i, m)
		k.Merges++
		return true, false
	}
	if t.mshrs.Full() || !t.Fill.CanPush() {
		return false, true
	}
	i := t.mshrs.Allocate(key, 0)
	w := &t.misses[i]
	*w = miss{protocol.Walk{Page: m.Page, Account: m.Account, Tag: uint32(i)}, cache.None, cache.None}
	t.wait(i, m)
	t.Fill.Push(&w.walk)
	k.Misses++
	return true, false
}

// wait has a request wait in an MSHR.
func (t *TLB) wait(mshr int, m *protocol.Translation) {
	at := t.free
	if at == cache.None {
		at = int32(len(t.waiters))
		t.waiters = append(t.waiters, waiter{})
	} else {
		t.free = t.waiters[at].next
	}
	t.waiters[at] = waiter{m, cache.None}
	list := &t.misses[mshr]
	if list.first == cache.None {
		list.first = at
	} else {
		t.waiters[list.last].next = at
	}
	list.last = at
}
