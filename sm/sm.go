package sm

import (
	"fmt"
	"math/bits"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/ews"
	"cotenant/tenant"
	"cotenant/workload"
)

// SM is a streaming multiprocessor.
type SM struct {
	components.Module

	// Driver takes protocol.PlaceTB, protocol.SetQuotas and protocol.Sample from the
	// SM driver and sends it protocol.TBFinished and protocol.Window.
	Driver *components.Port
	// PreEng takes protocol.EvictTB, protocol.PlaceTB, protocol.Halt and protocol.Packet
	// from the preemption engine and sends it protocol.TBEvicted and protocol.Packet.
	PreEng *components.Port
	// Request sends protocol.Packet to the request crossbar.
	Request *components.Port
	// Reply takes protocol.Packet from the reply crossbar.
	Reply *components.Port

	spec       Spec
	id, count  int // the SM's number, and how many SMs there are
	slice      func(line uint64) int
	packets    *components.Pool[protocol.Packet]
	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]

	timing     [workload.NumClasses]classTiming
	sharedPipe [numUnits]bool

	cycle    uint64 // the last edge that ticked
	ports    []port
	warps    []warp
	nextAge  uint64
	wheel    wheel
	lsu      lsu
	l1       l1d
	tbs      components.Pool[residentTB]
	finished []*residentTB         // not yet reported
	evicted  []*protocol.TBEvicted // not yet passed on
	window   *protocol.Window      // not yet sent
	opened   []*residentTB         // of which a barrier opens at the end of this cycle
	// launches has the number of each tenant's last launch seen here, plus one.
	launches  [tenant.Max]uint64
	residents [tenant.Max]resident
	quota     [tenant.Max]int32
	quotasOn  bool
	halted    bool   // no warp issues
	ownTurn   bool   // at the request crossbar, before the preemption engine
	tenants   uint16 // tenants with threads on the SM, one bit each
	stats     Stats
}

// preEngDepth is what the preemption engine can send ahead.
const preEngDepth = 4

// resident is a tenant's threads on the SM, and since when they are as many.
type resident struct {
	threads int
	since   uint64
}

// classTiming is a class's initiation interval and latency.
type classTiming struct{ interval, latency uint64 }

// Builder makes SMs.
type Builder struct {
	spec       Spec
	domain     *components.Domain
	id, count  int
	slice      func(line uint64) int
	packets    *components.Pool[protocol.Packet]
	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]
}

// WithSpec sets the SM's parameters.
func (b Builder) WithSpec(spec Spec) Builder { b.spec = spec; return b }

// WithDomain sets the core clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithID sets the SM's number, its output of the reply crossbar.
func (b Builder) WithID(id int) Builder { b.id = id; return b }

// WithCount sets how many SMs the GPU has, which programs can read.
func (b Builder) WithCount(n int) Builder { b.count = n; return b }

// WithSlices sets the map from line address to L2 slice.
func (b Builder) WithSlices(slice func(line uint64) int) Builder { b.slice = slice; return b }

// WithPackets sets the pool of memory packets that the platform shares.
func (b Builder) WithPackets(p *components.Pool[protocol.Packet]) Builder { b.packets = p; return b }

// WithMessages sets the pools of the messages from and to the SM driver.
func (b Builder) WithMessages(placements *components.Pool[protocol.PlaceTB], reports *components.Pool[protocol.TBFinished]) Builder {
	b.placements, b.reports = placements, reports
	return b
}

