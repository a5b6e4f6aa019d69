package exec

import (
	"fmt"

	"cotenant/workload"
	"cotenant/workload/ptx"
)

// fail stops the warp with an error at an instruction for one lane. The first
// error stays.
func (w *Warp) fail(o *op, lane int, what string) {
	if w.fault != nil {
		return
	}
	w.fault = workload.Errorf(o.fn.File, o.inst.Line, "%s in kernel %s, thread %v of thread block %v: %s",
		o.inst.Opcode(), w.program.kernel.Name, w.thread(lane), w.tb.position, what)
}

func (w *Warp) failAccess(o *op, lane int, addr uint64, what string) {
	w.fail(o, lane, fmt.Sprintf("address %#x in .%v %s", addr, w.space, what))
}

// failOutside reports an access behind the end of a space of size bytes, or
// outside the arrays in global memory.
func (w *Warp) failOutside(o *op, lane int, space ptx.Space, addr, size uint64) {
	if space == ptx.Global || space == ptx.Const || space == ptx.Generic {
		w.failAccess(o, lane, addr, "is "+w.memory.describe(addr))
		return
	}
	w.failAccess(o, lane, addr, fmt.Sprintf("is past the end; valid are the %d bytes from 0", size))
}

func (w *Warp) failIndex(o *op, lane int, index uint32) {
	w.fail(o, lane, fmt.Sprintf("index %d; valid are 0 to %d", index, len(o.list)-1))
}

func (w *Warp) failBarrier(o *op, lane int, id uint32) {
	w.fail(o, lane, fmt.Sprintf("barrier %d; valid are 0 to %d", id, barriers-1))
}
