package l1

import (
	"math/bits"

	"cotenant/protocol"
)

// Banks describes the L1's banks: how many there are, and how many consecutive bytes lie
// in one. In one cycle each serves one access.
type Banks struct{ Count, Bytes int }

// Of is the mask of banks that an access needs for the sectors that it touches. The
// tenant's bits of the address take no part.
func (b Banks) Of(a *Access) (mask uint32) {
	first := uint32(a.Line / protocol.SectorBytes)
	wide := uint32(b.Bytes / protocol.SectorBytes)
	for m := a.Sectors; m != 0; m &= m - 1 {
		mask |= 1 << ((first + uint32(bits.TrailingZeros8(m))) / wide % uint32(b.Count))
	}
	return mask
}
