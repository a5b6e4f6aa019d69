package exec

import (
	"math/bits"

	"cotenant/workload/ptx"
)

const (
	lanes    = 32
	allLanes = ^uint32(0)
)

// slot holds one register of a warp: lane i's value is element i. Bits above
// the register's width have no meaning, so every reader cuts the value to the
// width it wants. So a single addition serves all widths.
type slot = [lanes]uint64

// run executes an op for the lanes in w.active, of which there is at least one.
type run func(w *Warp, o *op)

// op is an instruction made ready to run. Slots from 0 up are registers of the
// warp, those below are constants of the launch (see Warp.src); predicates are
// numbered apart and hold one bit for each lane.
type op struct {
	run       run
	dst       int32
	a, b, c   int32
	d         int32  // the third coordinate of a texture, or its layer
	imm       uint64 // added to an address; otherwise the op's own
	guard     int32
	guardFlip uint32 // all ones if the guard is negated
	// pdst and pdst2 are predicates written, p and q are read; pFlip and qFlip
	// are all ones if they are negated.
	pdst, pdst2  int32
	p, q         int32
	pFlip, qFlip uint32
	f1           func(a uint64) uint64
	f2           func(a, b uint64) uint64
	f3           func(a, b, c uint64) uint64
	list         []int32 // slots of a vector's elements
	space        ptx.Space
	bytes        uint8 // of one element in memory
	vec          uint8
	shift        uint8 // 64 less the bits that an extension keeps
	signed       bool
	memory       bool   // the result carries addresses
	hints        bool   // the access has a policy for the L2
	policy       int32  // slot of the workload.Policy
	addressed    uint32 // the lanes that may have addresses, if not all active ones have; run says which then
	writes       bool   // to memory
	barrier      bool   // the result is that of a barrier
	sleeps       bool   // the result says how long the warp sleeps
	forAll       bool   // a barrier that all warps wait at
	quiet        bool   // behind this barrier nothing writes shared memory
	turn         turn
	ends         bool  // lanes may leave the path, or the function ends
	accept       uint8 // relations for which a comparison holds
	ftz          bool
	replaces     bool // dst is an operand
	addrMask     uint64
	target       int32 // pc of a branch's target or a call's function; index of a texture
	reconverge   int32
	mode         uint8 // of the op's own
	arguments    int   // how much of the list of a call is for arguments
	inst         *ptx.Inst
	fn           *ptx.Func
}

// src returns the slot that an operand reads.
func (w *Warp) src(s int32) *slot {
	if s >= 0 {
		return &w.regs[s]
	}
	return &w.consts[^s]
}

// out returns where an op that computes all lanes puts them: its destination
// if all are active, and otherwise a slot from which commit takes the active
// lanes. Computing the rest costs less than testing each.
func (w *Warp) out(o *op) *slot {
	if w.active == allLanes {
		return &w.regs[o.dst]
	}
	return &w.scratch
}

func (w *Warp) commit(o *op) {
	if w.active != allLanes {
		w.merge(&w.regs[o.dst], &w.scratch)
	}
}

// merge copies the active lanes.
func (w *Warp) merge(d, s *slot) {
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		d[i] = s[i]
	}
}

// stage and unstage are out and commit for an op that may have to compute its results
// again, when it must not have replaced an operand.

func (w *Warp) stage(o *op) *slot {
	if o.replaces {
		return &w.scratch
	}
	return w.out(o)
}

func (w *Warp) unstage(o *op) {
	if o.replaces && w.active == allLanes {
		w.regs[o.dst] = w.scratch
		return
	}
	w.commit(o)
}

// setPred writes the active lanes of a predicate.
func (w *Warp) setPred(p int32, value uint32) {
	w.preds[p] = w.preds[p]&^w.active | value&w.active
}

// each1, each2 and each3 compute all lanes. The compiler makes a loop of its own
// of each call with a function that it knows.

func each1(d, a *slot, f func(a uint64) uint64) {
	for i := range d {
		d[i] = f(a[i])
	}
}

func each2(d, a, b *slot, f func(a, b uint64) uint64) {
	for i := range d {
		d[i] = f(a[i], b[i])
	}
}

func each3(d, a, b, c *slot, f func(a, b, c uint64) uint64) {
	for i := range d {
		d[i] = f(a[i], b[i], c[i])
	}
}

// Operations that are not worth a loop of their own are functions of one
// lane's values.

func lanes1(w *Warp, o *op) {
	d, a, f := &w.regs[o.dst], w.src(o.a), o.f1
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		d[i] = f(a[i])
	}
}

func lanes2(w *Warp, o *op) {
	d, a, b, f := &w.regs[o.dst], w.src(o.a), w.src(o.b), o.f2
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		d[i] = f(a[i], b[i])
	}
}

func lanes3(w *Warp, o *op) {
	d, a, b, c, f := &w.regs[o.dst], w.src(o.a), w.src(o.b), w.src(o.c), o.f3
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		d[i] = f(a[i], b[i], c[i])
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
