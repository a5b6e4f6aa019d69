package traceg

import (
	"fmt"

	"cotenant/workload"
)

// copied lists the regions that a trace's copies tell of, by address. What was
// copied to the device before it was copied back is Uploaded; what was copied
// back first, Untouched. Copies that overlap are of one region, which the first
// of them names. Of arrays that the list does not copy a trace says nothing, and
// a copy may be of a part of one.
func copied(ops []workload.Op) []workload.Array {
	var all []workload.Array
	at := map[string]int{} // of the copy that names a region
	for i := range ops {
		op := &ops[i]
		if op.Bytes == 0 || op.Addr+op.Bytes < op.Addr {
			continue
		}
		a := workload.Array{Name: fmt.Sprintf("copy %d", len(all)+1), Addr: op.Addr, Bytes: op.Bytes, Origin: workload.Uploaded}
		if op.ToHost {
			a.Origin = workload.Untouched
		}
		at[a.Name] = len(all)
		all = append(all, a)
	}
	workload.SortArrays(all)
	var list []workload.Array
	for _, a := range all {
		if len(list) == 0 || a.Addr >= list[len(list)-1].End() {
			list = append(list, a)
			continue
		}
		last := &list[len(list)-1]
		last.Bytes = max(last.End(), a.End()) - last.Addr
		if at[a.Name] < at[last.Name] {
			last.Name, last.Origin = a.Name, a.Origin
		}
	}
	return list
}
