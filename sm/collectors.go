package sm

import "cotenant/workload"

// collectors are the operand collectors of a scheduler, or of the SM. They read
// registers in the order in which their instructions have issued, from the cycle
// of issue on.
type collectors struct {
	// freeAt is when each takes an instruction, a ring: they are taken in turn,
	// and free in turn.
	freeAt []uint64
	next   int
	rate   uint64 // reads in a cycle
	booked uint64 // the reads, counted from cycle 0, behind the last one
}

// newCollectors makes those of each scheduler, none if the SM has none.
func newCollectors(spec *CollectorsSpec, schedulers int) (list []*collectors) {
	if spec.Units == 0 {
		return nil
	}
	for i := range schedulers {
		if i > 0 && spec.PerSM {
			list = append(list, list[0])
		} else {
			list = append(list, &collectors{freeAt: make([]uint64, spec.Units), rate: uint64(spec.ReadsPerCycle)})
		}
	}
	return list
}

// full reports whether no collector takes an instruction at a cycle.
func (c *collectors) full(cycle uint64) bool { return c.freeAt[c.next] > cycle }

// take gives an instruction that issues to a collector, which must be free, for a
// cycle at least.
func (c *collectors) take(cycle uint64, sources *[6]uint8) {
	c.booked = max(c.booked, cycle*c.rate)
	for _, r := range sources {
		if r == workload.NoReg {
			break
		}
		c.booked++
	}
	c.freeAt[c.next] = max(cycle+1, (c.booked+c.rate-1)/c.rate)
	if c.next++; c.next == len(c.freeAt) {
		c.next = 0
	}
}
