package exec

import (
	"math"

	"cotenant/workload/ptx"
)

// neighbours are the two texels along an axis with a coordinate between their
// centres, and their shares of the result.
type neighbours struct {
	at     [2]int
	inside [2]bool
	shares [2]float64
}

// weightSteps is how finely weights are told apart: they have 8 bits behind the
// point (CUDA C++ Programming Guide, Texture Fetching, Linear Filtering).
const weightSteps = 256

// between finds the neighbours of a coordinate along an axis of n texels.
func (t *boundTexture) between(c float64, n int) (b neighbours) {
	if c = t.scaled(c, n); c != c {
		return b // inside nowhere
	}
	c = min(max(c, -1), float64(n)+1) - 0.5 // beyond it is all the same
	first := math.Floor(c)
	weight := math.Round((c-first)*weightSteps) / weightSteps
	b.shares = [2]float64{1 - weight, weight}
	for k := range b.at {
		at := int(first) + k
		b.inside[k] = true
		switch {
		case t.Mode == Clamp, t.Mode == Mirror: // its image begins with the last texel
			at = min(max(at, 0), n-1)
		case t.Mode == Wrap:
			at = (at + n) % n
		default:
			b.inside[k] = at >= 0 && at < n
		}
		b.at[k] = at
	}
	return b
}

// fetchLinear gives a lane the weighted mean of the texels around its
// coordinates. For the timing model it accesses the first of them. It reports
// false after a fault.
func (t *boundTexture) fetchLinear(w *Warp, o *op, lane int, x, y, z uint64) bool {
	if ptx.Type(o.mode) != ptx.F32 {
		w.fail(o, LaunchFailure, lane, "a result that is no .f32 of a texture with a linear filter; valid: .f32, or the filter point")
		return false
	}
	column := t.between(value32(x, false), t.Width)
	row := neighbours{inside: [2]bool{true}, shares: [2]float64{1}} // of one dimension
	if o.imm >= 2 {
		row = t.between(value32(y, false), t.Height)
	}
	plane := neighbours{inside: [2]bool{true}, shares: [2]float64{1}}
	switch o.accept {
	case hasLayers, hasFaces:
		plane.at[0], _ = t.plane(z, o)
	case hasDepth:
		plane = t.between(value32(z, false), t.Depth)
	}
	w.addrs[lane] = t.Addr
	var sums [4]float64
	first := true
	for p, share := range plane.shares {
		if plane.inside[p] && share > 0 {
			t.weigh(w, lane, plane.at[p]*t.PlanePitch, share, &row, &column, &sums, &first)
		}
	}
	for k, d := range o.list {
		if d != unwanted {
			w.regs[d][lane] = uint64(math.Float32bits(float32(sums[k])))
		}
	}
	return true
}

// weigh adds the texels of a plane, by their shares and the plane's.
func (t *boundTexture) weigh(w *Warp, lane, plane int, part float64, row, column *neighbours, sums *[4]float64, first *bool) {
	for r := range row.at {
		for c := range column.at {
			if !row.inside[r] || !column.inside[c] {
				continue
			}
			off := row.at[r]*t.Pitch + column.at[c]*t.texel
			if *first {
				w.addrs[lane] = t.Addr + uint64(plane) + t.place(column.at[c], row.at[r], off)
				*first = false
			}
			share := part * row.shares[r] * column.shares[c]
			if share == 0 { // of what may be no number
				continue
			}
			for k := range t.Channels {
				v := channel(t.Type, ptx.F32, get(t.data[plane+off+k*t.size:], uint8(t.size)))
				sums[k] += share * value32(v, false)
			}
		}
	}
}
