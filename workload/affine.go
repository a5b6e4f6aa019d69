package workload

import (
	"math"
	"math/bits"
)

// Affine finds out whether the addresses of active lanes, of which there is at
// least one, are base + stride*(lane - lowest active lane), as in an Inst
// without Lanes. base is right in any case.
func Affine(lanes *[WarpSize]uint64, active uint32) (base uint64, stride int32, ok bool) {
	low := bits.TrailingZeros32(active)
	base = lanes[low&(WarpSize-1)]
	rest := active & (active - 1)
	if rest == 0 {
		return base, 0, true
	}
	second := bits.TrailingZeros32(rest)
	step := int64(lanes[second&(WarpSize-1)]-base) / int64(second-low)
	if step < math.MinInt32 || step > math.MaxInt32 {
		return base, 0, false
	}
	if active == ^uint32(0) {
		for i := 1; i < WarpSize; i++ {
			if lanes[i]-lanes[i-1] != uint64(step) {
				return base, 0, false
			}
		}
		return base, int32(step), true
	}
	for ; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if lanes[lane&(WarpSize-1)] != base+uint64(step)*uint64(lane-low) {
			return base, 0, false
		}
	}
	return base, int32(step), true
}
