package tma

import (
	"math"
	"math/bits"

	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// Never is later than every cycle.
const Never = math.MaxUint64

// Accesses takes the unit's accesses: the load-store unit.
type Accesses interface {
	// Full reports whether it takes no instruction now, and FullFor whose it takes none of.
	Full() bool
	FullFor() uint16
	// Issue takes an instruction of a warp.
	Issue(warp int, a tenant.Account, inst *workload.Inst) (op uint32)
}

// Copy is a bulk copy.
type Copy struct {
	Slot    int // of its warp
	Account tenant.Account
	Block   uint64 // the warp's thread block
	// Number is of the mbarrier that hears of a copy to shared memory. Group is the group of a copy
	// from it.
	Number, Group uint8
	Stores        bool // it is from shared memory
	// Elsewhere says that a copy to shared memory comes to other thread blocks of the cluster alone. Tell, if it
	// is set, tells them that it has come.
	Elsewhere bool
	Tell      func()
}

// transfer is a copy under way.
type transfer struct {
	Copy
	left int // instructions that have not been performed
	from uint64
	list [workload.WarpSize]uint64 // addresses of the lanes
	// Each of the lanes has rows of so many lines of 16 bytes.
	lanes, rows, lines int
	step               [workload.WarpSize]uint64 // from row to row
	lane, row, line    int                       // where the next instruction begins
}

// Unit makes bulk copies, one after another in order of issue.
type Unit struct {
	spec      Spec
	accesses  Accesses
	transfers []transfer // by number, up to the highest that a copy has had
	free      []uint8
	waiting   []uint8 // with accesses to make, the oldest first
	later     []later // that have no number yet
	next      uint64  // the first cycle with work, or an earlier one
	addresses [workload.WarpSize]uint64
}

// later is a copy that waits for a number.
type later struct {
	Copy
	inst  workload.Inst
	lanes [workload.WarpSize]uint64
	cycle uint64
}

// New makes a unit. The Spec must be valid.
func New(spec Spec, accesses Accesses) *Unit {
	u := &Unit{spec: spec, accesses: accesses, next: Never}
	n := spec.Copies
	if n == 0 {
		n = 255
	}
	for i := n - 1; i >= 0; i-- {
		u.free = append(u.free, uint8(i))
	}
	return u
}

// Instructions is the number of instructions that a bulk copy takes.
func Instructions(inst *workload.Inst) int {
	lines := bits.OnesCount32(inst.Active) * int(inst.Warps) * int(inst.Width)
	return (lines + workload.WarpSize - 1) / workload.WarpSize
}

// Take takes a bulk copy that issues at a cycle: a Copy or Store with an active lane.
func (u *Unit) Take(c Copy, inst *workload.Inst, cycle uint64) {
	if len(u.free) > 0 && len(u.later) == 0 {
		u.begin(c, inst, cycle)
		return
	}
	l := later{Copy: c, inst: *inst, cycle: cycle}
	if inst.Lanes != nil {
		l.lanes = *inst.Lanes
	}
	u.later = append(u.later, l)
}

// begin gives a copy a number.
func (u *Unit) begin(c Copy, inst *workload.Inst, cycle uint64) {
	last := len(u.free) - 1
	id := u.free[last]
	u.free = u.free[:last]
	if int(id) >= len(u.transfers) {
		u.transfers = append(u.transfers, make([]transfer, int(id)+1-len(u.transfers))...)
	}
	t := &u.transfers[id]
	*t = transfer{Copy: c, left: Instructions(inst), from: cycle + 1 + uint64(u.spec.Latency), rows: int(inst.Warps), lines: int(inst.Width)}
	for m := inst.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if inst.Lanes != nil {
			t.list[t.lanes] = inst.Lanes[lane&(workload.WarpSize-1)]
		} else {
			t.list[t.lanes] = inst.Base + uint64(int64(inst.Stride)*int64(t.lanes))
		}
		t.lanes++
	}
	whole := uint64(t.lines * workload.BulkLine)
	for i := range t.lanes {
		switch {
		case i+1 < t.lanes:
			t.step[i] = (t.list[i+1] - t.list[i]) / uint64(t.rows)
		case i > 0:
			t.step[i] = t.step[i-1]
		default:
			t.step[i] = whole
		}
		if t.step[i] < whole || t.step[i] > 1<<40 { // the next lane is of an outer row
			t.step[i] = whole
		}
	}
	u.waiting = append(u.waiting, id)
	u.next = min(u.next, t.from)
}

// Next is the first cycle at which the unit may have work; Never without any.
func (u *Unit) Next() uint64 { return u.next }

// Step makes the accesses of a cycle that Next has named.
func (u *Unit) Step(cycle uint64) (moved bool) {
	id := u.waiting[0]
	t := &u.transfers[id]
	switch {
	case t.from > cycle:
		u.next = t.from
		return false
	case u.accesses.Full() || u.accesses.FullFor()>>t.Account.Tenant()&1 != 0:
		u.next = cycle + 1
		return true // it looks again
	}
	inst := workload.Inst{Class: workload.Copy, Space: workload.Global, Flags: workload.BypassL1, Lanes: &u.addresses,
		Width: workload.BulkLine, Warps: 1, Barrier: id, Dst: workload.NoRegs4, Src: workload.NoRegs10}
	if t.Stores {
		inst.Class = workload.Store
	}
	n := 0
	for ; n < workload.WarpSize && t.lane < t.lanes; n++ {
		u.addresses[n] = t.list[t.lane] + uint64(t.row)*t.step[t.lane] + uint64(t.line*workload.BulkLine)
		if t.line++; t.line == t.lines {
			t.line = 0
			if t.row++; t.row == t.rows {
				t.row = 0
				t.lane++
			}
		}
	}
	inst.Active = uint32(1<<n - 1)
	u.accesses.Issue(t.Slot, t.Account, &inst)
	if t.lane == t.lanes {
		u.waiting = u.waiting[:copy(u.waiting, u.waiting[1:])]
	}
	u.next = Never
	if len(u.waiting) > 0 {
		u.next = cycle + uint64(max(n*workload.BulkLine/protocol.LineBytes, 1))
	}
	return true
}

// Performed notes that an instruction of a copy has been performed, by the copy's number, and
// returns the copy if it was the last one.
func (u *Unit) Performed(id uint8) (c Copy, done bool) {
	t := &u.transfers[id]
	if t.left--; t.left > 0 {
		return t.Copy, false
	}
	c = t.Copy
	u.free = append(u.free, id)
	if len(u.later) > 0 {
		l := u.later[0]
		u.later = u.later[:copy(u.later, u.later[1:])]
		if l.inst.Lanes != nil {
			l.inst.Lanes = &l.lanes
		}
		u.begin(l.Copy, &l.inst, l.cycle)
	}
	return c, true
}
