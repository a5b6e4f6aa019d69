package ptx

// Ahead is what an instruction did that was executed ahead of its turn.
type Ahead struct {
	// PC is the instruction's program counter.
	PC int32
	// Active are the lanes that took part.
	Active uint32
	// Redirect says that the next instruction is not the one behind this.
	Redirect bool
}

// RunAhead executes the instructions that come next as long as they touch
// nothing but what belongs to the warp alone: registers, predicates and which
// path it is on. Nobody can tell when they execute, so a driver may do so before
// their turn: a warp's registers are then fetched into the host's caches once
// for all of them. What they did is put into out; the number of entries is
// returned. It must not be called while the warp waits at a barrier. An error is
// final, as one of Step, and is that of the last entry.
func (w *Warp) RunAhead(out []Ahead) (n int, err error) {
	if w.waits != nil || w.fault != nil {
		return 0, w.fault
	}
	for n < len(out) && w.mask != 0 {
		o := &w.ops[w.pc]
		if !o.private {
			break
		}
		e := &out[n]
		n++
		w.active = w.mask & (w.preds[o.guard] ^ o.guardFlip)
		*e = Ahead{PC: w.pc, Active: w.active}
		behind := w.pc + 1
		w.pc = behind
		w.steps++
		if w.active != 0 {
			o.run(w, o)
		}
		if o.ends || w.pc == w.rpc {
			w.settle()
			e.Redirect = w.pc != behind
		}
		if w.fault != nil {
			break
		}
	}
	return n, w.fault
}

// isPrivate reports whether an op touches only what belongs to the warp.
func (b *builder) isPrivate() bool {
	switch b.in.Op {
	case "ld", "ldu", "st":
		return b.in.Space == Param // the kernel's parameters, or those of a call
	case "atom", "red", "tex", "bar", "barrier", "membar", "fence", "trap", "brkpt", "nanosleep":
		return false
	}
	return !b.o.memory && !b.o.barrier && !b.clock && !b.place
}
