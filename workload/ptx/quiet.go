package ptx

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
	f, at := p.kernel, int(c.placed[p.kernel].pc)
	blocks := f.blocks()
	p.startsQuiet = f.quietFrom(blocks, 0)
	for i := range f.Insts {
		if o := &p.ops[at+i]; o.barrier {
			o.quiet = f.quietFrom(blocks, i+1)
		}
	}
}

// quietFrom reports whether no path from an instruction writes shared memory
// before it comes to a barrier.
func (f *Func) quietFrom(blocks []block, start int) bool {
	seen := make([]bool, len(blocks))
	var pending []int
	for i, b := range blocks {
		if b.first <= start && start < b.end {
			pending = append(pending, i)
		}
	}
	from := start // in the first block, which may be entered again from its top
	for len(pending) > 0 {
		b := blocks[pending[0]]
		pending = pending[1:]
		ended := false
		for i := max(b.first, from); i < b.end && !ended; i++ {
			switch in := &f.Insts[i]; in.Op {
			case "call":
				return false
			case "st", "atom", "red":
				if in.Space == Shared || in.Space == Generic {
					return false
				}
			case "bar", "barrier":
				ended = !in.Has("warp") && in.Guard < 0
			}
		}
		from = 0
		if ended {
			continue
		}
		for _, s := range b.succs {
			if s < len(blocks) && !seen[s] {
				seen[s] = true
				pending = append(pending, s)
			}
		}
	}
	return true
}

// arrive notes that a warp has come to a barrier that all wait at.
func (tb *TB) arrive(w *Warp, o *op) {
	if w.turn++; tb.turn != w.turn {
		tb.turn = w.turn
		tb.noisy[w.turn&1] = false
	}
	// Lanes on another path would still be behind an earlier barrier.
	if !o.quiet || w.active != w.alive {
		tb.noisy[w.turn&1] = true
	}
}

// quiet reports whether no other warp can write shared memory before a warp, which does
// not wait at a barrier, comes to its next one. The others are between the
// same two barriers, or wait at the second.
func (tb *TB) quiet(w *Warp) bool { return !tb.noisy[w.turn&1] }

// startQuiet is for a thread block before its first instruction.
func (tb *TB) startQuiet() {
	tb.turn = 0
	tb.noisy = [2]bool{!tb.launch.program.startsQuiet}
}
