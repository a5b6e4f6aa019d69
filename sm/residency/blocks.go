package residency

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// Place gives a thread block its warp slots. The SM driver keeps the same account of
// the SM's resources, so there is room.
func (u *Unit) Place(m *protocol.PlaceTB) {
	id := m.Account.Tenant()
	if u.launches[id] < m.Launch+1 {
		u.launches[id] = m.Launch + 1
		u.parts.SM.Launched(id)
	}
	u.changeResources(m.Account, &m.Demand, 1)
	u.Stats.Accounts.Of(m.Account).TBsPlaced++
	if m.TB.Resident != nil {
		m.TB.Resident.Placed(u.number, u.parts.Count, u.parts.Clock)
	}
	b := u.blocks.Get()
	*b = Block{TB: m.TB, Demand: m.Demand, Account: m.Account, Serial: m.Serial, Code: uint64(m.Code) << 32,
		Warps: b.Warps[:0], Barriers: b.Barriers, left: len(m.TB.Warps), number: u.nextTB}
	u.nextTB++
	if u.Lines != nil {
		b.Lines = u.Lines.Kernel(id, m.Code, m.Launch)
	}
	b.Barriers.Reset(len(m.TB.Warps))
	u.parts.Gates.Moved()
	if m.Context != nil {
		u.resume(b, m.Context)
		return
	}
	for _, stream := range m.TB.Warps {
		u.parts.Keeper.Start(u.newWarp(b, stream), nil)
	}
	for _, n := range b.Warps {
		if w := &u.Warps[n]; w.Ended && w.InUse && w.TB == b {
			u.Done(w)
		}
	}
	if len(m.TB.Warps) == 0 {
		u.blockDone(b)
	}
}

// newWarp gives a warp of a thread block a slot.
func (u *Unit) newWarp(b *Block, stream workload.Stream) *Warp {
	w := u.freeSlot()
	*w = Warp{Stream: stream, TB: b, Scheduler: w.Scheduler, Number: w.Number, Bit: w.Bit, Slot: w.Slot, Account: b.Account, InUse: true, Lines: b.Lines}
	b.Warps = append(b.Warps, int32(w.Slot))
	p, id := &u.Schedulers[w.Scheduler], b.Account.Tenant()
	p.payers, p.ages[w.Number] = 0, u.nextAge
	u.nextAge++
	p.Signals.Live |= w.Bit
	p.Signals.Still = 0
	p.slots[id] |= w.Bit
	u.parts.Barriers.Start(int(w.Slot))
	local := int(w.Number)
	p.Policy.Placed(local, id)
	u.parts.Gates.Placed(p.Number, local, id, b.number)
	return w
}

// freeSlot is a free warp slot on the scheduler with the fewest warps, the first such
// scheduler.
func (u *Unit) freeSlot() *Warp {
	var best *Scheduler
	for i := range u.Schedulers {
		if p := &u.Schedulers[i]; p.slotsFree > 0 && (best == nil || p.slotsFree > best.slotsFree) {
			best = p
		}
	}
	best.slotsFree--
	for i := best.First; ; i++ {
		if w := &u.Warps[i]; !w.InUse {
			return w
		}
	}
}

// End takes a warp out of scheduling when its stream has ended. Its slot is free once
// its results and accesses have arrived.
func (u *Unit) End(w *Warp) {
	w.Ended = true
	if !w.Held {
		u.Departing++
	}
	u.silence(w)
	if !w.Left {
		w.Left = true
		u.parts.Barriers.Leave(&w.TB.Barriers, int(w.Slot))
	}
}

// Revive brings back a warp that has ended but for an instruction that has faulted and
// is to issue again. The warp has left its thread block's barriers.
func (u *Unit) Revive(w *Warp) {
	p := &u.Schedulers[w.Scheduler]
	w.Ended = false
	p.Signals.Live |= w.Bit
	p.Signals.Still = 0
	if w.Held = w.TB.Leaving; w.Held {
		p.Signals.Held |= w.Bit
	} else {
		u.Departing--
	}
	u.parts.Gates.Placed(p.Number, int(w.Number), w.Account.Tenant(), w.TB.number)
}

// silence takes a warp that issues nothing any more out of the signals.
func (u *Unit) silence(w *Warp) {
	p := &u.Schedulers[w.Scheduler]
	p.Signals.Clear(w.Bit)
	u.parts.Gates.Ended(p.Number, int(w.Number))
}

// Done frees the slot of a warp that has ended, and the thread block with its last
// warp.
func (u *Unit) Done(w *Warp) {
	b := w.TB
	b.left--
	u.release(w)
	if b.left == 0 {
		u.blockDone(b)
	} else if b.Leaving {
		u.Drained(b)
	}
}

// Settled follows up when the last of what was in flight for a slot has arrived.
func (u *Unit) Settled(slot int) {
	w := &u.Warps[slot]
	if w.Ended {
		u.Done(w)
	} else if w.Held {
		u.Drained(w.TB)
	}
}

// release frees a warp's slot.
func (u *Unit) release(w *Warp) {
	p := &u.Schedulers[w.Scheduler]
	p.Policy.Removed(int(w.Number))
	u.parts.Gates.Freed(p.Number, int(w.Number))
	p.slotsFree++
	p.slots[w.Account.Tenant()] &^= w.Bit
	if w.Ended || w.Held {
		u.Departing--
	}
	w.InUse, w.Held = false, false
	u.parts.Keeper.Clear(w)
	w.Stream, w.TB = nil, nil
}

// blockDone frees what a thread block took of the SM.
func (u *Unit) blockDone(b *Block) {
	u.changeResources(b.Account, &b.Demand, -1)
	u.Stats.Accounts.Of(b.Account).TBsFinished++
	if b.Leaving {
		u.Evicted = append(u.Evicted, &protocol.TBEvicted{Serial: b.Serial})
	}
	u.parts.Keeper.Close(b)
	u.Finished = append(u.Finished, b)
	u.Reports = true
}

// Forget gives back a thread block that Finished has listed.
func (u *Unit) Forget(b *Block) {
	b.TB = nil
	u.blocks.Put(b)
}

// changeResources counts a thread block of an account that has come, 1, or gone, -1.
func (u *Unit) changeResources(a tenant.Account, d *occupancy.Demand, sign int) {
	alone := u.tbs == 0
	u.tbs += sign
	u.shared += sign * d.SharedBytes
	if sign > 0 {
		u.parts.SM.Shares(u.shared, alone)
	}
	u.changeThreads(a, sign*d.Threads)
}

// changeThreads changes the number of an account's resident threads.
func (u *Unit) changeThreads(a tenant.Account, by int) {
	t, id := &u.residents[a], a.Tenant()
	u.Settle(a)
	before := u.threads[id]
	u.threads[id] += by
	if here := u.threads[id] > 0; here != (before > 0) {
		u.parts.SM.Present(id, here)
	}
	if t.threads == 0 {
		u.present = append(u.present, a)
		if !t.seen {
			t.seen = true
			u.seen = append(u.seen, a)
		}
	}
	if t.threads += by; t.threads == 0 {
		i := slices.Index(u.present, a)
		u.present = slices.Delete(u.present, i, i+1)
	}
}

// Settle brings the sum over time of an account's resident threads up to date.
func (u *Unit) Settle(a tenant.Account) {
	t := &u.residents[a]
	u.Stats.Accounts.Of(a).ThreadCycles += uint64(t.threads) * (u.Cycle - t.since)
	t.since = u.Cycle
}
