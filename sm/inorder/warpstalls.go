package inorder

import (
	"math/bits"

	"cotenant/tenant"
)

// WarpStalls counts a tenant's warps in each cycle by what keeps them from issuing. Every warp
// counts for itself (CCBP 7.2), where a scheduler's cycle is charged to one cause.
type WarpStalls struct {
	Warps  uint64 // with instructions left, issuing warps included
	Memory uint64 // of them, those with a register that waits for a result from beyond the L1
	LSU    uint64 // of them, those with a ready instruction for a load-store unit that is full
}

// warpStalls are the counts of all tenants up to a cycle, and those of that cycle. The signals of
// an SM that sleeps do not change, so the counts of its last cycle hold for every cycle of
// its sleep.
type warpStalls struct {
	now, sum [tenant.Max]WarpStalls
	at       uint64
}

// CountWarpStalls begins to count them.
func (p *Pipeline) CountWarpStalls() { p.stalls = &warpStalls{at: p.Cycle} }

// WarpStallsOf are a tenant's from CountWarpStalls to a cycle, which is not over.
func (p *Pipeline) WarpStallsOf(t tenant.ID, cycle uint64) WarpStalls {
	w := p.stalls
	sum, n := w.sum[t], cycle-w.at
	sum.Warps, sum.Memory, sum.LSU = sum.Warps+n*w.now[t].Warps, sum.Memory+n*w.now[t].Memory, sum.LSU+n*w.now[t].LSU
	return sum
}

// countWarps counts a cycle before its schedulers issue.
func (p *Pipeline) countWarps(cycle uint64) {
	w := p.stalls
	for t := range w.sum {
		w.sum[t] = p.WarpStallsOf(tenant.ID(t), cycle)
	}
	w.now, w.at = [tenant.Max]WarpStalls{}, cycle
	for i := range p.Schedulers {
		s := &p.Schedulers[i]
		full := p.lsuFull(s) & s.Signals.Ready()
		for live := s.Signals.Live; live != 0; live &= live - 1 {
			n := &w.now[p.Warps[s.First+bits.TrailingZeros64(live)].Account.Tenant()]
			bit := live & -live
			n.Warps++
			switch {
			case s.Signals.Long&bit != 0:
				n.Memory++
			case full&bit != 0:
				n.LSU++
			}
		}
	}
}
