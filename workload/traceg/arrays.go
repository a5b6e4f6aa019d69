package traceg

import (
	"cmp"
	"fmt"
	"slices"

	"cotenant/workload"
)

// copied lists the regions that a trace's copies tell of, by address. What was
// copied to the device before it was copied back is Uploaded; what was copied
// back first, Untouched. Copies that overlap are of one region, which the first
// of them names. Of arrays that the list does not copy a trace says nothing, and
// a copy may be of a part of one.
func copied(ops []workload.Op) []workload.Array {
	type region struct {
		addr, end uint64
		first     int // the copy that names it
		toHost    bool
	}
	var all []region
	for i := range ops {
		if op := &ops[i]; op.Bytes > 0 && op.Addr+op.Bytes >= op.Addr {
			all = append(all, region{op.Addr, op.Addr + op.Bytes, len(all) + 1, op.ToHost})
		}
	}
	slices.SortFunc(all, func(a, b region) int { return cmp.Compare(a.addr, b.addr) })
	regions := all[:0]
	for _, r := range all {
		if len(regions) == 0 || r.addr >= regions[len(regions)-1].end {
			regions = append(regions, r)
			continue
		}
		last := &regions[len(regions)-1]
		last.end = max(last.end, r.end)
		if r.first < last.first {
			last.first, last.toHost = r.first, r.toHost
		}
	}
	var list []workload.Array
	for _, r := range regions {
		a := workload.Array{Name: fmt.Sprintf("copy %d", r.first), Addr: r.addr, Bytes: r.end - r.addr, Origin: workload.Uploaded}
		if r.toHost {
			a.Origin = workload.Untouched
		}
		list = append(list, a)
	}
	return list
}