// Build makes an SM, which sleeps until its first thread block. It returns an
// error that names the parameter at fault.
func (b Builder) Build(name string) (*SM, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &SM{spec: b.spec, id: b.id, count: b.count, slice: b.slice, packets: b.packets, placements: b.placements, reports: b.reports}
	s.Init(name, b.domain, s)
	s.Driver = s.NewPort("Driver", b.spec.TBs)
	s.PreEng = s.NewPort("PreEng", preEngDepth)
	s.Request = s.NewPort("Request", 1)
	s.Reply = s.NewPort("Reply", b.spec.L1.ReplyQueue)
	s.setTiming()
	s.lsu.queue = components.NewFIFO[*memoryInst](b.spec.LSU.QueueDepth)
	s.l1 = newL1D(&b.spec.L1)

	capacity := b.spec.Capacity()
	slots := (capacity.Warps + b.spec.Schedulers - 1) / b.spec.Schedulers
	s.ports = make([]port, b.spec.Schedulers)
	s.warps = make([]warp, slots*b.spec.Schedulers)
	for i := range s.ports {
		p := &s.ports[i]
		p.policy, _ = ews.New(b.spec.Scheduler) // validated above
		p.first, p.slotsFree = i*slots, slots
		for slot := range slots {
			s.warps[p.first+slot] = warp{port: p, slot: uint8(slot), bit: 1 << slot}
		}
		p.charged = Idle
	}
	return s, nil
}

func (s *SM) setTiming() {
	p := &s.spec.Pipes
	set := func(u unit, spec PipeSpec, classes ...workload.Class) {
		s.sharedPipe[u] = spec.PerSM
		for _, c := range classes {
			s.timing[c] = classTiming{uint64(spec.Interval), uint64(spec.Latency)}
		}
	}
	set(unitALU, p.ALU, workload.Int, workload.FP32)
	set(unitFP64, p.FP64, workload.FP64)
	set(unitSFU, p.SFU, workload.SFU)
	set(unitTensor, p.Tensor, workload.Tensor)
	for c := range s.timing {
		if classUnits[c] == unitLSU {
			// A memory instruction without an active lane passes through.
			s.timing[c] = classTiming{0, uint64(p.ALU.Latency)}
		}
	}
}

// Tick is one edge of the core clock.
func (s *SM) Tick(cycle uint64) bool {
	s.catchUp(cycle)
	moved := s.receive()
	moved = s.complete(cycle) || moved
	moved = s.fetchArrivals(cycle) || moved
	moved = s.sendRequests(cycle) || moved
	moved = s.stepLSU(cycle) || moved
	moved = s.issue(cycle) || moved
	moved = s.sendReports() || moved
	moved = s.fetch(cycle) || moved
	moved = s.acceptCommands() || moved
	moved = s.acceptOrders() || moved
	moved = s.sendEvicted() || moved
	if !moved {
		s.sleep(cycle)
	}
	return moved
}

// catchUp charges the cycles that the SM slept, up to but not including the
// given one, and makes that one current.
func (s *SM) catchUp(cycle uint64) {
	slept := cycle - s.stats.Cycles
	if slept > 0 {
		for i := range s.ports {
			s.charge(s.ports[i].charged, s.ports[i].payer, slept)
		}
	}
	s.stats.Cycles = cycle + 1
	s.cycle = cycle
}

// sleep notes what the coming cycles go to, and asks to be woken when a result
// is due or a packet can leave.
func (s *SM) sleep(cycle uint64) {
	for i := range s.ports {
		p := &s.ports[i]
		p.charged, p.payer = s.diagnose(p)
	}
	if next, ok := s.wheel.next(cycle); ok {
		s.WakeAt(next)
	}
	if s.l1.out.Len() > 0 {
		if at := s.l1.out.Front().at; at > cycle {
			s.WakeAt(at)
		}
	}
	for i := range s.ports {
		if s.ports[i].inFetch > 0 {
			s.WakeAt(cycle + 1)
		}
	}
}

// Stats brings the counters up to date for the first cycles edges of the clock
// and returns them.
func (s *SM) Stats(cycles uint64) *Stats {
	if cycles > s.stats.Cycles {
		for i := range s.ports {
			s.charge(s.ports[i].charged, s.ports[i].payer, cycles-s.stats.Cycles)
		}
		s.stats.Cycles = cycles
	}
	s.cycle = max(s.cycle, cycles)
	for k := range s.residents {
		s.changeThreads(tenant.ID(k), 0)
	}
	return &s.stats
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
	for k := range s.stats.Tenants {
		n += s.stats.Tenants[k].WarpInstructions
	}
	return n
}
