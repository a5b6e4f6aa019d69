package sm

import (
	"fmt"

	"cotenant/components"
	"cotenant/protocol"
	"cotenant/sm/async"
	"cotenant/sm/barrier"
	"cotenant/sm/gate"
	"cotenant/sm/idle"
	"cotenant/sm/inorder"
	"cotenant/sm/paging"
	"cotenant/sm/queued"
	"cotenant/sm/residency"
	"cotenant/sm/tally"
	"cotenant/sm/warps"
)

// preEngDepth is the number of messages that the preemption engine can send ahead.
const preEngDepth = 4

// Builder makes SMs.
type Builder struct {
	spec      Spec
	domain    *components.Domain
	id, count int
	mhz       [2]int // of core and crossbars
	firstWarp int
	slice     func(line uint64) int
	packets   *components.Pool[protocol.Packet]
	pools     pools
	kernels   int
	tells     bool
	pageBytes int
	storage   *storage // nil: an SM is made by itself
}

// storage is memory for the SMs of a GPU, one behind the other: an SM is an odd number of
// lines, so that SMs use all of the processor's cache, see components.Spread.
type storage struct{ free []SM }

func (m *storage) take() *SM {
	if m == nil || len(m.free) == 0 {
		return new(SM)
	}
	s := &m.free[0]
	m.free = m.free[1:]
	return s
}

// WithSpec sets the SM's parameters.
func (b Builder) WithSpec(spec Spec) Builder { b.spec = spec; return b }

// WithDomain sets the core clock.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithClocks sets the frequencies of the core and of the crossbars in MHz. An issue-rate
// controller counts its intervals by them; they are alike unless set.
func (b Builder) WithClocks(coreMHz, nocMHz int) Builder {
	b.mhz = [2]int{coreMHz, nocMHz}
	return b
}

// WithID sets the SM's number, its output of the reply crossbar.
func (b Builder) WithID(id int) Builder { b.id = id; return b }

// WithFirstWarp sets the number of the SM's first warp slot among the GPU's warp slots.
// It keeps the SM's local memory apart from every other SM's.
func (b Builder) WithFirstWarp(n int) Builder { b.firstWarp = n; return b }

// WithCount sets the number of SMs of the GPU, which programs can read, and makes room for as many.
func (b Builder) WithCount(n int) Builder {
	b.count, b.storage = n, &storage{make([]SM, n)}
	return b
}

// WithSlices sets the map from line address to L2 slice.
func (b Builder) WithSlices(slice func(line uint64) int) Builder { b.slice = slice; return b }

// WithPackets sets the pool of memory packets that the platform shares.
func (b Builder) WithPackets(p *components.Pool[protocol.Packet]) Builder { b.packets = p; return b }

// WithMessages sets the pools of the messages from and to the SM driver.
func (b Builder) WithMessages(placements *components.Pool[protocol.PlaceTB], reports *components.Pool[protocol.TBFinished]) Builder {
	b.pools.placements, b.pools.reports = placements, reports
	return b
}

// WithKernels sets the number of kernels that can be on the GPU at once. They share the
// operand log.
func (b Builder) WithKernels(n int) Builder { b.kernels = n; return b }

// WithSwitching lets the SM tell the SM driver of thread blocks that wait for faults as
// a whole: protocol.TBBlocked.
func (b Builder) WithSwitching(on bool) Builder { b.tells = on; return b }

// WithPages sets the size of a page, and the pool of the messages to and from the MMU
// that the platform shares, for an SM with a TLB.
func (b Builder) WithPages(bytes int, asks *components.Pool[protocol.Translation]) Builder {
	b.pageBytes, b.pools.asks = bytes, asks
	return b
}

// Build makes an SM, which sleeps until its first thread block. It returns an
// error that names the parameter at fault.
func (b Builder) Build(name string) (*SM, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	spec := &b.spec
	s := b.storage.take()
	s.spec, s.packets, s.pools = *spec, b.packets, b.pools
	s.Init(name, b.domain, s)
	s.Driver = s.NewPort("Driver", spec.TBs)
	s.PreEng = s.NewPort("PreEng", preEngDepth)
	s.Request = s.NewPort("Request", 1)
	s.Reply = s.NewPort("Reply", spec.L1.ReplyQueue)

	slots := warps.Slots{Schedulers: spec.Schedulers, Each: spec.WarpSlots() / spec.Schedulers}
	signals := s.signals[:slots.Schedulers]
	s.barriers = barrier.New(slots, signals)
	s.gates, _ = gate.NewSet(spec.MemoryIssue, signals) // validated before
	s.pipes.Init(&spec.Pipes, &spec.Tensor, spec.Schedulers)
	s.residents.Init(slots, signals, spec.Scheduler, b.id)
	for i := range s.sleeps {
		s.sleeps[i].Cause = tally.Idle
	}
	if err := s.makeEgress(&b); err != nil {
		return nil, err
	}
	s.makeMMU(&b)
	s.makePipeline(&b, slots)
	s.counting, _ = s.pipeline.(counting)
	s.residents.Join(residency.Parts{SM: tenants{s}, Keeper: s.pipeline, Gates: s.gates, Barriers: s.barriers, Clock: s, Count: b.count})
	return s, nil
}

// makePipeline makes the pipeline, and the load-store unit, which tells it of memory.
func (s *SM) makePipeline(b *Builder, slots warps.Slots) {
	spec := &s.spec
	s.copies = async.New(slots, s.residents.Signals)
	if spec.Queue.Entries == 0 {
		parts := inorder.Parts{Residents: &s.residents, Gates: s.gates, Barriers: s.barriers, Pipes: &s.pipes, LSU: &s.lsu, Copies: s.copies, Code: s}
		if s.mmu != nil {
			s.mmu.Handler, parts.TLB = paging.Holds(s.abort), s.mmu.TLB
		}
		p := &s.inOrder
		p.Init(inorder.Spec{IssueWidth: spec.IssueWidth, IssueSameUnit: spec.IssueSameUnit, GroupSlots: spec.GroupSlots, FrontEnd: spec.FrontEnd, Hz: b.domain.Hz(), TMA: spec.TMA}, slots, parts)
		s.pipeline, s.code, s.idle = p, p, idle.New(&s.residents, p)
		s.makeMemory(b, p, nil, p)
		return
	}
	parts := queued.Parts{Residents: &s.residents, Gates: s.gates, Barriers: s.barriers, Pipes: &s.pipes, LSU: &s.lsu, Copies: s.copies,
		Fill: s.Faults, WakeAt: s.WakeAt, Kernels: b.kernels, Abort: s.abort}
	if b.tells {
		parts.Notify = func(m *protocol.TBBlocked) { s.notices, s.residents.Reports = append(s.notices, m), true }
	}
	p := queued.New(queued.Spec{Queue: spec.Queue, Faults: spec.Faults, BranchLatency: spec.FrontEnd.BranchLatency, Capacity: spec.Capacity()}, slots, parts)
	if s.mmu != nil {
		s.mmu.Handler = p
	}
	s.pipeline, s.idle = p, idle.New(&s.residents, p)
	s.makeMemory(b, p, p, p)
}
