package inorder

import (
	"cotenant/sm/residency"
	"cotenant/sm/tma"
	"cotenant/workload"
)

// bulk gives a bulk copy to its unit. An arrival at an mbarrier it only notes: that goes on as
// a reduction, which it is. It reports whether nothing is left to do.
func (p *Pipeline) bulk(w *residency.Warp, inst *workload.Inst, cycle uint64) (done bool) {
	block := w.TB.Serial
	if !inst.Bulk() {
		if inst.Warps == workload.CopyArrival {
			p.copies.Follow(int(w.Slot), inst.Barrier)
		}
		if inst.Flags&workload.Remote == 0 {
			p.copies.Arrived(block, inst.Barrier)
		}
		inst.Warps = 0
		return false
	}
	c := tma.Copy{Slot: int(w.Slot), Account: w.Account, Block: block, Number: inst.Barrier, Stores: inst.Class == workload.Store}
	own := true
	if inst.Flags&workload.Remote != 0 {
		c.Tell, own = w.Stream.(workload.Sender).Tell()
		c.Elsewhere = !own
	}
	if c.Stores {
		c.Group = p.copies.Join(c.Slot, workload.BulkGroups)
	} else if own {
		p.copies.Expect(block, c.Number)
		p.copies.Arrived(block, c.Number)
	}
	for range tma.Instructions(inst) {
		p.scoreboard.ReserveCopy(c.Slot)
	}
	p.tma.Take(c, inst, cycle)
	p.timed = true
	if counted := p.gates.Counted(inst); counted > 0 {
		p.completed(w, counted)
	}
	return true
}

// BulkLanded makes Pipeline a lsu.Copies, as Landed.
func (p *Pipeline) BulkLanded(slot int, number uint8) {
	p.scoreboard.Landed(slot)
	switch c, done := p.tma.Performed(number); {
	case !done:
	case c.Stores:
		p.copies.Landed(slot, workload.BulkGroups, c.Group)
	default:
		if !c.Elsewhere {
			p.copies.Came(c.Block, c.Number)
		}
		if c.Tell != nil {
			c.Tell()
		}
	}
}
