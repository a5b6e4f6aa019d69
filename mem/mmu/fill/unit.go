package fill

import (
	"slices"

	"cotenant/components"
	"cotenant/mem/pages"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Links that an answer takes to the SM: to the L2 TLB, and from there. News of a
// region are with the L2 TLB as long before they are with the SMs.
const hops = 2

// Unit is the fill unit.
type Unit struct {
	components.Module

	// TLB is the port to the L2 TLB: *protocol.Walk in, and out answered;
	// *protocol.RegionServed out.
	TLB *components.Port
	// Pager is the port to the pager: *protocol.RegionFault out, and in once served.
	Pager *components.Port
	// SMs has a port for each SM, by its number: *protocol.RegionServed out,
	// *protocol.RegionHandled in.
	SMs []*components.Port

	spec     Spec
	table    *pages.Table
	listener Listener

	walks   components.FIFO[walk]   // under way, oldest first
	closing components.FIFO[uint64] // cycles at which the walkers of answered walks are free
	pending records
	faults  *components.Pool[protocol.RegionFault]
	asking  []*protocol.RegionFault // for the pager, oldest first
	news    []news                  // oldest first
	stats   Stats
}

// walk occupies a walker and is answered at cycle at.
type walk struct {
	msg *protocol.Walk
	at  uint64
}

// news is a region that has been served, until the L2 TLB and all SMs have been told.
type news struct {
	region uint64
	tlb    bool   // the L2 TLB has been told
	at     uint64 // first cycle at which SMs can be
	sms    int    // that have been
}

// Stats are the counters, up to date after every edge.
func (u *Unit) Stats() *Stats { return &u.stats }

// Gauges are the walks under way and the walks that wait for a walker.
func (u *Unit) Gauges() []components.Gauge {
	return []components.Gauge{
		{Name: "Walkers", Max: u.spec.Walkers, Level: u.walks.Len},
		{Name: "Queue", Max: u.spec.Queue, Level: u.TLB.Len},
	}
}

// Pending is the number of regions that are being served.
func (u *Unit) Pending() int { return len(u.pending) }

// PendingCycles sums the cycles in flight before a cycle over a tenant's regions, served
// ones included.
func (u *Unit) PendingCycles(id tenant.ID, cycle uint64) (sum uint64) {
	for i := int(id); i < len(u.stats.Accounts); i += tenant.Max {
		sum += u.stats.Accounts[i].ServiceCycles
	}
	for i := range u.pending {
		if f := &u.pending[i]; f.Account.Tenant() == id && f.Raised < cycle {
			sum += cycle - f.Raised
		}
	}
	return sum
}

// Tick is one edge of the core clock. Service comes first, so that walks answered at the
// same edge find its pages.
func (u *Unit) Tick(cycle uint64) bool {
	moved := u.takeServed(cycle)
	moved = u.takeHandled(cycle) || moved
	moved = u.finish(cycle) || moved
	moved = u.begin(cycle) || moved
	moved = u.ask() || moved
	moved = u.tell(cycle) || moved
	if u.walks.Len() > 0 && u.walks.Front().at > cycle {
		u.WakeAt(u.walks.Front().at)
	}
	return moved
}

// takeServed takes what the pager has served.
func (u *Unit) takeServed(cycle uint64) (moved bool) {
	for {
		m, ok := u.Pager.Front().(*protocol.RegionFault)
		if !ok {
			u.Pager.Unknown()
			return moved
		}
		u.Pager.Pop()
		i, _ := u.pending.find(m.Region) // a region that the pager has stays pending
		u.served(i, cycle)
		u.faults.Put(m)
		moved = true
	}
}

// takeHandled takes what handlers on SMs have served.
func (u *Unit) takeHandled(cycle uint64) (moved bool) {
	if u.Incoming() == 0 {
		return false
	}
	for _, port := range u.SMs {
		for {
			m, ok := port.Front().(*protocol.RegionHandled)
			if !ok {
				port.Unknown()
				break
			}
			port.Pop()
			moved = true
			if i, ok := u.pending.find(m.Region); ok && u.pending[i].Local {
				u.served(i, cycle)
			} else {
				u.stats.Accounts.Of(tenant.ID(m.Region>>tenant.AddressShift).Rest()).HandledLate++
			}
		}
	}
	return moved
}

// served makes the pages of a pending region resident and ends its record.
func (u *Unit) served(i int, cycle uint64) {
	f := u.pending[i]
	u.pending = slices.Delete(u.pending, i, i+1)
	u.table.Served(f.Region)
	at := cycle + hops // at the SMs
	k := u.stats.Accounts.Of(f.Account)
	k.Regions++
	k.ServiceCycles += at - f.Raised
	if u.listener.Served != nil {
		u.listener.Served(f, at)
	}
	u.news = append(u.news, news{region: f.Region})
}

// finish answers walks that have ended.
func (u *Unit) finish(cycle uint64) (moved bool) {
	for u.walks.Len() > 0 && u.walks.Front().at <= cycle && u.TLB.CanPush() {
		m := u.walks.Pop().msg
		u.look(m, cycle)
		u.TLB.Push(m)
		u.closing.Push(cycle + hops)
		moved = true
	}
	return moved
}

// look finds what a walk finds.
func (u *Unit) look(m *protocol.Walk, cycle uint64) {
	read := u.table.Walk(m.Page, false)
	m.Read, m.Written = read.Fault, u.table.Walk(m.Page, true).Fault
	m.Region, m.Local = u.table.Region(m.Page), u.spec.Local && read.Lazy
	k := u.stats.Accounts.Of(m.Account)
	k.count(m)
	if m.Read == protocol.NoFault || m.Read.Aborts() {
		return
	}
	i, ok := u.pending.find(m.Region)
	if ok {
		k.Merged++
		return
	}
	f := Fault{m.Region, m.Account, m.Read, m.Local, cycle + hops}
	u.pending = slices.Insert(u.pending, i, f)
	u.stats.PendingMaximum = max(u.stats.PendingMaximum, uint64(len(u.pending)))
	if u.listener.Raised != nil {
		u.listener.Raised(f)
	}
	if f.Local {
		return
	}
	r := u.faults.Get()
	*r = protocol.RegionFault{Region: f.Region, Account: f.Account, Class: f.Class, Bytes: u.table.Moves(f.Region)}
	u.asking = append(u.asking, r)
}

// begin has free walkers take walks, oldest first.
func (u *Unit) begin(cycle uint64) (moved bool) {
	for {
		m, ok := u.TLB.Front().(*protocol.Walk)
		if !ok {
			u.TLB.Unknown()
			return moved
		}
		for u.closing.Len() > 0 && *u.closing.Front() <= cycle {
			u.closing.Pop()
		}
		if u.walks.Len()+u.closing.Len() == u.spec.Walkers {
			if u.closing.Len() > 0 {
				u.WakeAt(*u.closing.Front())
			}
			return moved
		}
		u.stats.Accounts.Of(m.Account).WalkWaitCycles += cycle - uint64(u.TLB.FrontSince()/u.Domain().Period())
		u.TLB.Pop()
		u.walks.Push(walk{m, cycle + uint64(u.spec.WalkLatency-hops)})
		moved = true
	}
}

// ask passes faults on to the pager.
func (u *Unit) ask() (moved bool) {
	for len(u.asking) > 0 && u.Pager.Push(u.asking[0]) {
		u.asking = slices.Delete(u.asking, 0, 1)
		moved = true
	}
	return moved
}

// tell tells the L2 TLB, and from the next edge on the SMs, of regions.
func (u *Unit) tell(cycle uint64) (moved bool) {
	for i := range u.news {
		n := &u.news[i]
		if n.tlb {
			continue
		}
		if !u.TLB.CanPush() {
			break
		}
		u.TLB.Push(&protocol.RegionServed{Region: n.region})
		n.tlb, n.at, moved = true, cycle+1, true
	}
	for len(u.news) > 0 && u.news[0].tlb && u.news[0].at <= cycle {
		n := &u.news[0]
		for n.sms < len(u.SMs) && u.SMs[n.sms].Push(&protocol.RegionServed{Region: n.region}) {
			n.sms++
			moved = true
		}
		if n.sms < len(u.SMs) {
			break
		}
		u.news = slices.Delete(u.news, 0, 1)
	}
	return moved
}
