package sm

import (
	"math/bits"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/barrier"
	"cotenant/sm/egress"
	"cotenant/sm/frontend"
	"cotenant/sm/gate"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/sm/rocache"
	"cotenant/sm/scoreboard"
	"cotenant/sm/tlb"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// SM is a streaming multiprocessor: what its parts do not share, and the order in
// which they act.
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

	// What every cycle looks at comes first and lies together; the parts are
	// values for the same reason.
	cycle      uint64      // the last edge that ticked
	charged    uint64      // cycles that have been charged
	departing  int         // warps that have ended or are held, and hold their slots yet
	active     []gate.Gate // those of gates that may hold warps back
	told       bool        // gates have been told something since Edge
	completes  bool        // some want to know when instructions complete
	memory     gate.Memory // that of gates; nil without
	order      gate.Order  // memory, if it is one
	idle       idle
	turns      turns
	finished   []*residentTB
	evicted    []*protocol.TBEvicted // not yet passed on
	windows    []*protocol.Sampled   // not yet sent
	notices    []*protocol.TBBlocked // not yet sent
	away       []awayTB
	tells      bool // the SM driver is to be told of thread blocks that are blocked
	egress     *egress.Unit
	warps      []warp
	schedulers []scheduler      // the first of storage
	halted     bool             // no warp issues
	grouped    bool             // schedulers' slots are in groups
	returning  bool             // accesses wait at the L1's return port
	present    []tenant.Account // that have threads on the SM
	storage    [maxSchedulers]scheduler
	signals    [maxSchedulers]warps.Signals // between the parts, by scheduler
	frontEnd   frontend.Unit
	scoreboard scoreboard.Board
	barriers   barrier.Unit
	lsu        lsu.Unit
	wheel      wheel
	pipes      pipes
	stats      Stats
	l1         l1.Cache
	constants  *rocache.Cache // nil without
	textures   *rocache.Cache // nil without
	window     *window        // nil: warps issue in order
	tlb        *tlb.TLB       // nil: addresses are not translated

	spec       Spec
	id, count  int // the SM's number, and how many SMs there are
	slice      func(line uint64) int
	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]
	asks       *components.Pool[protocol.Translation]
	gates      []gate.Gate
	completing []gate.Completing // those of gates that want to know
	meeting    []gate.Meeting    // those of gates that want to know
	nextAge    uint64
	nextTB     uint64
	tbs        components.Pool[residentTB]
	issued     [maxIssueWidth]workload.Inst // in a scheduler's cycle, for gates
	// launches has the number of each tenant's last launch seen here, plus one.
	launches  [tenant.Max]uint64
	residents [tenant.Accounts]resident
	// tenantThreads are each tenant's threads on the SM.
	tenantThreads [tenant.Max]int
	seen          []tenant.Account // that have had threads on the SM
}

// maxSchedulers bounds Spec.Schedulers.
const maxSchedulers = 8

// resident is an account's threads on the SM, and since when they are as many.
type resident struct {
	threads int
	since   uint64
	seen    bool // it is in SM.seen
}

// Tick is one edge of the core clock: the stages back to front.
func (s *SM) Tick(cycle uint64) bool {
	s.catchUp(cycle)
	moved := s.window != nil && s.edge(cycle)
	arrived := s.Incoming() > 0 // messages, by any port
	if arrived {
		moved = s.receive() || moved
	}
	if s.tlb != nil {
		moved = s.translate(arrived) || moved
	}
	if s.returning {
		s.l1.Return()
		s.returning = s.l1.Returning()
		moved = true // the rest goes at the next edge
	}
	if s.window != nil {
		moved = s.stages(cycle) || moved
	} else {
		moved = s.complete(cycle) || moved
		moved = s.frontEnd.Arrive(cycle) || moved
		moved = s.sendRequests(cycle) || moved
		moved = s.lsu.Step(cycle) || moved
		moved = s.issue(cycle) || moved
		moved = s.sendReports() || moved
		moved = s.frontEnd.Fetch(cycle) || moved
	}
	if arrived {
		moved = s.acceptCommands() || moved
		moved = s.acceptOrders() || moved
	}
	if s.told || s.memory != nil { // a Memory is told behind the SM's back
		s.endGates()
	}
	moved = s.sendEvicted() || moved
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
	s.cycle = cycle
	s.egress.Advance(cycle)
}

