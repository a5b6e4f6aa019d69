package exec

import (
	"fmt"
	"math/bits"
	"slices"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// A cluster is thread blocks that run at the same time and reach each other's shared memory. The shared
// memory of all of them is one space, .shared::cluster: an address there is an offset below mappedOffset, and
// above it one more than the rank of the thread block; with 0 there it is an address of .shared::cta, of the thread block
// that uses it. PTX leaves the form of the addresses open.
const (
	mappedShift  = 24
	mappedOffset = 1<<mappedShift - 1
)

// maxCluster is the most thread blocks of a cluster (CUDA C++ Programming Guide 12, "Thread Block Clusters": 8 are
// portable, 16 are what an H100 takes).
const maxCluster = 16

// cluster is a cluster and its barrier (barrier.cluster). A warp arrives there, and waits later.
type cluster struct {
	blocks   []*TB // by rank
	phase    uint32
	arrivals int    // of warps, in this phase
	ended    uint64 // cycle in which the last phase ended
}

// cluster is the size of the clusters of a launch, and whether the program or the launch gives it.
func (p *Program) cluster(cfg *LaunchConfig) (c workload.Dim3, explicit bool, problem string) {
	k := p.kernel
	none := workload.Dim3{}
	c, explicit = cfg.Cluster, true
	switch {
	case cfg.Cluster == none && k.Cluster == none:
		c, explicit = workload.Dim3{X: 1, Y: 1, Z: 1}, false
		if k.ExplicitCluster {
			return c, explicit, "it has no size of clusters; valid with .explicitcluster is a size that the launch gives"
		}
	case cfg.Cluster == none:
		c = k.Cluster
	case k.Cluster != none && k.Cluster != cfg.Cluster:
		return c, explicit, fmt.Sprintf("clusters of %v; valid are %v, the .reqnctapercluster", cfg.Cluster, k.Cluster)
	}
	most := maxCluster
	if k.MaxCluster > 0 {
		most = min(most, k.MaxCluster)
	}
	if n := c.Count(); min(c.X, c.Y, c.Z) < 1 || n > most {
		problem = fmt.Sprintf("clusters of %v; valid are 1 to %d thread blocks", c, most)
	} else if g := cfg.Grid; g.X%c.X != 0 || g.Y%c.Y != 0 || g.Z%c.Z != 0 {
		problem = fmt.Sprintf("grid is %v with clusters of %v; valid are multiples", g, c)
	}
	return c, explicit, problem
}

// ClustersFit reports whether a launch of the program can have its clusters.
func (p *Program) ClustersFit(cfg *LaunchConfig) bool {
	_, _, problem := p.cluster(cfg)
	return problem == ""
}

// ClusterTBs is the number of thread blocks of a cluster of a launch of the program.
func (p *Program) ClusterTBs(cfg *LaunchConfig) int {
	for _, size := range []workload.Dim3{cfg.Cluster, p.kernel.Cluster} {
		if size != (workload.Dim3{}) {
			return size.Count()
		}
	}
	return 1
}

// ClusterTBs is the number of thread blocks of a cluster of a launch that has been bound.
func (cfg *LaunchConfig) ClusterTBs() int { return cfg.bound.cluster.Count() }

// Member is the number in the grid of a thread block of a launch that has been bound, by the number of its cluster, x
// fastest, and its rank there.
func (cfg *LaunchConfig) Member(cluster, rank int) int {
	g, c := cfg.bound.grid, cfg.bound.cluster
	at := placeIn(workload.Dim3{X: g.X / c.X, Y: g.Y / c.Y, Z: g.Z / c.Z}, cluster)
	in := placeIn(c, rank)
	return at.X*c.X + in.X + g.X*(at.Y*c.Y+in.Y+g.Y*(at.Z*c.Z+in.Z))
}

// Join makes thread blocks a cluster, by rank, before the first instruction of any. They must be the cluster of
// their launch. Without it a thread block is in a cluster on its own.
func Join(blocks []*TB) {
	c := &cluster{blocks: slices.Clone(blocks)}
	for rank, tb := range blocks {
		if tb.launch != nil {
			tb.cluster, tb.rank = c, rank
		}
	}
}

// leave puts the thread block into a cluster on its own.
func (tb *TB) leave() {
	tb.own = cluster{blocks: tb.own.blocks}
	tb.cluster, tb.rank, tb.arrived, tb.late = &tb.own, 0, 0, tb.late[:0]
}

// clustered reports whether other thread blocks can reach the shared memory.
func (tb *TB) clustered() bool { return tb.launch.cluster.Count() > 1 }

// now is the cycle; timed is false if the thread block has no clock, and what is told arrives at once.
func (tb *TB) now() (cycle uint64, timed bool) {
	if tb.clock == nil {
		return 0, false
	}
	cycle, _ = tb.clock.Now()
	return cycle, true
}

// mapped is the thread block that an address of .shared::cluster names, nil if it names none.
func (tb *TB) mapped(addr uint64) *TB {
	if rank := addr>>mappedShift - 1; rank < uint64(len(tb.cluster.blocks)) {
		return tb.cluster.blocks[rank]
	}
	return nil
}

// elsewhere is the other thread block that an address names, nil if it is in this one's shared memory.
func (w *Warp) elsewhere(addr uint64) *TB {
	if there := w.tb.mapped(addr); there != w.tb {
		return there
	}
	return nil
}

// addressIn is the address of a place in shared memory in the thread block with a rank.
func (tb *TB) addressIn(rank int, addr uint64) uint64 {
	offset := addr & mappedOffset
	if len(tb.cluster.blocks) == 1 {
		return offset
	}
	return uint64(rank+1)<<mappedShift | offset
}

// clusterSpecial is what a special register of clusters reads.
func (tb *TB) clusterSpecial(s ptx.SpecialRegister) uint64 {
	c, g, at := tb.launch.cluster, tb.launch.grid, tb.position
	in := workload.Dim3{X: at.X % c.X, Y: at.Y % c.Y, Z: at.Z % c.Z}
	return uint64([...]int{ptx.ClusteridX: at.X / c.X, ptx.ClusteridY: at.Y / c.Y, ptx.ClusteridZ: at.Z / c.Z,
		ptx.NclusteridX: g.X / c.X, ptx.NclusteridY: g.Y / c.Y, ptx.NclusteridZ: g.Z / c.Z,
		ptx.ClusterCtaidX: in.X, ptx.ClusterCtaidY: in.Y, ptx.ClusterCtaidZ: in.Z,
		ptx.ClusterNctaidX: c.X, ptx.ClusterNctaidY: c.Y, ptx.ClusterNctaidZ: c.Z,
		ptx.ClusterCtarank: in.X + c.X*(in.Y+c.Y*in.Z), ptx.ClusterNctarank: c.Count()}[s])
}

// runIsExplicit is a mov of %is_explicit_cluster.
func runIsExplicit(w *Warp, o *op) { w.setPred(o.pdst, uint32(-bit(w.launch.explicit))) }

// runElect elects the lowest of the lanes that are named.
func runElect(w *Warp, o *op) {
	w.byMask(o, o.a, func(w *Warp, o *op, members uint32) {
		leader := bits.TrailingZeros32(members)
		w.spread(o.dst, uint64(leader))
		w.setPred(o.pdst, members&-members)
	})
}

// windowOf is what an address of an instruction without a space has above the offset in the space.
func windowOf(in *ptx.Inst) uint64 {
	if in.Space == ptx.Shared {
		return 0
	}
	return sharedWindow
}

// buildMapa builds the address of a variable in a thread block of the cluster.
func buildMapa(b *builder) {
	window := windowOf(b.in)
	b.o.run = func(w *Warp, o *op) {
		addrs, ranks, d := *w.src(o.a), w.src(o.b), &w.regs[o.dst]
		for m := w.active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & (lanes - 1)
			if n := len(w.tb.cluster.blocks); ranks[i]&0xffffffff >= uint64(n) {
				w.fail(o, LaunchFailure, i, fmt.Sprintf("thread block %d of the cluster; valid are ranks below %d", uint32(ranks[i]), n))
				return
			}
			d[i] = window + w.tb.addressIn(int(ranks[i]&0xffffffff), addrs[i]-window)
		}
	}
}

