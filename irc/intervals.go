package irc

import (
	"math/bits"

	"cotenant/tenant"
)

// intervals says at which edges of the core clock intervals of another clock start.
// Edges of both lie at whole multiples of their periods, from time 0.
type intervals struct {
	// An interval lasts numerator / denominator core cycles.
	numerator, denominator uint64
}

// newIntervals makes intervals of the crossbars' clock. Frequencies of 0 stand for equal
// clocks.
func newIntervals(cycles, coreMHz, nocMHz int) intervals {
	if coreMHz == 0 || nocMHz == 0 {
		coreMHz, nocMHz = 1, 1
	}
	return intervals{numerator: uint64(cycles) * uint64(coreMHz), denominator: uint64(nocMHz)}
}

// start is the first core edge of an interval, by its number from 0: the first that
// is not before it.
func (i intervals) start(number uint64) uint64 {
	high, low := bits.Mul64(number, i.numerator)
	low, carry := bits.Add64(low, i.denominator-1, 0)
	cycle, _ := bits.Div64(high+carry, low, i.denominator)
	return cycle
}

// Advance makes an edge of the core clock the present one, which is not before the
// last one: intervals that are over by then are counted, and credits come.
func (c *Controller) Advance(cycle uint64) {
	for c.cycle = cycle; cycle >= c.start; {
		c.startInterval()
	}
}

// startInterval ends the present interval and starts the next.
func (c *Controller) startInterval() {
	c.stats.Intervals++
	c.start = c.clock.start(c.stats.Intervals + 1)
	for t := range c.queues {
		q, credits, s := &c.queues[t], &c.credits[t], &c.stats.Tenants[t]
		waiting := q.packets.Len()
		s.Demand += q.sent + uint64(waiting)
		q.sent = 0
		if waiting > 0 && !credits.Some() {
			s.Exhausted++
		}
		credits.Start()
		assign(&c.spent, tenant.ID(t), !credits.Some())
	}
}
