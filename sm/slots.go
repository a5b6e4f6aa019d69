package sm

import (
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// acceptCommands carries out what the SM driver has sent.
func (s *SM) acceptCommands() (moved bool) {
	for {
		switch m := s.Driver.Front().(type) {
		case *protocol.PlaceTB:
			s.place(m)
			s.placements.Put(m)
		case *protocol.SetQuotas:
			s.setQuotas(m.On, &m.Quotas)
		case *protocol.Sample:
			s.sample()
		default:
			return moved
		}
		s.Driver.Pop()
		moved = true
	}
}

// place gives a thread block its warp slots. The SM driver keeps the same
// account of the SM's resources, so there is room.
func (s *SM) place(m *protocol.PlaceTB) {
	if s.launches[m.Tenant] != m.Launch+1 {
		s.launches[m.Tenant] = m.Launch + 1
		s.l1.tags.InvalidateTenant(m.Tenant)
	}
	s.changeThreads(m.Tenant, m.Demand.Threads)
	s.stats.Tenants[m.Tenant].TBsPlaced++
	if m.TB.Resident != nil {
		m.TB.Resident.Placed(s.id, s.count, s)
	}
	tb := s.tbs.Get()
	*tb = residentTB{tb: m.TB, demand: m.Demand, tenant: m.Tenant, serial: m.Serial, live: len(m.TB.Warps), left: len(m.TB.Warps), warps: tb.warps[:0]}
	if m.Context != nil {
		s.resume(tb, m.Context)
		return
	}
	for _, stream := range m.TB.Warps {
		s.advance(s.newWarp(tb, stream))
	}
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
	*w = warp{stream: stream, age: s.nextAge, tb: tb, port: w.port, bit: w.bit, epoch: w.epoch + 1,
		tenant: tb.tenant, slot: w.slot, inUse: true}
	s.nextAge++
	tb.warps = append(tb.warps, int32(w.number()))
	p := w.port
	p.live |= w.bit
	p.policy.Placed(int(w.slot), tb.tenant)
	p.quotas.slots[tb.tenant] |= w.bit
	s.requota(p)
	return w
}

// freeSlot is a free warp slot on the port with the fewest warps, the first of
// those.
func (s *SM) freeSlot() *warp {
	var best *port
	for i := range s.ports {
		if p := &s.ports[i]; p.slotsFree > 0 && (best == nil || p.slotsFree > best.slotsFree) {
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

// number is the warp's index on the SM.
func (w *warp) number() uint32 { return uint32(w.port.first) + uint32(w.slot) }

// endWarp takes a warp whose stream has ended out of scheduling. Its slot is
// free once its results and accesses have arrived.
func (s *SM) endWarp(w *warp) {
	w.ended = true
	p := w.port
	p.forget(w.bit)
	s.requota(p)
	s.leaveBarriers(w)
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
	}
}

// release frees a warp's slot.
func (s *SM) release(w *warp) {
	p := w.port
	p.policy.Removed(int(w.slot))
	p.quotas.slots[w.tenant] &^= w.bit
	s.requota(p)
	p.slotsFree++
	w.inUse, w.held = false, false
	w.stream, w.tb = nil, nil
}

// tbDone frees what a thread block took of the SM.
func (s *SM) tbDone(tb *residentTB) {
	s.changeThreads(tb.tenant, -tb.demand.Threads)
	s.stats.Tenants[tb.tenant].TBsFinished++
	if tb.leaving {
		s.evicted = append(s.evicted, &protocol.TBEvicted{Serial: tb.serial})
	}
	s.finished = append(s.finished, tb)
}

// sendReports tells the SM driver about thread blocks that have finished.
func (s *SM) sendReports() (moved bool) {
	if s.window != nil && s.Driver.Push(s.window) {
		s.window = nil
		moved = true
	}
	sent := 0
	for _, tb := range s.finished {
		if !s.Driver.CanPush() {
			break
		}
		m := s.reports.Get()
		*m = protocol.TBFinished{TB: tb.tb, SM: s.id, Tenant: tb.tenant, Serial: tb.serial}
		s.Driver.Push(m)
		tb.tb = nil
		s.tbs.Put(tb)
		sent++
	}
	if sent > 0 {
		s.finished = s.finished[:copy(s.finished, s.finished[sent:])]
	}
	return moved || sent > 0
}

// changeThreads brings the resident threads of a kernel up to date, and the
// sum over time of what they were.
func (s *SM) changeThreads(id tenant.ID, by int) {
	t := &s.residents[id]
	s.stats.Tenants[id].ThreadCycles += uint64(t.threads) * (s.cycle - t.since)
	t.threads += by
	t.since = s.cycle
	if t.threads > 0 {
		s.tenants |= 1 << id
	} else {
		s.tenants &^= 1 << id
	}
}