// buildRank builds the rank of the thread block that an address is in.
func buildRank(b *builder) {
	window := windowOf(b.in)
	b.o.run = func(w *Warp, o *op) {
		addrs, d := w.src(o.a), &w.regs[o.dst]
		for m := w.active; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & (lanes - 1)
			there := w.tb
			if addr := addrs[i] - window; addr > mappedOffset {
				if there = w.tb.mapped(addr); there == nil {
					w.fail(o, LaunchFailure, i, fmt.Sprintf("address %#x is not in the shared memory of the cluster", addrs[i]))
					return
				}
			}
			d[i] = uint64(there.rank)
		}
	}
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
	tb := w.tb
	bit := uint64(1) << w.index
	w.barrier = Result{Active: w.active}
	if tb.arrived&bit != 0 {
		w.fail(o, LaunchFailure, bits.TrailingZeros32(w.active), "the warp has arrived and not waited; valid is a wait in between")
		return
	}
	tb.arrived |= bit
	tb.cluster.arrivals++
	w.clusterPhase = tb.cluster.phase
	tb.endClusterPhase()
}

// endClusterPhase ends the phase of the cluster's barrier if all warps that have not ended have arrived.
func (tb *TB) endClusterPhase() {
	c := tb.cluster
	if !c.complete() {
		return
	}
	for _, b := range c.blocks {
		b.arrived = 0
	}
	c.arrivals = 0
	c.phase++
	c.ended, _ = tb.now()
}

