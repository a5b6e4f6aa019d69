package exec

import "cotenant/workload/ptx/flow"

// Between two barriers that all warps of a thread block wait at, shared memory
// is quiet if no warp can write it there. A warp's loads from it give the same
// then whenever they execute. Whether it is quiet follows from the barriers at
// which the warps are: from each the code up to the next ones is looked through
// when the program is compiled.

// findQuiet marks the kernel's barriers behind which nothing writes shared
// memory before the next one. Barriers that not all warps wait at would put
// warps into different turns; a program that has one has no quiet ones.
func (c *compiler) findQuiet() {
	p := c.p
	for i := range p.ops {
		if o := &p.ops[i]; o.barrier && !o.forAll {
			return
		}
	}
	// From the start, and from behind each barrier.
	at, starts := int(c.placed[p.kernel].pc), []int{0}
	for i := range p.kernel.Insts {
		if p.ops[at+i].barrier {
			starts = append(starts, i+1)
		}
	}
	quiet := flow.QuietFrom(p.kernel, starts)
	p.startsQuiet = quiet[0]
	for i, start := range starts[1:] {
		p.ops[at+start-1].quiet = quiet[i+1]
	}
}

// arrive notes that a warp has come to a barrier that all wait at.
func (tb *TB) arrive(w *Warp, o *op) {
	if w.turn++; tb.turn != w.turn {
		tb.turn = w.turn
		tb.noisy[w.turn&1] = false
	}
	// Lanes on another path would still be behind an earlier barrier. Other thread blocks of a cluster can
	// write at any time.
	if !o.quiet || w.active != w.alive || tb.clustered() {
		tb.noisy[w.turn&1] = true
	}
}

// quiet reports whether no other warp can write shared memory before a warp, which does
// not wait at a barrier, comes to its next one. The other warps are between
// the same two barriers, or wait at the second.
func (tb *TB) quiet(w *Warp) bool { return !tb.noisy[w.turn&1] }

// startQuiet is for a thread block before its first instruction.
func (tb *TB) startQuiet() {
	tb.turn = 0
	tb.noisy = [2]bool{!tb.launch.program.startsQuiet || tb.clustered()}
}
