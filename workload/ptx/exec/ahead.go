package exec

import "cotenant/workload/ptx"

// Most of what Ahead can hold: the usual number of instructions between two
// with a turn that other warps can observe, and the accesses among them.
const (
	AheadSteps     = 96
	aheadAccesses  = 32
	aheadScattered = 12
)

// Ahead is what instructions did that were executed ahead of their turn. It is
// filled by RunAhead.
//
// Its fields are in the order in which they are read, since one for each warp of
// a GPU is more than the host's caches hold.
type Ahead struct {
	have      int
	accessed  int // of accesses, taken
	scattered int // of lanes, taken
	steps     [AheadSteps]aheadStep
	accesses  [aheadAccesses]Access
	lanes     [aheadScattered]slot
}

type aheadStep struct {
	pc       int32
	active   uint32
	redirect bool
	access   int8 // index, or noAccess
}

const noAccess = -1

// Len is the number of instructions.
func (a *Ahead) Len() int { return a.have }

// At returns the program counter of an instruction and what it did. The access
// is valid until the next RunAhead.
func (a *Ahead) At(i int) (pc int32, r Result) {
	s := &a.steps[i]
	r = Result{Active: s.active, Redirect: s.redirect}
	if s.access != noAccess {
		r.Access = &a.accesses[s.access]
	}
	return s.pc, r
}

// turn says when an op may execute.
type turn uint8

const (
	// inTurn: when its turn has come, since other warps can observe it.
	inTurn turn = iota
	// anyTurn: it touches only what belongs to the warp, or reads what nothing
	// writes during a launch.
	anyTurn
	// quietTurn: as long as no warp of the thread block can write shared memory,
	// which it reads.
	quietTurn
	// stayTurn: if the launch writes no global memory that it reads.
	stayTurn
)

// RunAhead executes the instructions that come next, at most a number, as long
// as nothing can observe when they execute: they touch registers, predicates, local
// memory and which path the warp is on; they read constants and textures, which
// do not change during a launch, or global memory in a launch that writes none
// that it reads (see Idempotent); or they read shared memory while no warp of the
// thread block can write it before this one comes to its next barrier. A driver
// may execute them before their turn: a warp's registers are then fetched into
// the host's caches once for all of them. What they did replaces what is in out.
// It must not be called while the warp waits at a barrier. An error is final, as
// for Step, and is the last instruction's.
func (w *Warp) RunAhead(out *Ahead, most int) error {
	out.have, out.accessed, out.scattered = 0, 0, 0
	if w.waits != nil || w.fault != nil {
		return w.fault
	}
	for most = min(most, AheadSteps); out.have < most && w.mask != 0; {
		o := &w.ops[w.pc]
		if o.turn != anyTurn && !w.mayRun(o.turn) {
			break
		}
		if o.memory && (w.launch.watches || out.accessed == aheadAccesses || out.scattered == aheadScattered) {
			break
		}
		s := &out.steps[out.have]
		out.have++
		w.active = w.mask & (w.preds[o.guard] ^ o.guardFlip)
		s.pc, s.active, s.redirect, s.access = w.pc, w.active, false, noAccess
		behind := w.pc + 1
		w.pc = behind
		w.steps++
		if w.active != 0 {
			w.affine = false
			o.run(w, o)
			if o.memory {
				s.access = int8(out.accessed)
				out.keep(w.accessed(o))
				if o.addressed != 0 {
					s.active = w.active
				}
			}
		}
		if o.ends || w.pc == w.rpc {
			w.settle()
			s.redirect = w.pc != behind
		}
		if w.fault != nil {
			break
		}
	}
	return w.fault
}

// mayRun reports whether an op may execute ahead of its turn.
func (w *Warp) mayRun(t turn) bool {
	switch t {
	case quietTurn:
		return w.tb.quiet(w)
	case stayTurn:
		return w.launch.readsWhatStays
	}
	return t == anyTurn
}

// keep copies an access before the next one takes its place.
func (a *Ahead) keep(access *Access) {
	to := &a.accesses[a.accessed]
	a.accessed++
	*to = *access
	if access.Lanes != nil {
		to.Lanes = &a.lanes[a.scattered]
		a.scattered++
		*to.Lanes = *access.Lanes
	}
}

// turn says when the op may execute.
func (b *builder) turn() turn {
	o := &b.o
	switch b.in.Op {
	case "ldmatrix":
		if o.space == ptx.Shared {
			return quietTurn
		}
		return inTurn
	case "ld", "ldu":
		switch {
		case b.in.Space == ptx.Param, o.space == ptx.Local, o.space == ptx.Const, b.in.Has("nc"):
			return anyTurn
		case o.space == ptx.Shared:
			return quietTurn
		case o.space == ptx.Global:
			return stayTurn
		}
		return inTurn
	case "st":
		if b.in.Prints != nil {
			return inTurn
		}
		if b.in.Space == ptx.Param || o.space == ptx.Local {
			return anyTurn
		}
		return inTurn
	case "tex":
		return anyTurn
	case "atom", "red", "bar", "barrier", "membar", "fence", "trap", "brkpt", "nanosleep", "wgmma":
		return inTurn
	}
	if o.memory || o.barrier || b.clock || b.place {
		return inTurn
	}
	return anyTurn
}
