package irc

import (
	"math/bits"

	"cotenant/tenant"
)

// pick returns the tenant to serve among ready, one bit each and not 0: a latency-sensitive
// one if there is any (CCBP 6.2), and in each class the next in turn. Each class takes turns
// of its own; otherwise a sensitive tenant could have all turns of another pass to the same
// neighbour.
func (c *Controller) pick(ready uint16) tenant.ID {
	last := c.last[0]
	if first := ready & c.sensitive; first != 0 {
		ready, last = first, c.last[1]
	}
	next := int(last) + 1
	return tenant.ID((bits.TrailingZeros16(bits.RotateLeft16(ready, -next)) + next) % tenant.Max)
}

// assign puts a tenant into a set or takes it out.
func assign(set *uint16, t tenant.ID, in bool) {
	*set &^= 1 << t
	if in {
		*set |= 1 << t
	}
}
