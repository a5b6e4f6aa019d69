package components

import (
	"math/bits"
	"math/rand/v2"
)

// shuffle draws the order of the modules of every edge and of the clocks of
// every instant.
type shuffle struct {
	random  *rand.Rand
	domains []*Domain
	due     []*Module
}

// Shuffle makes the modules of every edge, and the clocks of every instant, tick in an
// order drawn anew from a seed. It is for tests: a result may depend on that order
// only through state that modules share beside ports.
func (e *Engine) Shuffle(seed uint64) {
	e.shuffle = &shuffle{random: rand.New(rand.NewPCG(seed, 0))}
}

// run runs the primary events of all due clocks, and reports whether there were any.
func (s *shuffle) run(e *Engine) (ran bool) {
	s.domains = append(s.domains[:0], e.domains...)
	shuffled(s.random, s.domains)
	for _, d := range s.domains {
		if d.nextTime <= e.now {
			ran = s.tick(e, d) || ran
			ran = d.foreign > 0 && d.runForeign() || ran
		}
	}
	return ran
}

// tick is Domain.tick in a drawn order.
func (s *shuffle) tick(e *Engine, d *Domain) bool {
	slot := d.next % ringSize
	s.due = s.due[:0]
	for group, ticks := range d.ticks {
		for ; ticks[slot] != 0; ticks[slot] &= ticks[slot] - 1 {
			s.due = append(s.due, d.modules[group*64+bits.TrailingZeros64(ticks[slot])])
		}
	}
	if len(s.due) == 0 {
		return false
	}
	d.enter()
	shuffled(s.random, s.due)
	for _, m := range s.due {
		m.ticked = d.cycle + 1
		if m.hookedTick() {
			m.book(d.cycle + 1)
		}
	}
	return true
}

func shuffled[T any](random *rand.Rand, list []T) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
