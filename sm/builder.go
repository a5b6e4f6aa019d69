package sm

import (
	"fmt"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/barrier"
	"cotenant/sm/ews"
	"cotenant/sm/frontend"
	"cotenant/sm/gate"
	"cotenant/sm/scoreboard"
	"cotenant/sm/warps"
)

// preEngDepth is what the preemption engine can send ahead.
const preEngDepth = 4

// Builder makes SMs.
type Builder struct {
	spec       Spec
	domain     *components.Domain
	id, count  int
	mhz        [2]int // of core and crossbars
	firstWarp  int
	slice      func(line uint64) int
	packets    *components.Pool[protocol.Packet]
	placements *components.Pool[protocol.PlaceTB]
	reports    *components.Pool[protocol.TBFinished]
	asks       *components.Pool[protocol.Translation]
	kernels    int
	tells      bool
	pageBytes  int
}

// WithSpec sets the SM's parameters.
func (b Builder) WithSpec(spec Spec) Builder { b.spec = spec; return b }

// WithDomain sets the core clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithClocks sets the frequencies of the core and of the crossbars in MHz, which an
// issue-rate controller counts its intervals by; alike unless they are set.
func (b Builder) WithClocks(coreMHz, nocMHz int) Builder {
	b.mhz = [2]int{coreMHz, nocMHz}
	return b
}

// WithID sets the SM's number, its output of the reply crossbar.
func (b Builder) WithID(id int) Builder { b.id = id; return b }

// WithFirstWarp sets the number of the SM's first warp slot among those of the
// GPU, by which its local memory lies apart from every other SM's.
func (b Builder) WithFirstWarp(n int) Builder { b.firstWarp = n; return b }

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

// WithKernels sets how many kernels can be on the GPU at once, which share the operand
// log.
func (b Builder) WithKernels(n int) Builder { b.kernels = n; return b }

// WithSwitching has the SM tell the SM driver of thread blocks that wait for faults
// as a whole: protocol.TBBlocked.
func (b Builder) WithSwitching(on bool) Builder { b.tells = on; return b }

// WithPages sets the size of a page, and the pool of the messages to and from the MMU
// that the platform shares, for an SM with a TLB.
func (b Builder) WithPages(bytes int, asks *components.Pool[protocol.Translation]) Builder {
	b.pageBytes, b.asks = bytes, asks
	return b
}

// Build makes an SM, which sleeps until its first thread block. It returns an
// error that names the parameter at fault.
func (b Builder) Build(name string) (*SM, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	spec := &b.spec
	s := &SM{spec: *spec, id: b.id, count: b.count, slice: b.slice, placements: b.placements, reports: b.reports, asks: b.asks, tells: b.tells}
	s.Init(name, b.domain, s)
	s.Driver = s.NewPort("Driver", spec.TBs)
	s.PreEng = s.NewPort("PreEng", preEngDepth)
	s.Request = s.NewPort("Request", 1)
	s.Reply = s.NewPort("Reply", spec.L1.ReplyQueue)

	slots := warps.Slots{Schedulers: spec.Schedulers, Each: spec.WarpSlots() / spec.Schedulers}
	signals := s.signals[:slots.Schedulers]
	s.frontEnd = *frontend.New(spec.FrontEnd, slots, signals, s)
	s.scoreboard = *scoreboard.New(slots, signals)
	s.barriers = *barrier.New(slots, signals)
	s.gates = gate.All(slots.Schedulers)
	s.memory, _ = gate.NewMemory(spec.MemoryIssue, slots.Schedulers) // validated before
	if s.memory != nil {
		s.gates = append(s.gates, s.memory)
		s.active = append(s.active, s.memory)
		s.order, _ = s.memory.(gate.Order)
	}
	s.pipes = newPipes(&spec.Pipes, spec.Schedulers)
	s.turns = newTurns(spec, &s.pipes)
	s.idle.next = never
	if err := s.makeEgress(&b); err != nil {
		return nil, err
	}
	s.makeWindow(&b, slots)
	s.makeTLB(&b)
	s.makeMemory(&b)
	s.makeSchedulers(slots)
	return s, nil
}

func (s *SM) makeSchedulers(slots warps.Slots) {
	s.schedulers = s.storage[:slots.Schedulers]
	s.warps = make([]warp, slots.Count())
	for i := range s.schedulers {
		policy, _ := ews.New(s.spec.Scheduler) // validated before
		s.schedulers[i] = scheduler{policy: policy, signals: &s.signals[i], number: i, first: i * slots.Each,
			slotsFree: slots.Each, charged: Idle}
	}
	s.makeGroups(slots.Each)
	for i := range s.warps {
		s.warps[i] = warp{slot: uint16(i), scheduler: uint8(i / slots.Each), bit: 1 << (i % slots.Each)}
	}
}
