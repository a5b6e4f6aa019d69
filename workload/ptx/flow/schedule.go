package flow

import (
	"iter"
	"math"
	"slices"

	"cotenant/workload/ptx"
)

// Cost is what an instruction takes of a warp's time, in cycles.
type Cost struct {
	// Free says that no machine instruction stands for it. It is put before the
	// first that needs it.
	Free bool
	// Issue is how long the warp issues it, more than one if it is a sequence.
	Issue int
	// Latency is how long after its last issue its result is there.
	Latency int
}

// Guide is what Schedule has to know about the machine.
type Guide struct {
	// Registers is how many 32-bit registers may hold values at once, if the
	// function does not need more anyway (see MaxLive).
	Registers int
	// Limit is how many the machine has: an order that takes more is not chosen even if the
	// function has it, unless no order is found that takes as few. 0: there is no limit.
	Limit int
	Cost  func(inst int) Cost
	// Joins has the later instruction of the same block that an instruction is
	// part of. It is moved right before that one. It must be the only writer, and
	// that one the only reader, of its result.
	Joins map[int]int
	// Class has for each register the first register that shares its machine
	// register. The order of accesses to these stays as it is. Nil if
	// none shares.
	Class []int
}

// Schedule returns the function with the instructions of each block in the order in
// which a list scheduler for an in-order machine issues them. Among the instructions that
// wait for nothing, the scheduler takes the one with the longest path to the end of the
// block; while all wait, it takes the one with the shortest wait. So loads and the
// instructions that compute their addresses come early, one after another, and the uses of
// loaded values come late. The function computes the same.
func Schedule(f *ptx.Func, g Guide) *ptx.Func {
	h := *f
	h.Insts = slices.Clone(f.Insts)
	blocks := piecesOf(f)
	s := &scheduler{f: f, guide: g, p: newPressure(f, blocks), most: max(g.Registers, MaxLive(f))}
	if g.Limit > 0 {
		s.most = min(s.most, g.Limit)
	}
	s.joined, s.joins = make([][]int, len(f.Insts)), make([]bool, len(f.Insts))
	for _, b := range blocks {
		for from := b.first; from < b.end; from++ {
			if to, ok := g.Joins[from]; ok && to < b.end { // or it is in another piece
				s.joined[to], s.joins[from] = append(s.joined[to], from), true
			}
		}
	}
	behind := newRegSet(f)
	for i, b := range blocks {
		behind.is(s.p.behind[i])
		for k, from := range s.block(b, behind) {
			h.Insts[b.first+k] = f.Insts[from]
		}
	}
	return &h
}

// scheduler is the state of Schedule.
type scheduler struct {
	f      *ptx.Func
	guide  Guide
	joined [][]int // instructions that are part of one
	joins  []bool  // the instruction is part of another
	p      *pressure
	most   int // registers
}

// block orders the instructions of a block, behind which registers hold values.
func (s *scheduler) block(b block, behind RegSet) []int {
	var nodes []*node
	var order []int
	for i := b.first; i < b.end; i++ {
		order = append(order, i)
		if !s.joins[i] {
			nodes = append(nodes, &node{insts: append(slices.Clone(s.joined[i]), i), cost: s.guide.Cost(i)})
		}
	}
	if len(nodes) < 3 { // the last is most often a branch
		return order
	}
	if ordered := s.part(nodes, behind); ordered != nil {
		return flatten(ordered)
	}
	return order
}

// part orders nodes, behind which registers hold values, and turns these into
// those before. If there are not registers enough for the order that a list
// scheduler would choose it tries other orders: with fewer registers to begin with,
// by loads first, and each half by itself; and takes the fastest. It returns nil
// if even the given one takes too many registers.
func (s *scheduler) part(nodes []*node, behind RegSet) (best []*node) {
	after := slices.Clone(behind)
	fits := func(order []*node) bool {
		copy(behind, after)
		return s.p.most(s.f.Insts, flatten(order), behind) <= s.most
	}
	if fits(nodes) {
		best = nodes
	}
	if len(nodes) < 2 {
		return best
	}
	before := slices.Clone(behind)
	l := newList(s, nodes, before, after)
	fastest := l.time(nodes)
	try := func(order []*node) bool {
		if !fits(order) {
			return false
		}
		if t := l.time(order); best == nil || t < fastest {
			best, fastest = order, t
		}
		return true
	}
	for _, h := range []heuristic{longestPath, loadsFirst} {
		for limit := range limits(s.most) {
			if try(l.run(h, limit)) && h == longestPath && limit == unlimited {
				return best
			}
		}
	}
	middle := len(nodes) / 2
	now := slices.Clone(after)
	if second := s.part(nodes[middle:], now); second != nil {
		if first := s.part(nodes[:middle], now); first != nil {
			l.number()
			try(slices.Concat(first, second))
		}
	}
	copy(behind, before)
	return best
}

// unlimited is a number of registers that nothing takes.
const unlimited = math.MaxInt

// limits are the numbers of registers that an order is tried with: as many as it
// takes, and then, since a limit may not be kept, the existing number and fewer.
func limits(most int) iter.Seq[int] {
	return slices.Values([]int{unlimited, most, most * 7 / 8, most * 3 / 4})
}

func flatten(nodes []*node) (order []int) {
	for _, n := range nodes {
		order = append(order, n.insts...)
	}
	return order
}
