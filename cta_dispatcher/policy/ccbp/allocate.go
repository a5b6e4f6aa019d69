package ccbp

import (
	"math"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy/deal"
	"cotenant/cta_dispatcher/policy/drf"
)

// Kernel is what Algorithm 1 knows of one.
type Kernel struct {
	Kind   Kind
	Demand occupancy.Demand // of a CTA
	// NoC and DRAM are nbw and dbw: by number of CTAs on each SM, from 0, the units
	// that they use. Both end with the most CTAs that the kernel can have.
	NoC, DRAM []float64
}

// Grant is what a kernel has on each SM.
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

// slack is how much rounding may add to a sum of units, of which there are 20.
const slack = 1e-9

// Allocate is Algorithm 1 (CCBP 5.2), for one SM, as all have the same. kernels are in
// order of arrival, at most is how many units of each bandwidth there are to give of
// the whole that shares are of, and prior is priorLSK. grants is filled. pass, if it
// is not nil, is told of each turn.
//
// Where the listing leaves something open: of equal shares a sensitive kernel's goes
// first, then the one that arrived first. A sensitive kernel is refused for static
// resources alone; if bandwidth is short, both its bandwidths shrink by one factor, as
// one issue rate drives both (Table 3, iteration 16). A kernel that is refused is out,
// and the others go on. A CTA of each kernel that has none yet is set aside, if one of
// each fits; one whose first unit was refused has it without a unit.
func Allocate(c *occupancy.Capacity, kernels []Kernel, whole, most, prior float64, grants []Grant, pass func(Pass)) {
	a := allocation{capacity: c, kernels: kernels, grants: grants, most: most}
	clear(grants)
	a.keep = a.fits(-1, 0, 1)
	limit := drf.Limits(c)
	limit.TBs = 0 // 5.5 lists registers, shared memory and threads
	out := make([]bool, len(kernels))
	for k := a.lowest(out); k >= 0; k = a.lowest(out) {
		g, why := a.try(k)
		p := Pass{Kernel: k, Asked: g, Granted: why == "", Refused: why}
		if !p.Granted {
			out[k] = true
		} else {
			share := a.share(k, g)
			p.Clipped = share < 1
			g.NoC, g.DRAM = g.NoC*share, g.DRAM*share
			switch kernels[k].Kind {
			case NoCBound:
				g.Dominant = g.NoC / whole
			case DRAMBound:
				g.Dominant = g.DRAM / whole
			default:
				g.Dominant = drf.Share(kernels[k].Demand.Times(g.CTAs), limit) * prior
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
	keep     bool // a CTA is set aside for those that have none
}

// lowest is the kernel with the lowest share that is not out, -1 if all are. Shares
// are quotients and products of small numbers: what differs by rounding is equal.
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

// try is what a kernel would have next, and why it cannot.
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

// next is one more unit of a bandwidth-intensive kernel's own resource: a CTA more if
// those that it has use less (lines 9 to 21), and the other resource in proportion.
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

// share is the part of what a kernel asks for that others leave of both bandwidths, 1
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

// left is what the others leave of a bandwidth.
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

// fits reports whether an SM holds all CTAs, if a kernel has so many, and each of the
// others at least some.
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
