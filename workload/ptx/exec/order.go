package exec

import (
	"bytes"
	"math/bits"

	"cotenant/workload"
	"cotenant/workload/ptx"
	"cotenant/workload/ptx/flow"
)

// OrderWatch finds out whether what launches compute depends on the order in which
// their warps execute. It sees one execution, in whatever order that was, and
// looks for accesses of one launch to the same memory that nothing puts in
// order. If there are none, every order gives the same: a warp's values follow
// from what it read, and what it read had been written before in any order.
//
// Two accesses are in order if one warp makes them, or two warps of a thread
// block between which both have passed a barrier. Any other two may be to the
// same memory only if
//
//   - both read,
//   - both are the same commutative operation on integers, with a result that
//     nothing reads (see updateOf), or
//   - both write the same value.
//
// A program that reads a clock, or on which of how many SMs it is, or uses a
// barrier that not all warps wait at, depends on order without further ado.
// OrderWatch may find dependence where there is none, as in a program that
// orders its accesses by flags and fences, but does not miss any.
type OrderWatch struct {
	memory *Memory
	found  error
	launch uint32   // number, from 1
	shadow []shadow // by allocation
	plans  map[*Program]*orderPlan
	plan   *orderPlan // of the launch
}

// NewOrderWatch returns a watch over launches that use a memory. They must come one
// after the other.
func NewOrderWatch(m *Memory) *OrderWatch {
	return &OrderWatch{memory: m, plans: map[*Program]*orderPlan{}}
}

// Dependence says where and why the launches so far depend on the order of
// execution, nil if they do not.
func (h *OrderWatch) Dependence() error { return h.found }

// begin starts a launch.
func (h *OrderWatch) begin(p *Program) *orderPlan {
	h.launch++
	h.plan = h.plans[p]
	if h.plan == nil {
		h.plan = newOrderPlan(p)
		h.plans[p] = h.plan
	}
	if h.plan.dependence != nil && h.found == nil {
		h.found = h.plan.dependence
	}
	return h.plan
}

// watched executes an op for the lanes in w.active and looks at what it does.
func (w *Warp) watched(o *op, pc int32) {
	if w.launch.checkAsync {
		if w.checkProducts(o); o.memory && w.fault == nil {
			w.checkAsync(o)
		}
		if w.fault != nil {
			return
		}
	}
	if w.launch.plan == nil {
		o.run(w, o)
		return
	}
	texture := w.launch.plan.kinds[pc] == accessTexture
	if o.memory && !texture {
		w.watch(o, pc)
	}
	o.run(w, o)
	switch {
	case w.fault != nil:
	case texture:
		w.watch(o, pc)
	case o.barrier && (!o.memory || w.launch.order != nil): // for a Checker a look at an mbarrier is none, see phaseOrder
		w.watchBarrier(o, &w.barrier)
	}
}

// watch looks at an access to memory that is about to be made by the lanes in
// w.active, or has been made if it is to a texture, which finds its addresses
// only then.
func (w *Warp) watch(o *op, pc int32) {
	l := w.launch
	if l.check == nil && l.order.found != nil {
		return
	}
	kind := l.plan.kinds[pc]
	switch {
	case kind == accessNone: // an op that shows its accesses itself
	case o.addressed != 0:
		whole := w.active
		w.active &= o.addressed
		w.locate(o)
		w.look(o, kind)
		w.active = whole
	case o.space == ptx.Const || o.space == ptx.Local:
	case kind == accessTexture:
		w.look(o, accessRead)
	default:
		w.locate(o)
		w.look(o, kind)
	}
}

// look shows an access to the launch's OrderWatch and Checker.
func (w *Warp) look(o *op, kind access) {
	if c := w.launch.check; c != nil {
		c.look(w, o, kind)
	}
	if h := w.launch.order; h != nil && h.found == nil {
		w.watchLanes(o, kind)
	}
}

// watchLanes looks at the access of each lane.
func (w *Warp) watchLanes(o *op, kind access) {
	h := w.launch.order
	size := uint64(o.bytes) * uint64(o.vec)
	shift := h.plan.shift
	var v shadowView
	for m := w.active; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & (lanes - 1)
		addr := w.addrs[i]
		space := w.space
		if space == ptx.Generic {
			space = spaceOf(addr)
			addr -= windows[space]
		}
		if space != ptx.Global && space != ptx.Shared {
			continue
		}
		if v.space != space || addr-v.base >= v.size {
			if v = h.view(w.tb, space, addr); v.space == noSpace {
				return // the access will fail
			}
			if v.constant && kind != accessRead {
				h.find(w, o, "it writes a constant")
				return
			}
		}
		at := addr - v.base
		for c := at >> shift; c <= (at+size-1)>>shift; c++ {
			p := v.cell(c)
			if p == nil {
				return
			}
			switch p.touch(uint32(w.tb.ID), w.barriers, uint8(w.index), kind) {
			case conflicting:
				h.find(w, o, "it accesses memory that another warp accesses, and no barrier puts them in order")
				return
			case sameValueOnly:
				if !w.storesWhatIsThere(o, i, v.data[at:min(at+size, uint64(len(v.data)))]) {
					h.find(w, o, "it writes another value than another warp, and no barrier puts them in order")
					return
				}
				p.share(uint32(w.tb.ID), w.barriers)
			}
		}
	}
}

