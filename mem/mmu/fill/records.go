package fill

import (
	"cmp"
	"slices"
)

// records are the regions that are being served, by ascending address. There are
// as many as walks have found and the CPU has not come to.
type records []Fault

// find is where a region's record is, or would be.
func (r records) find(region uint64) (i int, ok bool) {
	return slices.BinarySearchFunc(r, region, func(f Fault, region uint64) int { return cmp.Compare(f.Region, region) })
}
