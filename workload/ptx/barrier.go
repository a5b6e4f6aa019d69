package ptx

import "math/bits"

// barriers is how many a thread block has.
const barriers = 16

// Ways of a barrier instruction (op.mode).
const (
	barrierSync = iota
	barrierArrive
	barrierCount // red.popc
	barrierAll   // red.and
	barrierAny   // red.or
)

func buildBar(b *builder) {
	in, o := b.in, &b.o
	if in.Has("warp") {
		buildNop(b) // a warp executes together
		return
	}
	src := in.Src
	if in.Has("red") {
		o.p, o.pFlip = b.predicate(src[len(src)-1])
		src = src[:len(src)-1]
		switch {
		case in.Has("popc"):
			o.mode = barrierCount
			o.dst = b.result(in.Dst[0])
		case in.Has("and"):
			o.mode = barrierAll
			o.pdst = b.predicateResult(in.Dst[0])
		default:
			o.mode = barrierAny
			o.pdst = b.predicateResult(in.Dst[0])
		}
	}
	if in.Has("arrive") {
		o.mode = barrierArrive
	}
	o.a, o.b = b.value(src[0], U32), b.constant(0)
	if len(src) > 1 {
		o.b = b.value(src[1], U32)
	}
	o.run, o.barrier = runBar, true
}

// reduction collects what the warps bring to one use of a barrier by bar.red.
// Two are enough for each barrier: a warp can be one use ahead of another, but
// the second use ends when all have seen the result of the first.
type reduction struct {
	use   uint32 // counted from 1
	count uint32 // predicates that hold
	all   bool
}

func runBar(w *Warp, o *op) {
	lane := bits.TrailingZeros32(w.active) & (lanes - 1)
	id := uint32(w.src(o.a)[lane])
	if id >= barriers {
		w.failBarrier(o, lane, id)
		return
	}
	w.barrier = Result{
		Active:         w.active,
		Barrier:        o.mode != barrierArrive,
		Arrive:         o.mode == barrierArrive,
		BarrierID:      uint8(id),
		BarrierThreads: int(uint32(w.src(o.b)[lane])),
	}
	w.arrived[id]++
	if o.mode < barrierCount {
		return
	}
	use := w.arrived[id]
	red := &w.tb.reductions[id][use%2]
	if red.use != use {
		*red = reduction{use: use, all: true}
	}
	holds := (w.preds[o.p] ^ o.pFlip) & w.active
	red.count += uint32(bits.OnesCount32(holds))
	red.all = red.all && holds == w.active
	w.waits, w.waitsFor, w.waitsMask = o, red, w.active
}

// finishReduction writes the result of the last bar.red: the barrier is
// complete, or the warp would not go on.
func (w *Warp) finishReduction() {
	o, red := w.waits, w.waitsFor
	w.waits = nil
	w.active = w.waitsMask
	holds := red.count != 0
	switch o.mode {
	case barrierCount:
		w.spread(o.dst, uint64(red.count))
		return
	case barrierAll:
		holds = red.all
	}
	w.setPred(o.pdst, uint32(-bit(holds)))
}