// complete reports whether all warps that have not ended have arrived, and some have.
func (c *cluster) complete() bool {
	if c.arrivals == 0 {
		return false
	}
	for _, b := range c.blocks {
		for i, w := range b.Warps {
			if w.alive != 0 && b.arrived>>i&1 == 0 {
				return false
			}
		}
	}
	return true
}

// gone notes that all lanes of the warp have exited: the cluster's barrier does not wait for it.
func (w *Warp) gone() {
	if w.tb != nil && w.tb.cluster != nil && w.tb.cluster.arrivals > 0 {
		w.tb.endClusterPhase()
	}
}

// holdsInCluster reports whether the cluster's barrier holds a warp that waits there.
func (w *Warp) holdsInCluster() bool {
	c := w.tb.cluster
	if c.phase == w.clusterPhase {
		return true
	}
	now, timed := w.tb.now()
	return timed && len(c.blocks) > 1 && now < c.ended+w.launch.lag
}

// Held reports whether the cluster's barrier holds the warp, in the present cycle of its thread block's clock.
func (w *Warp) Held() bool { return w.holdsInCluster() }

// Told reports whether there is something that other thread blocks of the cluster have told this one's mbarriers and
// that can be seen by now.
func (w *Warp) Told() bool {
	now, _ := w.tb.now()
	return len(w.tb.late) > 0 && w.tb.late[0].visible <= now
}

// Remote reports whether an access is to the shared memory of another thread block.
func (w *Warp) Remote(a *Access, active uint32) bool {
	if a.Space != ptx.Shared || active == 0 {
		return false
	}
	addr := a.Base
	if a.Lanes != nil {
		addr = a.Lanes[bits.TrailingZeros32(active)]
	}
	return w.elsewhere(addr) != nil
}

// runClusterWait executes the wait again until the phase has ended in which the warp arrived.
func runClusterWait(w *Warp, o *op) {
	w.barrier = Result{Active: w.active}
	if w.holdsInCluster() {
		w.pc--
		w.barrier.Retries = true
	}
}

// receivers are the ranks of the thread blocks that a multicast copy goes to; nil after a fault.
func (w *Warp) receivers(o *op, i int, mask uint64) (ranks []int) {
	n := len(w.tb.cluster.blocks)
	mask &= 0xffff
	if mask == 0 || mask>>n != 0 {
		w.fail(o, LaunchFailure, i, fmt.Sprintf("thread blocks %#x of the cluster; valid are masks of 1 to %#x, as it has %s", mask, 1<<n-1, workload.Count(n, "thread block")))
		return nil
	}
	for ; mask != 0; mask &= mask - 1 {
		ranks = append(ranks, bits.TrailingZeros64(mask))
	}
	return ranks
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
