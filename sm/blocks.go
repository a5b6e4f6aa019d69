package sm

import (
	"slices"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// place gives a thread block its warp slots. The SM driver keeps the same
// account of the SM's resources, so there is room.
func (s *SM) place(m *protocol.PlaceTB) {
	id := m.Account.Tenant()
	if s.launches[id] < m.Launch+1 {
		s.launches[id] = m.Launch + 1
		s.invalidate(id)
	}
	s.changeThreads(m.Account, m.Demand.Threads)
	s.stats.Accounts[m.Account].TBsPlaced++
	if m.TB.Resident != nil {
		m.TB.Resident.Placed(s.id, s.count, s)
	}
	tb := s.tbs.Get()
	tb.tb, tb.demand, tb.account, tb.serial, tb.code = m.TB, m.Demand, m.Account, m.Serial, uint64(m.Code)<<32
	tb.left, tb.warps, tb.leaving = len(m.TB.Warps), tb.warps[:0], false
	tb.number, tb.faulted, tb.blocked = s.nextTB, 0, false
	s.nextTB++
	tb.barriers.Reset(len(m.TB.Warps))
	if s.window != nil {
		s.openLog(tb)
	}
	if m.Context != nil {
		s.resume(tb, m.Context)
		s.told = true
		return
	}
	for _, stream := range m.TB.Warps {
		w := s.newWarp(tb, stream)
		if s.window == nil {
			s.advance(w)
		}
	}
	s.told = true
	for _, n := range tb.warps {
		if w := &s.warps[n]; w.ended && w.inUse && w.tb == tb {
			s.warpDone(w)
		}
	}
	if len(m.TB.Warps) == 0 {
		s.tbDone(tb)
	}
}

// newWarp gives a warp of a thread block a slot.
func (s *SM) newWarp(tb *residentTB, stream workload.Stream) *warp {
	w := s.freeSlot()
	*w = warp{stream: stream, age: s.nextAge, tb: tb, scheduler: w.scheduler, bit: w.bit, slot: w.slot,
		account: tb.account, inUse: true}
	s.nextAge++
	tb.warps = append(tb.warps, int32(w.slot))
	p := &s.schedulers[w.scheduler]
	p.signals.Live |= w.bit
	p.slots[tb.account.Tenant()] |= w.bit
	s.barriers.Start(int(w.slot))
	s.frontEnd.Start(int(w.slot))
	if s.window != nil {
		s.window.queue.Start(int(w.slot))
	}
	local := int(w.slot) - p.first
	id := tb.account.Tenant()
	p.policy.Placed(local, id)
	for _, g := range s.gates {
		g.Placed(p.number, local, id, tb.number)
	}
	s.told = true
	return w
}

// freeSlot is a free warp slot on the scheduler with the fewest warps, the first
// of those.
func (s *SM) freeSlot() *warp {
	var best *scheduler
	for i := range s.schedulers {
		if p := &s.schedulers[i]; p.slotsFree > 0 && (best == nil || p.slotsFree > best.slotsFree) {
			best = p
		}
	}
	best.slotsFree--
	for i := best.first; ; i++ {
		if w := &s.warps[i]; !w.inUse {
			return w
		}
	}
}

// endWarp takes a warp whose stream has ended out of scheduling. Its slot is
// free once its results and accesses have arrived.
func (s *SM) endWarp(w *warp) {
	w.ended = true
	if !w.held {
		s.departing++
	}
	s.silence(w)
	if !w.left {
		w.left = true
		s.barriers.Leave(&w.tb.barriers, int(w.slot))
	}
}

// revive brings back a warp that has ended but for an instruction that has faulted and
// is to issue again. It has left its thread block's barriers.
func (s *SM) revive(w *warp) {
	p := &s.schedulers[w.scheduler]
	w.ended = false
	p.signals.Live |= w.bit
	if w.held = w.tb.leaving; w.held {
		p.signals.Held |= w.bit
	} else {
		s.departing--
	}
	for _, g := range s.gates {
		g.Placed(p.number, int(w.slot)-p.first, w.account.Tenant(), w.tb.number)
	}
	s.told = true
}

// silence takes a warp that issues nothing any more out of the signals.
func (s *SM) silence(w *warp) {
	p := &s.schedulers[w.scheduler]
	p.signals.Clear(w.bit)
	s.frontEnd.Stop(int(w.slot))
	for _, g := range s.gates {
		g.Ended(p.number, int(w.slot)-p.first)
	}
	s.told = true
}

// warpDone frees the slot of a warp that has ended, and the thread block with
// its last warp.
func (s *SM) warpDone(w *warp) {
	tb := w.tb
	s.release(w)
	switch tb.left--; {
	case tb.left == 0:
		s.tbDone(tb)
	case tb.leaving:
		s.drained(tb)
	case s.tells && tb.faulted > 0:
		s.blocked(tb)
	}
}

// release frees a warp's slot.
func (s *SM) release(w *warp) {
	p := &s.schedulers[w.scheduler]
	p.policy.Removed(int(w.slot) - p.first)
	p.slotsFree++
	p.slots[w.account.Tenant()] &^= w.bit
	if w.ended || w.held {
		s.departing--
	}
	if s.window != nil {
		s.window.clear(int(w.slot))
	}
	w.inUse, w.held = false, false
	w.stream, w.tb = nil, nil
}

// tbDone frees what a thread block took of the SM.
func (s *SM) tbDone(tb *residentTB) {
	s.changeThreads(tb.account, -tb.demand.Threads)
	s.stats.Accounts[tb.account].TBsFinished++
	if tb.leaving {
		s.evicted = append(s.evicted, &protocol.TBEvicted{Serial: tb.serial})
	}
	if s.window != nil {
		s.closeLog(tb)
	}
	s.finished = append(s.finished, tb)
}

// changeThreads changes the number of an account's resident threads.
func (s *SM) changeThreads(a tenant.Account, by int) {
	t := &s.residents[a]
	s.settleThreads(a)
	s.changeTenant(a.Tenant(), by)
	if t.threads == 0 {
		s.present = append(s.present, a)
		if !t.seen {
			t.seen = true
			s.seen = append(s.seen, a)
		}
	}
	if t.threads += by; t.threads == 0 {
		i := slices.Index(s.present, a)
		s.present = slices.Delete(s.present, i, i+1)
	}
}

// changeTenant changes the number of a tenant's resident threads, and tells the parts
// that tenants share evenly when one has come or gone.
func (s *SM) changeTenant(id tenant.ID, by int) {
	before := s.tenantThreads[id]
	s.tenantThreads[id] += by
	switch here := s.tenantThreads[id] > 0; {
	case here && before == 0:
		s.lsu.Arrive(id)
		s.egress.Present(id, true)
	case !here && before > 0:
		s.lsu.Leave(id)
		s.egress.Present(id, false)
	}
}

// settleThreads brings the sum over time of an account's resident threads up to
// date.
func (s *SM) settleThreads(a tenant.Account) {
	t := &s.residents[a]
	s.stats.Accounts[a].ThreadCycles += uint64(t.threads) * (s.cycle - t.since)
	t.since = s.cycle
}

// endGates ends an edge for the gates, after what they have been told.
func (s *SM) endGates() {
	s.told = false
	for _, g := range s.meeting {
		for i := range s.schedulers {
			g.Waiting(i, s.signals[i].Waits)
		}
	}
	changed := false
	for _, g := range s.active {
		changed = g.Edge() || changed
	}
	if changed {
		s.refreshGates()
	}
}

// refreshGates brings the signals from the gates up to date.
func (s *SM) refreshGates() {
	for i := range s.signals[:len(s.schedulers)] {
		var all, memory warps.Mask
		for _, g := range s.active {
			a, m := g.Masks(i)
			all |= a
			memory |= m
		}
		s.signals[i].Gated, s.signals[i].GatedMemory = all, memory
	}
}
