package ccbp

import "cotenant/protocol"

// order is a member's part of each SM.
type order struct {
	ctas   int // that it may have
	active int // that may issue, 0 for all
	rate   protocol.Rate
	// requests is the rate in requests of an interval, 0 without a limit.
	requests float64
}

// order returns the member's present order.
func (s *study) order(i int) (o order) {
	m := &s.members[i]
	o = order{ctas: m.even, rate: protocol.Rate{Given: true}}
	switch s.phase {
	case demands:
		o.limit(m.evenRate)
	case points:
		// Priority goes with the kind, from when it is known.
		o.rate.Sensitive = m.kind == Sensitive
		if i == s.member {
			o.active = pointsOf(m.even)[s.point]
		} else {
			o.limit(m.evenRate)
		}
	case climbing, settled:
		o.ctas = s.ctas[i]
		o.rate.Sensitive = m.kind == Sensitive
		if m.kind != Sensitive || !s.unlimited {
			o.limit(s.granted(i))
		}
	}
	return o
}

// granted is the rate of a member's units. A member without units gets the rate of one unit:
// its CTA could do nothing otherwise.
func (s *study) granted(i int) float64 {
	m, g := &s.members[i], s.grants[i]
	if g.NoC == 0 && g.DRAM == 0 {
		g.NoC, g.DRAM = 1, 1
	}
	return rate(m.kind, m.factors, s.bandwidth, g.NoC, g.DRAM)
}

func (o *order) limit(rate float64) {
	if o.rate.Requests, o.rate.Limited = fixed(rate); o.rate.Limited {
		o.requests = rate
	}
}
