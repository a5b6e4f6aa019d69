package sm

import (
	"math/bits"

	"cotenant/components"
	"cotenant/metrics/journey"
	times "cotenant/metrics/latency"
	"cotenant/protocol"
	"cotenant/sm/async"
	"cotenant/sm/barrier"
	"cotenant/sm/egress"
	"cotenant/sm/gate"
	"cotenant/sm/hot"
	"cotenant/sm/idle"
	"cotenant/sm/inorder"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/sm/paging"
	"cotenant/sm/pipes"
	"cotenant/sm/residency"
	"cotenant/sm/rocache"
	"cotenant/sm/tally"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// SM models a streaming multiprocessor. It ticks its parts in order.
type SM struct {
	components.Module

	// Driver takes protocol.PlaceTB, protocol.Control and protocol.Sample from the
	// SM driver and sends it protocol.TBFinished and protocol.Sampled.
	Driver *components.Port
	// PreEng takes protocol.EvictTB, protocol.PlaceTB, protocol.Halt and
	// protocol.Packet from the preemption engine and sends it protocol.TBEvicted
	// and protocol.Packet.
	PreEng *components.Port
	// Request sends protocol.Packet to the request crossbar.
	Request *components.Port
	// Reply takes protocol.Packet from the reply crossbar.
	Reply *components.Port
	// TLB sends protocol.Translation to the L2 TLB and takes its answers; Faults takes
	// protocol.RegionServed from the fill unit. Both are nil without an L1 TLB.
	TLB, Faults *components.Port

	// The state of every cycle comes first and lies together. The counters at the end of
	// residents take some hundred kilobytes.
	charged   uint64 // cycles that have been charged
	returning bool   // accesses wait at the L1's return port
	paced     bool   // a controller of egress is told of each edge
	pipeline  Pipeline
	counting  counting // pipeline; nil if it has no counters of its own
	code      coded    // pipeline; nil if it has no instruction cache
	gates     *gate.Set
	barriers  *barrier.Unit
	egress    *egress.Unit
	idle      idle.Sampler
	mmu       *paging.Unit                         // nil: addresses are not translated
	signals   [warps.MaxSchedulers]warps.Signals   // between the parts, by scheduler
	sleeps    [warps.MaxSchedulers]residency.Stall // of the schedulers while the SM sleeps
	pipes     pipes.Pipes
	lsu       lsu.Unit
	l1        l1.Cache
	readOnly  [2]*rocache.Cache // of constants and textures; nil without
	carved    int               // bytes that shared memory has of Spec.UnifiedBytes
	residents residency.Unit
	copies    *async.Unit

	latencies *times.Recorder   // nil: not measured
	journeys  *journey.Recorder // of packets with a Trace

	spec    Spec
	packets *components.Pool[protocol.Packet]
	pools   pools
	notices []*protocol.TBBlocked // not yet sent
	windows []*protocol.Sampled   // not yet sent

	inOrder inorder.Pipeline // pipeline, unless that is another
	_       [filling]byte
}

// filling makes an SM an odd number of lines of the processor's cache, see storage.
const filling = 72

// pools hold the messages from and to the SM driver and the MMU.
type pools struct {
	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]
	asks       *components.Pool[protocol.Translation]
}

// Tick is one edge of the core clock: the stages back to front.
func (s *SM) Tick(cycle uint64) bool {
	s.catchUp(cycle)
	moved := s.pipeline.Edge(cycle)
	arrived := s.Arrived() // a message, by any port
	if arrived {
		moved = s.receive() || moved
	}
	if s.mmu != nil {
		moved = s.mmu.Step(arrived) || moved
	}
	if s.returning {
		s.l1.Return()
		s.returning = s.l1.Returning()
		moved = true // the rest goes at the next edge
	}
	moved = s.pipeline.Complete(cycle) || moved
	if arrived || s.egress.Len() > 0 {
		moved = s.sendRequests(cycle) || moved
	}
	moved = s.lsu.Step(cycle) || moved
	s.idle.Before(cycle + 1)
	if s.residents.Halted {
		for i := range s.residents.Schedulers {
			s.residents.Owe(&s.residents.Schedulers[i], s.diagnose(i), 1)
		}
	}
	moved = s.pipeline.Issue(cycle) || moved
	if s.residents.Reports {
		moved = s.sendReports() || moved
	}
	moved = s.pipeline.Fetch(cycle) || moved
	if arrived {
		moved = s.acceptCommands() || moved
		moved = s.acceptOrders() || moved
	}
	s.gates.Edge()
	if s.residents.Reports {
		moved = s.sendEvicted() || moved
		s.residents.Reports = len(s.windows)|len(s.notices)|len(s.residents.Finished)|len(s.residents.Evicted) != 0
	}
	if !moved {
		s.sleep(cycle)
	}
	return moved
}

// catchUp charges the cycles that the SM slept, up to but not including the
// given one, and makes that one current.
func (s *SM) catchUp(cycle uint64) {
	if cycle > s.charged {
		s.chargeSleep(cycle)
	}
	s.charged = cycle + 1
	s.residents.Cycle = cycle
	if s.paced {
		s.egress.Advance(cycle)
	}
}

