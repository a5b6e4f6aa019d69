package ccbp

import (
	"math"
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy/deal"
)

// worse separates a step from noise: a step down must be worse than the best performance by
// this part, a step up better by it.
const worse = 0.005

// performance is the harmonic or the weighted speedup of kernels by their normalised
// performance (CCBP 3.1); 0 if one is not known.
func performance(normalized []float64, weighted bool) float64 {
	sum, inverse := 0.0, 0.0
	for _, n := range normalized {
		if n <= 0 || math.IsInf(n, 0) {
			return 0
		}
		sum, inverse = sum+n, inverse+1/n
	}
	switch {
	case len(normalized) == 0:
		return 0
	case weighted:
		return sum
	}
	return float64(len(normalized)) / inverse
}

// prior is the hill climbing of priorLSK (CCBP 5.5), in tenths: from 1.0 down by 0.1
// while it does not get worse.
type prior struct {
	now, best int
	score     float64 // of best
	over      bool
}

func newPrior() prior { return prior{now: 10, best: 10} }

// value is priorLSK.
func (p *prior) value() float64 { return float64(p.now) / 10 }

// judge takes the performance with the present priority. It goes on to the next priority with
// another allocation, or returns to the best and is over.
func (p *prior) judge(score float64, same func(a, b float64) bool) {
	switch {
	case p.score == 0 || score > p.score:
		p.best, p.score = p.now, score
	case score < p.score*(1-worse):
		p.now, p.over = p.best, true
		return
	}
	for next := p.now - 1; next >= 1; next-- {
		if !same(p.value(), float64(next)/10) {
			p.now = next
			return
		}
	}
	p.now, p.over = p.best, true
}

// combination is hill climbing over numbers of CTAs, an addition to the paper. A kernel gives
// CTAs until another kernel can take one, the other kernels take what fits, and the giver goes
// on while performance rises; then the next kernel gives.
type combination struct {
	now, best []int
	tried     [][]int
	score     float64 // of best
	giver     int
	over      bool
}

func newCombination(ctas []int) combination {
	return combination{now: slices.Clone(ctas), best: slices.Clone(ctas)}
}

// judge takes the performance with the present numbers, and goes on. most has the
// most CTAs of each kernel.
func (c *combination) judge(score float64, capacity *occupancy.Capacity, demands []occupancy.Demand, most []int) {
	c.tried = append(c.tried, slices.Clone(c.now))
	switch {
	case c.score == 0:
		c.score = score
	case score > c.score*(1+worse):
		copy(c.best, c.now)
		c.score = score
	default:
		c.giver++
	}
	for ; c.giver < len(c.best); c.giver++ {
		copy(c.now, c.best)
		known := func(list []int) bool { return slices.Equal(list, c.now) }
		if give(capacity, demands, c.now, most, c.giver) && !slices.ContainsFunc(c.tried, known) {
			return
		}
	}
	copy(c.now, c.best)
	c.over = true
}

// give takes CTAs of a kernel, except its last, until a CTA of another kernel fits, and then
// deals the room to the other kernels in turn. It reports whether a CTA moved.
func give(c *occupancy.Capacity, demands []occupancy.Demand, ctas, most []int, giver int) (moved bool) {
	most = slices.Clone(most)
	for !moved && ctas[giver] > 1 {
		ctas[giver]--
		most[giver] = ctas[giver]
		var u occupancy.Usage
		for k, n := range ctas {
			deal.Room(c, &u, demands[k], n)
		}
		moved = deal.InTurn(c, &u, demands, most, 0, ctas)
	}
	return moved
}
