package profile

import (
	"math/bits"

	"cotenant/workload"
)

var patternNames = [...]string{"stream", "strided", "random"}

// access is a compiled Access. The patterns stream and strided walk in places:
// the room of one access, were it aligned.
type access struct {
	base      uint64
	owner     slot   // it follows the owner's array and walks
	lines     uint64 // whole part of the mean
	extra     chance // of one line more
	scattered bool   // pattern random
	width     uint8
	stride    int32  // bytes between lanes
	misalign  uint64 // bytes that make an access touch one line more
	array     region
	hot       region // what all TBs share
	// Walker number id goes to place id*apart + k*step at its k-th access. A TB
	// has walkersPerTB: its warps and, if they share anything, one more.
	walkersPerTB, apart, step uint64
	// Probabilities of reuse, cumulative in this order.
	warpReuse, tbReuse, gridReuse chance
	windows                       [numWalks]uint64
}

// region is a size in lines and in places.
type region struct{ lines, places uint64 }

// Two sequences of places are walked: each warp's own, and the sequence that the
// warps of a TB share.
const (
	own = iota
	shared
	numWalks
)

func newAccess(a *Access, owner slot, base uint64, p *program) access {
	lines := uint64(a.Lines)
	extra := chanceOf(a.Lines - float64(lines))
	c := access{
		base: base, owner: owner, lines: lines, extra: extra, scattered: a.Pattern == "random",
		width: 4, stride: int32(4 * lines),
		// Half a line; with wide strides, what still moves the last lane
		// into the next line.
		misalign:  max(lineBytes/2, 4*lines),
		warpReuse: chanceOf(a.WarpReuse),
		tbReuse:   chanceOf(a.WarpReuse + a.TBReuse),
		gridReuse: chanceOf(a.WarpReuse + a.TBReuse + a.GridReuse),
		windows:   [numWalks]uint64{own: uint64(a.WarpWindow), shared: uint64(a.TBWindow)},
	}
	c.array = c.region(uint64(a.Footprint) / lineBytes)
	c.hot = c.region(min(uint64(a.GridSet)/lineBytes, c.array.lines))
	c.walkersPerTB = uint64(p.warps)
	if a.TBReuse > 0 {
		c.walkersPerTB++
	}
	walkers := uint64(p.tbs) * c.walkersPerTB
	c.apart, c.step = 1, walkers
	if a.Pattern == "strided" {
		c.apart, c.step = max(1, c.array.places/walkers), 1
	}
	if a.Pattern == "stream" {
		// Elements fill the stride as far as their alignment allows.
		c.width = uint8(min(16, 4<<bits.TrailingZeros64(lines)))
	}
	return c
}

// region leaves room behind the last place for a misaligned access.
func (a *access) region(lines uint64) region {
	room := lines
	if a.extra > 0 {
		room--
	}
	return region{lines, room / a.lines}
}

// global gives inst, an access to global memory, its addresses.
func (w *warp) global(inst *workload.Inst, a *access) {
	r := w.draw.next()
	walked := &w.walked[a.owner]
	which, index, k := own, w.index, walked[own]
	switch {
	case !a.gridReuse.hit(r) || k == 0 && a.warpReuse.hit(r):
		walked[own]++
	case a.warpReuse.hit(r):
		k -= 1 + scale(r, min(k, a.windows[own]))
	case a.tbReuse.hit(r):
		which, index, k = shared, uint64(w.program.warps), walked[shared]
		walked[shared]++
		k -= scale(r, min(k+1, a.windows[shared]))
	default:
		key := w.draw.next()
		w.put(inst, a, a.hot.lines, scale(key, a.hot.places), key)
		return
	}
	place := ((w.tb*a.walkersPerTB+index)*a.apart + k*a.step) % a.array.places
	// The same place gets the same shape each time it is visited.
	w.put(inst, a, a.array.lines, place, mix(w.keys[which]+uint64(a.owner)<<56+k*golden))
}

// put addresses an access at a place, or for scattered ones at lines among the
// first of the array that key leads to.
func (w *warp) put(inst *workload.Inst, a *access, lines, place, key uint64) {
	more := a.extra.hit(key)
	if a.scattered {
		if a.lines > 1 || more {
			w.scatter(inst, a, lines, more, key)
			return
		}
		place, more = scale(key, lines), false
	}
	inst.Base = a.base + place*a.lines*lineBytes
	if more {
		inst.Base += a.misalign
	}
	inst.Stride = a.stride
	inst.Base += uint64(a.stride) * uint64(bits.TrailingZeros32(inst.Active))
}

// scatter spreads the lanes evenly over lines drawn one by one.
func (w *warp) scatter(inst *workload.Inst, a *access, lines uint64, more bool, key uint64) {
	n := a.lines
	if more {
		n++
	}
	draw := random(key)
	lane := uint64(0)
	for i := range n {
		line := a.base + scale(draw.next(), lines)*lineBytes
		for end := (i + 1) * workload.WarpSize / n; lane < end; lane++ {
			w.lanes[lane] = line + 4*lane
		}
	}
	inst.Lanes = &w.lanes
}

// sharedAccess is a compiled Phase.SharedConflict.
type sharedAccess struct {
	stride [2]int32  // bytes between lanes
	words  [2]uint64 // where lane 0 can start
	wider  chance    // of the second
}

// newSharedAccess mixes two strides that are powers of two: a stride of n words
// puts n lanes on each bank it uses.
func newSharedAccess(conflict float64, bytes int) sharedAccess {
	high := ceilPower(conflict)
	low := max(1, high/2)
	if float64(high) == conflict {
		low = high
	}
	s := sharedAccess{}
	if low < high {
		s.wider = chanceOf((conflict - float64(low)) / float64(high-low))
	}
	for i, degree := range [2]int{low, high} {
		if bytes >= lineBytes*degree {
			s.stride[i] = int32(4 * degree)
			s.words[i] = uint64(bytes-lineBytes*degree)/4 + 1
		} else {
			// All lanes read one word where there are not words enough for
			// each; the SM's banks broadcast it.
			s.words[i] = max(1, uint64(bytes)/4)
		}
	}
	return s
}

// address gives inst, an access to shared memory, its addresses.
func (s *sharedAccess) address(inst *workload.Inst, r uint64) {
	i := 0
	if s.wider.hit(r) {
		i = 1
	}
	inst.Stride = s.stride[i]
	inst.Base = 4*scale(r, s.words[i]) + uint64(s.stride[i])*uint64(bits.TrailingZeros32(inst.Active))
}
