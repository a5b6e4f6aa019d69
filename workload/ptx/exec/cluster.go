package exec

import (
	"fmt"
	"math/bits"

	"cotenant/workload/ptx"
)

// A cluster has one thread block here: the shared memory of both is the same, and the cluster's barrier
// holds the warps of the thread block, apart from its barriers with numbers.

// runElect elects the lowest of the lanes that are named.
func runElect(w *Warp, o *op) {
	w.byMask(o, o.a, func(w *Warp, o *op, members uint32) {
		leader := bits.TrailingZeros32(members)
		w.spread(o.dst, uint64(leader))
		w.setPred(o.pdst, members&-members)
	})
}

// buildMapa builds the address of a variable in a thread block of the cluster.
func buildMapa(b *builder) {
	b.o.run = func(w *Warp, o *op) {
		ranks := w.src(o.b)
		for m := w.active; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros32(m) & (lanes - 1); ranks[i]&0xffffffff != 0 {
				w.fail(o, LaunchFailure, i, fmt.Sprintf("thread block %d of the cluster; valid is 0, as the cluster has one thread block", uint32(ranks[i])))
				return
			}
		}
		runMove(w, o)
	}
}

// runRank gives the number of the thread block that an address is in.
func runRank(w *Warp, o *op) { w.spread(o.dst, 0) }

// clusterBarrier is the barrier of a cluster. A warp arrives, and waits later.
type clusterBarrier struct {
	phase   uint32
	arrived uint64 // warps, in this phase; a thread block has at most 32
}

// buildClusterBarrier builds barrier.cluster.
func buildClusterBarrier(b *builder) {
	o := &b.o
	o.barrier = true
	if b.in.Has("arrive") {
		o.run = runClusterArrive
	} else {
		o.run = runClusterWait
	}
}

func runClusterArrive(w *Warp, o *op) {
	c := &w.tb.cluster
	bit := uint64(1) << w.index
	w.barrier = Result{Active: w.active}
	if c.arrived&bit != 0 {
		w.fail(o, LaunchFailure, bits.TrailingZeros32(w.active), "the warp has arrived and not waited; valid is a wait in between")
		return
	}
	c.arrived |= bit
	w.clusterPhase = c.phase
	w.tb.endClusterPhase()
}

// endClusterPhase ends the phase of the cluster's barrier if all warps that have not ended have arrived.
func (tb *TB) endClusterPhase() {
	if c := &tb.cluster; tb.clusterArrived() {
		c.arrived = 0
		c.phase++
	}
}

func (tb *TB) clusterArrived() bool {
	for i, w := range tb.Warps {
		if w.alive != 0 && tb.cluster.arrived>>i&1 == 0 {
			return false
		}
	}
	return true
}

// holdsInCluster reports whether the cluster's barrier holds a warp that waits there.
func (w *Warp) holdsInCluster() bool {
	return w.tb.cluster.phase == w.clusterPhase && !w.tb.clusterArrived()
}

// runClusterWait executes the wait again until the phase has ended in which the warp arrived.
func runClusterWait(w *Warp, o *op) {
	w.barrier = Result{Active: w.active}
	if w.tb.cluster.arrived != 0 {
		w.tb.endClusterPhase() // warps may have ended since
	}
	if w.tb.cluster.phase == w.clusterPhase {
		w.pc--
		w.barrier.Retries = true
	}
}

// asyncStore is st.async or red.async: an access to shared memory that an mbarrier is told of.
func (b *builder) asyncStore(inner run) {
	o := &b.o
	barrier := b.placeOf(b.in.Src[len(b.in.Src)-1])
	b.address(b.in.Src[0])
	o.space = ptx.Shared
	bytes := int64(o.bytes) * int64(o.vec)
	o.run = func(w *Warp, o *op) {
		inner(w, o)
		active, addrs := w.active, w.addrs
		for m := active; m != 0 && w.fault == nil; m &= m - 1 {
			i := bits.TrailingZeros32(m) & (lanes - 1)
			at := barrier.at(w, i)
			w.addrs[i] = at
			w.finished(o, i, at, bytes)
		}
		w.addrs, w.affine = addrs, false
	}
}
