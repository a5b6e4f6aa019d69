package dram

import "math/bits"

// refresh says which refresh comes next: of all banks at once, or of one at a time, in turn,
// while the rest go on.
type refresh struct {
	due   uint64 // cycle from which the next refresh goes first, never if there is none
	every uint64 // cycles from one to the next
	// one bank at a time, where that is so:
	next uint8  // number of the bank
	bank *bank  // whose refresh is due and has not been sent, nil if none is
	from uint64 // cycle from which it may be sent
	last uint64 // cycle after the last command for a refresh
}

// refreshAt is the first cycle at which the next step of the due refresh can
// be taken: closing all banks, or the refresh itself if they are closed. One bank at a time it is the
// cycle at which the bank's refresh falls due.
func (c *Controller) refreshAt() uint64 {
	at := c.refresh.due
	if c.clocks.rfcBank > 0 {
		return at
	}
	for i := range c.banks {
		b := &c.banks[i]
		switch {
		case b.open:
			at = max(at, b.prechargeAt)
		case c.open == 0:
			at = max(at, b.activateAt)
		}
	}
	return c.bus.free(at)
}

// refreshStep takes that step.
func (c *Controller) refreshStep(now uint64) {
	if c.clocks.rfcBank > 0 {
		c.refreshNext()
		// Nothing has been sent: the clock is there for a command.
		if c.choose(now - 1); c.plannedAt == now {
			c.send(now)
		}
		return
	}
	kind := Refresh
	if c.open != 0 {
		kind = PrechargeAll
		for mask := c.open; mask != 0; mask &= mask - 1 {
			c.banks[bits.TrailingZeros64(mask)].close(now + c.clocks.rp)
		}
		c.open, c.unused = 0, 0
	} else {
		c.refresh.due += c.refresh.every
		c.stats.Refreshes++
		for i := range c.banks {
			c.banks[i].activateAt = now + c.clocks.rfc
			c.banks[i].conflict = false
		}
	}
	if c.listener.Command != nil {
		c.listener.Command(Command{Cycle: now, Kind: kind})
	}
	c.aimAgain()
}

// refreshNext makes the refresh of the next bank what that bank is to do.
func (c *Controller) refreshNext() {
	r := &c.refresh
	r.bank, r.from = &c.banks[r.next], max(r.due, r.last)
	r.due += r.every
	if r.next++; int(r.next) == len(c.banks) {
		r.next = 0
	}
	c.aim(r.bank)
}

// refreshes reports whether a bank's next command is for its refresh. A row that has been opened for a
// request serves it first.
func (c *Controller) refreshes(b *bank) bool {
	return b == c.refresh.bank && c.unused>>b.number&1 == 0
}

// refreshBankAt is the first cycle at which the bank allows the next step of its refresh: closing its
// row, or the refresh itself if it is closed.
func (c *Controller) refreshBankAt(b *bank) uint64 {
	if b.open {
		return max(c.refresh.from, b.prechargeAt)
	}
	return max(c.refresh.from, b.activateAt)
}

// refreshBankStep takes that step.
func (c *Controller) refreshBankStep(b *bank, now uint64) {
	c.refresh.last = now + 1
	if b.open {
		c.tell(now, Precharge, b, b.row, nil)
		b.close(now + c.clocks.rp)
		c.open &^= 1 << b.number
	} else {
		c.tell(now, RefreshBank, b, 0, nil)
		b.activateAt = now + c.clocks.rfcBank
		b.conflict = false
		c.stats.Refreshes++
		c.refresh.bank = nil
	}
	c.aim(b)
}

// refreshIdle takes the steps of all refreshes that fell due while no request
// waited.
func (c *Controller) refreshIdle(now uint64) {
	for c.refresh.due <= now || c.refresh.bank != nil {
		if c.clocks.rfcBank == 0 {
			at := c.refreshAt()
			if at > now {
				return
			}
			c.refreshStep(at)
			continue
		}
		if c.refresh.bank == nil {
			c.refreshNext()
		}
		at := c.bus.free(c.refreshBankAt(c.refresh.bank))
		if at > now {
			return
		}
		c.refreshBankStep(c.refresh.bank, at)
	}
}
