package dram

import "math/bits"

// aim is the next command that a bank needs for its target.
type aim struct {
	at    uint64 // first cycle at which the bank allows it
	rank  uint64 // priority of the target as scheduler has it, and bank number
	floor uint8  // index of the bus's floor for it: what kind of command it is
}

// plan holds the banks' aims so that the next command is found without a look at most of
// them. Aims that their banks allow already differ in their floor and rank alone: of
// those with one floor, the one with the least rank goes first.
type plan struct {
	aims   []aim  // by bank
	unripe uint64 // mask of banks with an aim that they do not allow yet
	// ripens is the first cycle at which one of these can be allowed, or an earlier one.
	ripens uint64
	ripe   [maxFloors]ripe // banks with an aim that they allow, by floor
	groups int
}

// ripe are banks with aims of one floor.
type ripe struct {
	banks uint64 // mask
	best  uint64 // their least rank, never if there is none
}

func newPlan(banks, groups int) plan {
	p := plan{aims: make([]aim, banks), groups: groups, ripens: never}
	for i := range p.ripe {
		p.ripe[i].best = never
	}
	return p
}

// wanted is the mask of the banks with an aim.
func (p *plan) wanted() uint64 {
	mask := p.unripe
	for i := range columnFloor + 2*p.groups {
		mask |= p.ripe[i].banks
	}
	return mask
}

// drop takes back a bank's aim, if it has one.
func (p *plan) drop(bank uint8) {
	bit := uint64(1) << (bank & 63)
	p.unripe &^= bit
	a := &p.aims[bank]
	r := &p.ripe[a.floor]
	if r.banks&bit == 0 {
		return
	}
	r.banks &^= bit
	if r.best != a.rank {
		return
	}
	r.best = never
	for mask := r.banks; mask != 0; mask &= mask - 1 {
		r.best = min(r.best, p.aims[bits.TrailingZeros64(mask)].rank)
	}
}

// set gives a bank an aim in the place of the one that it has, if any.
func (p *plan) set(bank uint8, a aim) {
	p.drop(bank)
	p.aims[bank] = a
	p.unripe |= 1 << (bank & 63)
	p.ripens = min(p.ripens, a.at)
}

// first is the earliest command after a cycle, and the least rank among equals: one
// number of wait, rank and bank. There must be an aim.
func (p *plan) first(now uint64, b *bus, d direction) uint64 {
	at := now + 1
	if p.ripens <= at {
		p.ripen(at)
	}
	best := (b.free(max(at, b.activateAt))-now)<<waitShift | p.ripe[activateFloor].best
	best = min(best, (b.free(at)-now)<<waitShift|p.ripe[prechargeFloor].best)
	column := max(at, b.columnAt[d])
	for i, g := range b.groupAt {
		best = min(best, (max(column, g)-now)<<waitShift|p.ripe[uint8(columnFloor+i)].best)
	}
	if b.unified {
		column = max(at, b.columnAt[writing])
		for i, g := range b.groupAt {
			best = min(best, (max(column, g)-now)<<waitShift|p.ripe[uint8(columnFloor+len(b.groupAt)+i)].best)
		}
	}
	if p.ripens-now > best>>waitShift {
		return best // no bank allows its aim before
	}
	return min(best, p.among(p.unripe, now, b, d))
}

// ripen moves the aims that their banks allow at a cycle to the ripe ones.
func (p *plan) ripen(at uint64) {
	p.ripens = never
	for mask := p.unripe; mask != 0; mask &= mask - 1 {
		bank := bits.TrailingZeros64(mask)
		a := &p.aims[bank]
		if a.at > at {
			p.ripens = min(p.ripens, a.at)
			continue
		}
		p.unripe &^= 1 << bank
		r := &p.ripe[a.floor]
		r.banks |= 1 << bank
		r.best = min(r.best, a.rank)
	}
}

// among is first of some banks alone, all of which must have an aim.
func (p *plan) among(mask, now uint64, b *bus, d direction) (best uint64) {
	best = never
	for ; mask != 0; mask &= mask - 1 {
		a := &p.aims[bits.TrailingZeros64(mask)]
		best = min(best, p.wait(a, now, b, d)<<waitShift|a.rank)
	}
	return best
}

// wait is the number of cycles until an aim's command can be sent.
func (p *plan) wait(a *aim, now uint64, b *bus, d direction) uint64 {
	at := max(a.at, now+1)
	switch {
	case a.floor == activateFloor:
		return b.free(max(at, b.activateAt)) - now
	case a.floor == prechargeFloor:
		return b.free(at) - now
	}
	group := int(a.floor) - columnFloor
	if group >= p.groups {
		group, d = group-p.groups, writing
	}
	return max(at, b.columnAt[d], b.groupAt[group]) - now
}

// waitShift makes one number of the cycles until a command, which are below 1<<20, and
// its rank: the least one goes first.
const waitShift = 44

// aim finds what a bank is to do next.
func (c *Controller) aim(b *bank) {
	if c.refreshes(b) {
		c.plan.set(b.number, aim{floor: prechargeFloor, at: c.refreshBankAt(b), rank: uint64(b.number)})
		return
	}
	w := &b.waiting[c.drain.present]
	if w.oldest == nil {
		c.plan.drop(b.number)
		return
	}
	if c.unused>>b.number&1 != 0 {
		b.target = b.openedFor
	} else {
		b.target = c.scheduler.target(w, b.overtaken)
	}
	var a aim
	switch {
	case !b.open:
		a.floor, a.at = activateFloor, b.activateAt
	case b.target.row != b.row:
		a.floor, a.at = prechargeFloor, b.prechargeAt
	default:
		a.floor, a.at = c.bus.columnFloor(b.target, b.group), b.columnAt
	}
	a.rank = c.scheduler.priority(b.target, a.floor >= columnFloor)<<6 | uint64(b.number)
	c.plan.set(b.number, a)
}

// choose finds the next command after a cycle.
func (c *Controller) choose(now uint64) {
	before := c.plannedAt
	c.plannedAt, c.planned = never, nil
	if !c.idle() { // refreshes of an idle channel are made up for by refreshIdle
		var best uint64
		if c.turning {
			best = c.plan.among(c.unused, now, &c.bus, c.drain.present)
		} else {
			best = c.plan.first(now, &c.bus, c.drain.present)
		}
		c.plannedAt, c.planned = now+best>>waitShift, &c.banks[best%maxBanks]
		if c.refresh.due <= c.plannedAt && c.refresh.bank == nil {
			c.plannedAt, c.planned = max(c.refreshAt(), now+1), nil
		}
	}
	if before > now && before != c.plannedAt && before != never {
		c.drop(before)
	}
}
