package exec

import (
	"math/bits"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// barriers is how many a thread block has.
const barriers = workload.Barriers

// Ways of a barrier instruction (op.mode).
const (
	barrierSync = iota
	barrierArrive
	barrierCount // red.popc
	barrierAll   // red.and
	barrierAny   // red.or
)

var barrierModes = map[string]uint8{
	"sync": barrierSync, "arrive": barrierArrive, "popc": barrierCount, "and": barrierAll, "or": barrierAny,
}

func buildBar(b *builder) {
	in, o := b.in, &b.o
	if in.Has("cluster") {
		buildClusterBarrier(b)
		return
	}
	if in.Has("warp") {
		o.run = runNothing // a warp executes together
		return
	}
	ofAll := len(in.Src) < 2 || in.Src[1].Type == ptx.Pred
	o.mode, o.run, o.barrier = chosen(b, barrierModes), runBar, true
	o.forAll = ofAll && in.Src[0].Kind == ptx.Immediate && in.Src[0].Imm == 0
}

// reduction collects what the warps bring to one turn of a barrier by bar.red.
type reduction struct {
	count  uint32 // predicates that hold
	all    bool
	warps  int // that have come
	unread int // of those, how many have not seen the result
	// closed says that the turn is over: it has its warps, or a warp of it went
	// on, which it does when all have come.
	closed bool
}

// reduction is that of a barrier's current turn. A warp can read
// its result turns after other warps, so results stay until all that wait have them.
func (tb *TB) reduction(id uint32) *reduction {
	turns := tb.reductions[id]
	free := -1
	for i, r := range turns {
		if !r.closed && r.warps > 0 {
			return r
		}
		if r.unread == 0 {
			free = i
		}
	}
	if free < 0 {
		free = len(turns)
		tb.reductions[id] = append(turns, &reduction{})
	}
	r := tb.reductions[id][free]
	*r = reduction{all: true}
	return r
}

func runBar(w *Warp, o *op) {
	lane := bits.TrailingZeros32(w.active) & (lanes - 1)
	id := uint32(w.src(o.a)[lane])
	if id >= barriers {
		w.failBarrier(o, lane, id)
		return
	}
	threads := uint32(w.src(o.b)[lane])
	if threads == 0 && o.mode == barrierArrive {
		w.fail(o, IllegalInstruction, lane, "barrier for 0 threads; valid are multiples of 32")
		return
	}
	w.barrier = Result{
		Active:       w.active,
		Barrier:      o.mode != barrierArrive,
		Arrive:       o.mode == barrierArrive,
		BarrierID:    uint8(id),
		BarrierWarps: int(min(threads, 1<<16)+lanes-1) / lanes,
	}
	w.tb.arrive(w, o)
	if o.mode < barrierCount {
		return
	}
	red := w.tb.reduction(id)
	holds := (w.preds[o.p] ^ o.pFlip) & w.active
	red.count += uint32(bits.OnesCount32(holds))
	red.all = red.all && holds == w.active
	red.warps++
	red.unread++
	red.closed = threads > 0 && red.warps >= w.barrier.BarrierWarps
	w.waits, w.waitsFor, w.waitsMask = o, red, w.active
}

// finishReduction writes the result of the last bar.red: the barrier is
// complete, or the warp would not go on.
func (w *Warp) finishReduction() {
	o, red := w.waits, w.waitsFor
	w.waits = nil
	red.closed = true
	red.unread--
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
