package ccbp

import (
	"math"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy/deal"
	"cotenant/cta_dispatcher/policy/drf"
)

// Kernel is Algorithm 1's view of a kernel.
type Kernel struct {
	Kind   Kind
	Demand occupancy.Demand // of a CTA
	// NoC and DRAM are nbw and dbw: by number of CTAs on each SM, from 0, the units
	// that they use. Both end with the most CTAs that the kernel can have.
	NoC, DRAM []float64
}

// Grant is a kernel's part of each SM.
type Grant struct {
	CTAs      int
	NoC, DRAM float64 // units
	// Dominant is the share of the dominant resource, times the priority.
	Dominant float64
}

// Pass is one turn of Algorithm 1's loop, for transcripts.
type Pass struct {
	Kernel  int   // that was chosen
	Asked   Grant // tentatively, without its share
	Granted bool
	Clipped bool   // it has less bandwidth than it asked for
	Refused string // why not, if it was not
}

// slack bounds the rounding error of a sum of units, 20 at most.
const slack = 1e-9

// Rule says how Algorithm 1 deals.
type Rule struct {
	// Most is the number of units of each bandwidth to give; shares are parts of Whole.
	Whole, Most float64
	Prior       float64 // priorLSK
	// End: the first refusal ends the allocation (text of 5.2). Otherwise the refused kernel is
	// out, and the other kernels go on (the listing, line 28).
	End bool
}

// Allocate is Algorithm 1 (CCBP 5.2) for one SM, as all SMs are equal. kernels are in order of
// arrival. Allocate fills grants. pass, unless nil, receives each turn.
//
// Where the listing leaves a choice: among equal shares a sensitive kernel goes first, then
// the first to arrive. A sensitive kernel is refused for static resources alone; if bandwidth
// is short, both its bandwidths shrink by one factor, as one issue rate drives both (Table 3,
// iteration 16). If a CTA of each kernel fits, one is set aside for each kernel without any; a
// kernel with a refused first unit keeps this CTA without a unit.
func Allocate(c *occupancy.Capacity, kernels []Kernel, r Rule, grants []Grant, pass func(Pass)) {
	a := allocation{capacity: c, kernels: kernels, grants: grants, most: r.Most}
	clear(grants)
	a.keep = a.fits(-1, 0, 1)
	limit := drf.Limits(c)
	limit.TBs = 0 // 5.5 lists registers, shared memory and threads
	out := make([]bool, len(kernels))
	over := false
	for k := a.lowest(out); k >= 0 && !over; k = a.lowest(out) {
		g, why := a.try(k)
		p := Pass{Kernel: k, Asked: g, Granted: why == "", Refused: why}
		if !p.Granted {
			out[k], over = true, r.End
		} else {
			share := a.share(k, g)
			p.Clipped = share < 1
			g.NoC, g.DRAM = g.NoC*share, g.DRAM*share
			switch kernels[k].Kind {
			case NoCBound:
				g.Dominant = g.NoC / r.Whole
			case DRAMBound:
				g.Dominant = g.DRAM / r.Whole
			default:
				g.Dominant = drf.Share(kernels[k].Demand.Times(g.CTAs), limit) * r.Prior
			}
			grants[k] = g
		}
		if pass != nil {
			pass(p)
		}
	}
	for k := range grants {
		if grants[k].CTAs == 0 && a.keep {
			grants[k].CTAs = 1
		}
	}
}

type allocation struct {
	capacity *occupancy.Capacity
	kernels  []Kernel
	grants   []Grant
	most     float64
	keep     bool // a CTA is set aside for each kernel without any
}

// lowest returns the kernel with the lowest share that is not out, -1 if all are. Shares are
// quotients and products of small numbers, so differences by rounding count as equal.
func (a *allocation) lowest(out []bool) int {
	best := -1
	for k := range a.kernels {
		if out[k] {
			continue
		}
		if best < 0 {
			best = k
			continue
		}
		mine, its := math.Round(a.grants[k].Dominant/slack), math.Round(a.grants[best].Dominant/slack)
		first := a.kernels[k].Kind == Sensitive && a.kernels[best].Kind != Sensitive
		if mine < its || mine == its && first {
			best = k
		}
	}
	return best
}

// try returns a kernel's next grant, and the reason for a refusal.
func (a *allocation) try(k int) (g Grant, why string) {
	t := &a.kernels[k]
	g = a.grants[k]
	g.Dominant = 0
	switch t.Kind {
	case NoCBound:
		g.CTAs, g.NoC, g.DRAM = next(t.NoC, t.DRAM, g.CTAs, g.NoC)
	case DRAMBound:
		g.CTAs, g.DRAM, g.NoC = next(t.DRAM, t.NoC, g.CTAs, g.DRAM)
	default:
		if g.CTAs++; g.CTAs < len(t.NoC) {
			g.NoC, g.DRAM = t.NoC[g.CTAs], t.DRAM[g.CTAs]
		}
	}
	keep := 0
	if a.keep {
		keep = 1
	}
	switch {
	case g.CTAs >= len(t.NoC):
		return g, "the kernel's most CTAs"
	case !a.fits(k, g.CTAs, keep):
		return g, "static resources"
	case t.Kind == Sensitive || a.share(k, g) == 1:
		return g, ""
	case g.NoC > a.left(k, false)+slack:
		return g, "NoC"
	}
	return g, "DRAM"
}

// next adds a unit of a bandwidth-intensive kernel's own resource, with another CTA if the
// present CTAs use less (lines 9 to 21), and the other resource in proportion.
func next(own, other []float64, ctas int, has float64) (more int, mine, its float64) {
	mine = has + 1
	if own[ctas] < mine-slack {
		ctas++
	}
	if ctas < len(own) && own[ctas] > 0 {
		its = other[ctas] * mine / own[ctas]
	}
	return ctas, mine, its
}

// share is the part of a kernel's request that the other kernels leave of both bandwidths, 1
// at most.
func (a *allocation) share(k int, g Grant) float64 {
	share := 1.0
	for _, r := range [...]struct{ asked, left float64 }{{g.NoC, a.left(k, false)}, {g.DRAM, a.left(k, true)}} {
		if r.asked > r.left+slack {
			share = min(share, r.left/r.asked)
		}
	}
	return share
}

// left is the part of a bandwidth that the other kernels leave.
func (a *allocation) left(k int, dram bool) float64 {
	left := a.most
	for o := range a.grants {
		switch {
		case o == k:
		case dram:
			left -= a.grants[o].DRAM
		default:
			left -= a.grants[o].NoC
		}
	}
	return max(left, 0)
}

// fits reports whether an SM holds all CTAs, with ctas for kernel k, and at least some for
// each other kernel.
func (a *allocation) fits(k, ctas, least int) bool {
	var u occupancy.Usage
	for o := range a.kernels {
		n := max(a.grants[o].CTAs, least)
		if o == k {
			n = ctas
		}
		if !deal.Room(a.capacity, &u, a.kernels[o].Demand, n) {
			return false
		}
	}
	return true
}