// chargeSleep charges the cycles that the SM has slept, up to a cycle.
func (s *SM) chargeSleep(before uint64) {
	for i := range s.residents.Schedulers {
		s.residents.Owe(&s.residents.Schedulers[i], s.sleeps[i], before-s.charged)
	}
	s.idle.Before(before)
	if s.counting != nil {
		s.counting.Slept(before - s.charged)
	}
}

// MeasureLatencies has the SM measure how long its memory requests take. It goes before the
// first thread block.
func (s *SM) MeasureLatencies(r *times.Recorder) {
	s.latencies = r
	s.lsu.MeasureLatencies(r, &s.residents.Cycle)
}

// Follow has the SM choose loads to follow, and tell of them. It goes before the first thread
// block.
func (s *SM) Follow(r *journey.Recorder) {
	s.journeys = r
	s.lsu.Follow(r, s.residents.ID(), s.Domain(), &s.residents.Cycle)
}

// CountLines has the SM count what each line of its programs costs. It goes before the first
// thread block.
func (s *SM) CountLines(l *hot.Lines) {
	s.residents.Lines = l
	s.lsu.CountLines(l)
}

// diagnose is where a scheduler's cycle without issue goes.
func (s *SM) diagnose(scheduler int) residency.Stall {
	p := &s.residents.Schedulers[scheduler]
	if p.Signals.Still != 0 && !s.residents.Halted {
		return p.Stall
	}
	cause, mask := s.pipeline.Stall(scheduler)
	if s.residents.Halted && cause != tally.Idle {
		cause, mask = tally.Preempted, p.Signals.Live
	}
	return s.residents.StallOf(p, cause, mask)
}

// sleep notes what the coming cycles go to, and asks to be woken when a result
// is due or a packet can leave.
func (s *SM) sleep(cycle uint64) {
	for i := range s.residents.Schedulers {
		s.sleeps[i] = s.diagnose(i)
	}
	if next, ok := s.pipeline.Next(cycle); ok {
		s.WakeAt(next)
	}
	if next, ok := s.egress.Next(cycle); ok {
		s.WakeAt(next)
	}
	if next, ok := s.l1.Next(cycle); ok && s.lsu.InFlight() > 0 {
		s.WakeAt(next)
	}
}

// Stats brings the counters up to date for the first cycles edges of the clock
// and returns them.
func (s *SM) Stats(cycles uint64) *Stats {
	if cycles > s.charged {
		s.chargeSleep(cycles)
		s.charged = cycles
	}
	s.residents.Pay()
	stats := &s.residents.Stats
	stats.Cycles = s.charged
	s.residents.Cycle = max(s.residents.Cycle, cycles)
	for _, a := range s.residents.Seen() {
		s.residents.Settle(a)
		k := stats.Accounts.Of(a)
		k.L1, k.LSU = *s.l1.Stats(a), *s.lsu.Stats(a)
		if s.counting != nil {
			s.counting.Count(a)
		}
		for i, to := range []*rocache.TenantStats{&k.ConstantCache, &k.TextureCache} {
			if c := s.readOnly[i]; c != nil {
				*to = *c.Stats(a)
			}
		}
		if s.mmu != nil {
			k.TLB = *s.mmu.Stats(a)
		}
	}
	return stats
}

// counting is a pipeline with counters of its own, of instructions and of edges.
type counting interface {
	// Count brings an account's counters in the SM's Stats up to date.
	Count(a tenant.Account)
	// Slept: the SM has slept through a number of edges.
	Slept(edges uint64)
}

// coded is a pipeline with an instruction cache.
type coded interface {
	// CodeArrived: the line of code of an MSHR has come back.
	CodeArrived(mshr int)
	// CodeOutstanding is the number of lines of code on their way.
	CodeOutstanding() int
}

// Now makes SM a workload.Clock.
func (s *SM) Now() (cycle, nanoseconds uint64) {
	const perSecond = 1_000_000_000
	high, low := bits.Mul64(s.residents.Cycle, perSecond)
	nanoseconds, _ = bits.Div64(high, low, s.Domain().Hz())
	return s.residents.Cycle, nanoseconds
}

// Spec returns the SM's parameters.
func (s *SM) Spec() Spec { return s.spec }

// Issued is the number of warp instructions that the SM has issued.
func (s *SM) Issued() (n uint64) {
	for id := range tenant.ID(tenant.Max) {
		n += s.IssuedBy(id)
	}
	return n
}

// IssuedBy is the number of warp instructions that a tenant has issued.
func (s *SM) IssuedBy(id tenant.ID) (n uint64) {
	for _, a := range s.residents.Seen() {
		if a.Tenant() == id {
			n += s.residents.Stats.Accounts.Of(a).WarpInstructions
		}
	}
	return n
}

// Next shows the stream and the next instruction of each of a tenant's warps that
// have not ended, and whether the warp waits at a barrier.
func (s *SM) Next(id tenant.ID, look func(stream workload.Stream, inst *workload.Inst, atBarrier bool)) {
	for i := range s.residents.Warps {
		if w := &s.residents.Warps[i]; w.InUse && !w.Ended && w.Account.Tenant() == id {
			look(w.Stream, &w.Inst, s.barriers.Warp(int(w.Slot)).Waits)
		}
	}
}
