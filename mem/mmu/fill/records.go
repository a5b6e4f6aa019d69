package fill

import (
	"cmp"
	"slices"
)

// records lists the regions under service, by ascending address. It grows with the faults
// that the CPU has not come to.
type records []Fault

// find is where a region's record is, or would be.
func (r records) find(region uint64) (i int, ok bool) {
	return slices.BinarySearchFunc(r, region, func(f Fault, region uint64) int { return cmp.Compare(f.Region, region) })
}
