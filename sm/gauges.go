package sm

import (
	"math/bits"
	"slices"

	"cotenant/components"
	"cotenant/sm/inorder"
	"cotenant/tenant"
)

// gauged is a pipeline with gauges.
type gauged interface{ Gauges() []components.Gauge }

// Gauges are the resident threads, the load-store unit's queue, and the L1's
// outstanding misses and queue of packets to the crossbar; on an SM with an issue queue
// the warps that wait for page faults, too.
func (s *SM) Gauges() []components.Gauge {
	list := []components.Gauge{
		{Name: "Threads", Max: s.spec.Threads, Level: s.residents.Threads},
		{Name: "LSU.Queue", Max: s.spec.LSU.QueueDepth, Level: s.lsu.Queued},
		{Name: "L1.MSHRs", Max: s.spec.L1.MSHRs, Level: s.l1.Outstanding},
		{Name: "L1.MissQueue", Max: s.spec.missQueue(), Level: s.egress.Len},
	}
	if p, ok := s.pipeline.(gauged); ok {
		list = append(list, p.Gauges()...)
	}
	return list
}

// stalling is a pipeline that counts what its warps wait for.
type stalling interface {
	CountWarpStalls()
	WarpStallsOf(t tenant.ID, cycle uint64) inorder.WarpStalls
}

// CountWarpStalls begins to count what each warp waits for. An SM with an issue queue does
// not count it.
func (s *SM) CountWarpStalls() {
	if p, ok := s.pipeline.(stalling); ok {
		p.CountWarpStalls()
	}
}

// WarpStallsOf are a tenant's counts from CountWarpStalls to a cycle.
func (s *SM) WarpStallsOf(t tenant.ID, cycle uint64) (n inorder.WarpStalls) {
	if p, ok := s.pipeline.(stalling); ok {
		n = p.WarpStallsOf(t, cycle)
	}
	return n
}

// QuotaLeft is what a tenant may still issue of its quota on the SM, of all
// schedulers if each has a counter, in the unit of the quota: below 0 if it has had
// more. It is false if there are no quotas.
func (s *SM) QuotaLeft(id tenant.ID) (left int64, ok bool) { return s.gates.Left(id) }

// Warps counts the warps that are on the SM and have not ended, and the warps that wait
// for page faults to be served. Without an issue queue the SM does not know which warps'
// accesses wait in the TLB, and counts none.
func (s *SM) Warps() (live, waiting int) {
	for i := range s.residents.Schedulers {
		p := &s.residents.Schedulers[i]
		live += bits.OnesCount64(p.Signals.Live)
		for on := p.Signals.Live; on != 0; on &= on - 1 {
			if s.pipeline.Look(p.First + bits.TrailingZeros64(on)).Faulted {
				waiting++
			}
		}
	}
	return live, waiting
}

// Outstanding counts the work that an SM has begun and not ended. When all thread blocks
// have ended or left, and all messages have been taken, every field is 0.
type Outstanding struct {
	Warps        int // slots that are taken
	Unquiet      int // slots with instructions, or stores without acknowledgement, in flight
	Queued       int // instructions in the issue queue
	Operations   int // memory instructions in the load-store unit and beyond
	Copies       int // of them, asynchronous copies
	Misses       int // L1 MSHRs
	Code         int // MSHRs of the instruction cache
	Translations int // TLB MSHRs
	LogEntries   int // of the operand log that thread blocks have, used or not
	Away         int // thread blocks off the SM that wait for faults to be served
	Packets      int // that wait to leave
}

// storing is a pipeline with storage for thread blocks.
type storing interface{ Stored() int }

// Outstanding counts the work that the SM has begun and not ended.
func (s *SM) Outstanding() Outstanding {
	o := Outstanding{Operations: s.lsu.InFlight(), Misses: s.l1.Outstanding(), Packets: s.egress.Len()}
	for slot := range s.residents.Warps {
		if s.residents.Warps[slot].InUse {
			o.Warps++
		}
		f := s.pipeline.Look(slot)
		o.Queued += f.Waiting
		o.Copies += s.copies.Under(slot)
		if !f.Quiet {
			o.Unquiet++
		}
	}
	if s.mmu != nil {
		o.Translations, o.Away = s.mmu.Waiting(), s.mmu.Handler.Away()
	}
	if s.code != nil {
		o.Code = s.code.CodeOutstanding()
	}
	if p, ok := s.pipeline.(storing); ok {
		o.LogEntries = p.Stored()
	}
	return o
}

// Leaving is a thread block that has been evicted and has not drained yet.
type Leaving struct {
	Serial  uint64 // of its placement
	TB      int    // number in its launch
	Account tenant.Account
	// Pending is what its drain waits for: instructions in the issue queue or in
	// flight and stores without acknowledgement, or, on an SM without an issue queue,
	// warps with results to come. It shrinks as the thread block drains.
	Pending int
	// Faulted says that an access waits for a page fault to be served. On an SM
	// without an issue queue any access of the SM counts.
	Faulted bool
}

// Leaving lists the thread blocks that are leaving, in order of their warp slots.
func (s *SM) Leaving() (list []Leaving) {
	if s.residents.Departing == 0 {
		return nil
	}
	for slot := range s.residents.Warps {
		w := &s.residents.Warps[slot]
		if !w.InUse || !w.TB.Leaving {
			continue
		}
		i := slices.IndexFunc(list, func(l Leaving) bool { return l.Serial == w.TB.Serial })
		if i < 0 {
			i = len(list)
			list = append(list, Leaving{Serial: w.TB.Serial, TB: w.TB.TB.ID, Account: w.Account})
		}
		f := s.pipeline.Look(slot)
		list[i].Pending += f.Waiting + f.Flying
		list[i].Faulted = list[i].Faulted || f.Held
	}
	return list
}