// chargeSleep charges the cycles before a later one that the SM has slept.
func (s *SM) chargeSleep(before uint64) {
	for i := range s.schedulers {
		s.charge(s.schedulers[i].charged, s.schedulers[i].payer, before-s.charged)
	}
	if s.idle.next < before {
		s.sampleIdle(before)
	}
	s.sleepGroups(before - s.charged)
}

// sleep notes what the coming cycles go to, and asks to be woken when a result
// is due or a packet can leave.
func (s *SM) sleep(cycle uint64) {
	for i := range s.schedulers {
		p := &s.schedulers[i]
		p.charged, p.payer = s.diagnose(p)
	}
	if next, ok := s.wheel.next(cycle); ok {
		s.WakeAt(next)
	}
	if next, ok := s.egress.Next(cycle); ok {
		s.WakeAt(next)
	}
	if next, ok := s.l1.Next(cycle); ok && s.lsu.InFlight() > 0 {
		s.WakeAt(next)
	}
	if next, ok := s.frontEnd.Next(); ok {
		s.WakeAt(next)
	}
	if s.frontEnd.Coming() {
		s.WakeAt(cycle + 1)
	}
}

// Stats brings the counters up to date for the first cycles edges of the clock
// and returns them.
func (s *SM) Stats(cycles uint64) *Stats {
	if cycles > s.charged {
		s.chargeSleep(cycles)
		s.charged = cycles
	}
	s.stats.Cycles = s.charged
	s.cycle = max(s.cycle, cycles)
	for _, a := range s.seen {
		s.settleThreads(a)
		s.stats.Accounts[a].L1 = *s.l1.Stats(a)
		s.stats.Accounts[a].LSU = *s.lsu.Stats(a)
		s.stats.Accounts[a].Icache = s.frontEnd.ICache(a)
		s.readOnlyStats(a)
		if s.tlb != nil {
			s.stats.Accounts[a].TLB = *s.tlb.Stats(a)
		}
	}
	return &s.stats
}

// Fetched makes SM a frontend.Program: a warp's buffer is empty when it is asked
// for, so that the next instruction to issue is the next one to fetch.
func (s *SM) Fetched(slot int) (addr uint64, account tenant.Account) {
	w := &s.warps[slot]
	return w.tb.code + uint64(w.inst.PC), w.account
}

// Now makes SM a workload.Clock.
func (s *SM) Now() (cycle, nanoseconds uint64) {
	const perSecond = 1_000_000_000
	high, low := bits.Mul64(s.cycle, perSecond)
	nanoseconds, _ = bits.Div64(high, low, s.Domain().Hz())
	return s.cycle, nanoseconds
}

// Spec returns the SM's parameters.
func (s *SM) Spec() Spec { return s.spec }

// Issued is the number of warp instructions that the SM has issued.
func (s *SM) Issued() (n uint64) {
	for _, a := range s.seen {
		n += s.stats.Accounts[a].WarpInstructions
	}
	return n
}

// IssuedBy is the number of them that are a tenant's.
func (s *SM) IssuedBy(id tenant.ID) (n uint64) {
	for _, a := range s.seen {
		if a.Tenant() == id {
			n += s.stats.Accounts[a].WarpInstructions
		}
	}
	return n
}

// Next shows the stream and the next instruction of each of a tenant's warps that
// have not ended.
func (s *SM) Next(id tenant.ID, look func(workload.Stream, *workload.Inst)) {
	for i := range s.warps {
		if w := &s.warps[i]; w.inUse && !w.ended && w.account.Tenant() == id {
			look(w.stream, &w.inst)
		}
	}
}