// storesWhatIsThere reports whether a store leaves memory as it is.
func (w *Warp) storesWhatIsThere(o *op, lane int, there []byte) bool {
	var value [16]byte
	at := value[:]
	for _, s := range o.list {
		put(at, o.bytes, w.src(s)[lane])
		at = at[o.bytes:]
	}
	return bytes.Equal(value[:len(value)-len(at)], there)
}

// watchBarrier looks at a barrier that the warp has executed.
func (w *Warp) watchBarrier(o *op, r *Result) {
	h := w.launch.order
	if w.barriers++; h == nil {
		return
	}
	if r.Arrive || r.BarrierWarps != 0 && r.BarrierWarps != len(w.tb.Warps) {
		h.find(w, o, "not all warps wait at it")
	}
	if w.barriers == maxBarriers {
		h.find(w, o, "it is executed too often to follow")
	}
}

func (h *OrderWatch) find(w *Warp, o *op, why string) {
	if h.found == nil {
		h.found = workload.Errorf(o.fn.File, o.inst.Line, "%s in kernel %s depends on the order of execution: %s",
			o.inst.Opcode(), w.program.kernel.Name, why)
	}
}

// orderPlan is what can be said of a program before it runs.
type orderPlan struct {
	kinds []access // by program counter
	// shift is the logarithm of the bytes of the smallest access: the watch
	// tells no smaller pieces of memory apart.
	shift      uint8
	dependence error
}

func newOrderPlan(p *Program) *orderPlan {
	plan := &orderPlan{kinds: make([]access, len(p.ops)), shift: 2}
	read := map[*ptx.Func]flow.RegSet{}
	for pc := range p.ops {
		o := &p.ops[pc]
		if o.inst == nil {
			continue
		}
		if plan.dependence == nil && unwatched(o.inst) {
			plan.dependence = workload.Errorf(o.fn.File, o.inst.Line,
				"kernel %s depends on the order of execution: it uses %s, which is not looked at", p.kernel.Name, o.inst.Opcode())
		}
		if !o.memory {
			continue
		}
		if read[o.fn] == nil {
			read[o.fn] = flow.RegistersRead(o.fn)
		}
		plan.kinds[pc] = accessOf(o.inst, read[o.fn])
		if o.space != ptx.Local && o.space != ptx.Const {
			plan.shift = min(plan.shift, uint8(bits.TrailingZeros8(o.bytes)))
		}
	}
	for _, s := range p.specials {
		if s.IsClock() || s.IsPlace() {
			plan.dependence = workload.Errorf(p.kernel.File, p.kernel.Line,
				"kernel %s depends on the order of execution: it reads %v", p.kernel.Name, s)
		}
	}
	return plan
}

// unwatched tells the instructions whose accesses, or effects on other warps, the watch does not see.
func unwatched(in *ptx.Inst) bool {
	switch in.Op {
	case "mbarrier", "wgmma":
		return true
	case "cp":
		return in.Has("bulk") || in.Has("mbarrier")
	}
	return in.Has("async") || in.Op == "barrier" && in.Has("cluster")
}

// accessOf is how an instruction accesses memory, if some registers are read.
func accessOf(in *ptx.Inst, read flow.RegSet) access {
	switch in.Op {
	case "ld", "ldu", "ldmatrix":
		return accessRead
	case "tex":
		return accessTexture
	case "cp":
		return accessNone
	case "st":
		return accessWrite
	case "red":
		return updateOf(in)
	case "atom":
		if d := in.Dst[0]; d.Kind == ptx.Underscore || d.Kind == ptx.Register && !read.Has(d.Reg) {
			return updateOf(in)
		}
	}
	return accessMixed
}

// updateOf is the commutative update that an atomic operation makes, if nothing
// reads its result. Any other atomic reads and writes.
func updateOf(in *ptx.Inst) access {
	t := in.Types[len(in.Types)-1]
	if t.IsFloat() {
		return accessMixed // rounding depends on order
	}
	wide := access(0)
	if t.Size() == 8 {
		wide = 1
	}
	for i, name := range []string{"add", "and", "or", "xor", "min", "max", "min", "max"} {
		if in.Has(name) && (i < 4 || t.IsSigned() == (i >= 6)) {
			return firstUpdate + 2*access(i) + wide
		}
	}
	return accessMixed
}
