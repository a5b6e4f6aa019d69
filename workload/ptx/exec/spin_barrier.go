package exec

import (
	"encoding/binary"
	"fmt"

	"cotenant/workload"
)

// describeBarrier says which phase of which mbarrier a warp waits for: data are its bytes, at an address of the
// space of the last access.
func (w *Warp) describeBarrier(addr uint64, data []byte) string {
	b := mbarrier(binary.LittleEndian.Uint64(data))
	return fmt.Sprintf("the end of a phase of the mbarrier in %s, with %s and %s pending", w.program.sharedName(addr),
		workload.Count(b.pending(), "arrival"), workload.Count(int(b.bytes()), "byte"))
}

// sharedName names the variable of shared memory that an address lies in.
func (p *Program) sharedName(addr uint64) string {
	for v, at := range p.shared.offsets {
		if i := addr - uint64(at); addr >= uint64(at) && i < uint64(v.Bytes) {
			return fmt.Sprintf("%s (%s of shared memory; byte %d)", v.Name, workload.Count(v.Bytes, "byte"), i)
		}
	}
	if addr >= uint64(p.dynamic) {
		return fmt.Sprintf("dynamic shared memory (byte %d)", addr-uint64(p.dynamic))
	}
	return fmt.Sprintf("shared memory (byte %d)", addr)
}

// waitsForCluster tells barrier.cluster.wait.
func (o *op) waitsForCluster() bool {
	return o.inst.Op == "barrier" && o.inst.Has("cluster") && o.inst.Has("wait")
}
