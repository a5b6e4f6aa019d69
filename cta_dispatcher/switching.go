package dispatcher

import (
	"slices"

	"cotenant/cta_dispatcher/local"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// switching is the thread block schedulers of the SMs that switch thread blocks on page
// faults (thesis 6.4.1). Each SM has one for each kernel, so that thread blocks take
// each other's slots. Policies see a thread block that is off the chip as one whose
// context is on its way to memory, until it is back on its SM.
type switching struct {
	SwitchingSpec
	sms  [][]*localScheduler // by SM
	last local.ID
}

// localScheduler is the scheduler of one SM for the thread blocks of one kernel.
type localScheduler struct {
	kernel *kernelStatus
	blocks *local.Blocks
	off    []offChip // in the order in which they left
	// vacant is the number of slots that thread blocks of the kernel have left, by
	// their end or because of faults, and that it has not been given back. What a
	// policy takes from it is no slot of it any more.
	vacant int
}

// offChip is a thread block that has left its SM because of faults.
type offChip struct {
	preemptedTB
	number local.ID
	serial uint64 // of the placement that it has left
	served bool   // its faults have been
	saved  bool   // its context is in memory
}

func newSwitching(s SwitchingSpec, sms int) *switching {
	if s.Extra == 0 {
		return nil
	}
	return &switching{SwitchingSpec: s, sms: make([][]*localScheduler, sms)}
}

// mechanism by which thread blocks leave.
func (s *switching) mechanism() policy.Mechanism {
	if s.Ideal {
		return policy.Ideal
	}
	return policy.Switch
}

// of is the scheduler of an SM for a kernel.
func (s *switching) of(sm int, k *kernelStatus) *localScheduler {
	for _, l := range s.sms[sm] {
		if l.kernel == k {
			return l
		}
	}
	l := &localScheduler{kernel: k, blocks: local.New(0, s.Extra)}
	s.sms[sm] = append(s.sms[sm], l)
	return l
}

// arrives notes that a thread block has been placed on an SM.
func (d *Driver) arrives(sm int, p *placement) {
	if s := d.switching; s != nil && p.number == 0 {
		s.last++
		p.number = s.last
		s.of(sm, p.kernel).blocks.Place(p.number)
	}
}

// departs notes that one has finished, or leaves for other reasons than a fault.
func (d *Driver) departs(sm int, p *placement) {
	if d.switching != nil && p.number != 0 {
		d.switching.of(sm, p.kernel).blocks.Remove(p.number)
		p.number = 0
	}
}

// takesSlot notes that the policy places a thread block on an SM.
func (s *switching) takesSlot(sm int, k *kernelStatus) {
	if s != nil {
		l := s.of(sm, k)
		l.vacant = max(l.vacant-1, 0)
	}
}

// slotFree notes that a thread block has finished, and lets another come instead. Its
// slot stays the kernel's, unless the policy has taken the slot or drains the SM.
func (d *Driver) slotFree(sm int, p *placement) {
	if d.switching == nil {
		return
	}
	if p.state != leaving && !d.ledger.view.SMs[sm].Reserved {
		d.switching.of(sm, p.kernel).vacant++
	}
	d.switchTBs(sm, p.kernel)
	d.freeStranded(sm, p.kernel)
}

// retire forgets a kernel that has ended.
func (s *switching) retire(k *kernelStatus) {
	if s == nil {
		return
	}
	for sm := range s.sms {
		s.sms[sm] = slices.DeleteFunc(s.sms[sm], func(l *localScheduler) bool { return l.kernel == k })
	}
}

// restored notes that one that came back runs.
func (s *switching) restored(sm int, p *placement) {
	b := s.of(sm, p.kernel).blocks
	if state, ok := b.State(p.number); ok && state == local.Restoring {
		b.Restored(p.number)
	}
}

// blocked takes an SM's word that a thread block waits, or does so no more. What it
// says of one that has been told to leave is for when it is off the chip.
func (d *Driver) blocked(sm int, m *protocol.TBBlocked) {
	switch p := d.ledger.find(sm, m.Serial); {
	case p != nil && p.state == switched:
		p.served = !m.On
		return
	case p != nil && p.state == running:
		d.switching.restored(sm, p)
		b := d.switching.of(sm, p.kernel).blocks
		if m.On {
			b.Block(p.number)
		} else {
			b.Served(p.number)
		}
		d.switchTBs(sm, p.kernel)
		return
	case m.On:
		return
	}
	for _, l := range d.switching.sms[sm] {
		for i := range l.off {
			if o := &l.off[i]; o.serial == m.Serial {
				o.served = true
				d.offChipReady(sm, l, o)
				return
			}
		}
	}
}

// switchTBs lets an SM's scheduler act for a kernel, of which something has changed.
func (d *Driver) switchTBs(sm int, k *kernelStatus) {
	if d.switching == nil || d.err != nil {
		return
	}
	l := d.switching.of(sm, k)
	if len(l.off) == 0 && len(l.blocks.View(0).Blocked) == 0 {
		return
	}
	view := &d.ledger.view.SMs[sm]
	pending := k.Waiting
	if view.Reserved {
		pending = 0 // nobody comes instead
	}
	v := l.blocks.View(pending)
	v.Free = 0
	if !view.Reserved && (view.TBs[k.Tenant] > 0 || view.Usage.TBs == 0) {
		usage := view.Usage
		for most := min(l.vacant, len(v.Ready)); v.Free < most && view.Capacity.Fits(&usage, k.Demand); v.Free++ {
			usage.Take(k.Demand)
		}
	}
	a := local.Decide(v)
	a.Ask = 0 // the policy is asked whenever there is room
	out, in := append([]local.ID(nil), a.Out...), append([]local.ID(nil), a.In...)
	l.blocks.Apply(local.Actions{Out: out, In: in})
	for _, id := range in {
		d.bringBack(sm, l, id)
	}
	for _, id := range out {
		d.switchOut(sm, id)
	}
}

// switchOut has a blocked thread block leave its SM.
func (d *Driver) switchOut(sm int, id local.ID) {
	list := d.ledger.sms[sm].placements
	for i := range list {
		if p := &list[i]; p.number == id {
			d.stats.Tenants[p.kernel.Tenant].BlockSwitches++
			d.ledger.leaves(p, sm)
			p.state = switched
			d.orderSave(p, sm, d.switching.mechanism(), false)
			return
		}
	}
}

// switchedOff notes that it has left: its room is free.
func (d *Driver) switchedOff(sm int, p *placement) {
	l := d.switching.of(sm, p.kernel)
	l.off = append(l.off, offChip{preemptedTB: p.preemptedTB, number: p.number, serial: p.serial, served: p.served})
	l.vacant++
	if n := uint64(len(l.off)); n > d.stats.OffChipMax {
		d.stats.OffChipMax = n
	}
	k := p.kernel
	d.ledger.off(p, sm)
	l.blocks.Saved(l.off[len(l.off)-1].number)
	d.switchTBs(sm, k)
	d.freeStranded(sm, k)
	d.ask(policy.TBPreempted)
	d.freed(sm)
}

// switchedIsSaved notes that the context of a thread block that was switched is in
// memory, and reports whether it was that one's.
func (d *Driver) switchedIsSaved(sm int, serial uint64) bool {
	p := d.ledger.find(sm, serial)
	if p == nil {
		return false
	}
	l := d.switching.of(sm, p.kernel)
	for i := range l.off {
		if o := &l.off[i]; o.serial == serial {
			d.ledger.remove(sm, serial)
			o.saved = true
			d.offChipReady(sm, l, o)
			return true
		}
	}
	return false
}

// offChipReady lets a thread block come back whose faults are served and whose context
// is in memory.
func (d *Driver) offChipReady(sm int, l *localScheduler, o *offChip) {
	if !o.served || !o.saved {
		return
	}
	l.blocks.Served(o.number)
	d.switchTBs(sm, l.kernel)
	d.freeStranded(sm, l.kernel)
}

// freeStranded has the thread blocks of a kernel that are ready wait as preempted ones
// do if nothing of it is on their SM any more, whose end would make room for them.
func (d *Driver) freeStranded(sm int, k *kernelStatus) {
	if d.switching == nil {
		return
	}
	l := d.switching.of(sm, k)
	if len(l.off) == 0 {
		return
	}
	for _, p := range d.ledger.sms[sm].placements {
		if p.kernel == k && p.state != left {
			return
		}
	}
	d.recall(sm, l, func(o *offChip) bool { return o.served && o.saved })
}

// bringBack puts a thread block that is ready back on its SM, which has room.
func (d *Driver) bringBack(sm int, l *localScheduler, id local.ID) {
	for i := range l.off {
		if o := l.off[i]; o.number == id {
			l.off = append(l.off[:i], l.off[i+1:]...)
			l.vacant--
			p := d.ledger.back(l.kernel, sm, o.preemptedTB)
			p.number = id
			d.send(p, sm)
			return
		}
	}
}

// recallAll makes the thread blocks that an SM has off the chip, or that leave it because
// of faults, preempted ones like others: the SM is taken from them.
func (d *Driver) recallAll(sm int) {
	if d.switching == nil {
		return
	}
	for _, l := range d.switching.sms[sm] {
		d.recall(sm, l, func(*offChip) bool { return true })
		l.vacant = 0
	}
	list := d.ledger.sms[sm].placements
	for i := range list {
		if p := &list[i]; p.state == switched {
			d.departs(sm, p)
			p.state = leaving
		}
	}
}

// recall makes some of the thread blocks that a scheduler has off the chip preempted
// ones like others: at once if their contexts are in memory, else when they are. A
// policy that decides does not see it happen.
func (d *Driver) recall(sm int, l *localScheduler, which func(*offChip) bool) {
	l.off = slices.DeleteFunc(l.off, func(o offChip) bool {
		if !which(&o) {
			return false
		}
		l.blocks.Remove(o.number)
		if o.saved {
			d.recalled = append(d.recalled, recalledTB{l.kernel, o.preemptedTB})
		}
		return true
	})
}

// recalledTB is one that waits from the next edge on, which comes: something has happened at
// this one.
type recalledTB struct {
	kernel *kernelStatus
	preemptedTB
}

// askRecalled has the policy place what has been recalled.
func (d *Driver) askRecalled() bool {
	if len(d.recalled) == 0 {
		return false
	}
	for _, r := range d.recalled {
		d.ledger.requeue(r.kernel, r.preemptedTB)
	}
	d.recalled = d.recalled[:0]
	d.ask(policy.ContextSaved)
	return true
}
