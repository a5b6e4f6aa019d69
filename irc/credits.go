package irc

import "cotenant/protocol"

// Credits are the requests that a tenant may still send in the present interval. Each interval
// starts with the rate, and the fraction of a request left over from earlier intervals: 3.6
// gives 3, 4, 3, 4, 4, and so on. Unsent whole requests are lost. The zero value has no limit.
type Credits struct {
	limited bool
	left    uint32
	carry   uint32 // below protocol.RateOne
	// nextLimited and rate hold from the next interval on; rate is in parts of
	// protocol.RateOne.
	nextLimited bool
	rate        uint32
}

// Set changes the rate from the next interval on. It is at most
// protocol.RateLimit, which Set sees to.
func (c *Credits) Set(limited bool, rate uint32) {
	c.nextLimited, c.rate = limited, min(rate, protocol.RateLimit)
}

// Start begins the next interval.
func (c *Credits) Start() {
	if c.limited = c.nextLimited; !c.limited {
		c.carry = 0
		return
	}
	sum := c.carry + c.rate
	c.left, c.carry = sum/protocol.RateOne, sum%protocol.RateOne
}

// Some reports whether a request may be sent.
func (c *Credits) Some() bool { return !c.limited || c.left > 0 }

// Spend takes a request's cost; Some must hold.
func (c *Credits) Spend() {
	if c.limited {
		c.left--
	}
}

// Coming reports whether intervals to come will give some.
func (c *Credits) Coming() bool { return !c.nextLimited || c.rate > 0 }

// Left is the number of requests that may still be sent; false if there is no
// limit.
func (c *Credits) Left() (n int, limited bool) { return int(c.left), c.limited }
