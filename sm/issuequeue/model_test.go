package issuequeue

import (
	"math/rand"
	"slices"

	"cotenant/sm/warps"
	"cotenant/workload"
)

// record is an instruction in the plain model: what has happened to it, by cycle.
type record struct {
	inst                     workload.Inst
	kind                     Kind
	unit                     warps.Unit
	id                       ID
	from                     uint64 // first cycle of issue
	issued, checked, done    uint64 // 0: not yet; done: its execution has ended
	committed                bool
	plays, squashes          int
	replayed, faulty, drains bool
	joined                   bool   // was in the queue at the fault, and is in the replay queue
	logged                   bool   // its sources are in the log
	checkAt, doneAt          uint64 // ticks of what is due
	faults                   bool   // at its check
}

// one is a warp in the model, with all its instructions in program order.
type one struct {
	list     []*record
	faulted  bool
	quiet    bool
	resume   uint64
	commitAt uint64 // cycle of its last commit
}

// model is the window, written plainly: what may issue is found from the whole
// history.
type model struct {
	rules         Rules
	scheme        string
	inOrder, turn bool
	warps         []*one
}

func meets(a, b []uint8) bool {
	return slices.ContainsFunc(a, func(r uint8) bool { return r != workload.NoReg && slices.Contains(b, r) })
}

func (r *record) sources() []uint8 {
	if r.logged {
		return nil
	}
	return r.inst.Src[:]
}

// read is the cycle in which the sources are released; 0: not known yet.
func (m *model) read(r *record) uint64 {
	switch {
	case r.issued == 0:
		return 0
	case r.kind != Memory || m.rules.SourcesFree == AtRead:
		return r.issued + 1
	case r.checked != 0:
		return r.checked + 1
	}
	return 0
}

func (r *record) ordered() bool { return r.kind.isMemory() || r.inst.Class == workload.Barrier }

// can reports whether an instruction can issue in a cycle.
func (m *model) can(w *one, i int, t uint64) bool {
	r := w.list[i]
	if r.issued != 0 || t < r.from || w.faulted && !r.drains {
		return false
	}
	for _, o := range w.list[:i] {
		switch {
		case o.committed:
		case meets(o.inst.Dst[:], r.inst.Dst[:]), meets(o.inst.Dst[:], r.sources()),
			meets(o.sources(), r.inst.Dst[:]) && (m.read(o) == 0 || m.read(o) >= t),
			r.kind == Fence && o.kind.isMemory(),
			r.ordered() && o.ordered() && o.issued == 0,
			m.inOrder && o.issued == 0:
			return false
		}
	}
	return true
}

// open reports whether a warp can be fetched for in a cycle.
func (m *model) open(w *one, limit int) bool {
	if w.faulted {
		return false
	}
	if len(w.list) == 0 {
		return true
	}
	r := w.list[len(w.list)-1]
	switch {
	case r.kind == Arithmetic || r.committed:
		return true
	case r.kind == OtherMemory, r.kind == Memory && m.rules.FetchOpens == AtIssue:
		return r.issued != 0 || r.replayed
	case r.kind == Memory && m.rules.FetchOpens == AtLastCheck:
		return r.checked != 0
	}
	return false
}

func (m *model) ready(unit warps.Unit, t uint64) (mask warps.Mask) {
	for slot, w := range m.warps {
		for i, r := range w.list {
			if r.unit == unit && m.can(w, i, t) {
				mask |= bitOf(slot)
			}
		}
	}
	return mask
}

func (m *model) waiting() (n int) {
	for _, w := range m.warps {
		for _, r := range w.list {
			if r.issued == 0 && !r.replayed && !r.joined {
				n++
			}
		}
	}
	return n
}

// randomInst makes an instruction of registers from base on.
func randomInst(rng *rand.Rand, base uint8) (inst workload.Inst, kind Kind, unit warps.Unit) {
	inst = workload.Inst{Class: workload.Int, Dst: workload.NoRegs4, Src: workload.NoRegs10}
	reg := func() uint8 {
		return base + uint8(rng.Intn(8))
	}
	for i := range rng.Intn(3) {
		inst.Dst[i] = reg()
	}
	for i := range rng.Intn(4) {
		inst.Src[i] = reg()
	}
	switch n := rng.Intn(20); {
	case n < 6:
		inst.Class = workload.Load
		return inst, Memory, warps.LSU
	case n == 6:
		inst.Class, inst.Space = workload.Store, workload.Shared
		return inst, OtherMemory, warps.LSU
	case n == 7:
		inst.Class = []workload.Class{workload.Branch, workload.Barrier}[rng.Intn(2)]
		return inst, ControlKind, warps.Control
	case n == 8:
		inst.Class = workload.Fence
		return inst, Fence, warps.Control
	case n < 12:
		return inst, Arithmetic, warps.SFU
	}
	return inst, Arithmetic, warps.ALU
}
