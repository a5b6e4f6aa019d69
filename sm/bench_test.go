package sm

import (
	"testing"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/components/rig"
	"cotenant/protocol"
	"cotenant/sm/frontend"
	"cotenant/sm/l1"
	"cotenant/sm/lsu"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// testSpec is a small SM with round numbers.
func testSpec() Spec {
	return Spec{
		Schedulers: 2, Scheduler: "gto", IssueWidth: 1, MemoryIssue: "any", Faults: FaultsSpec{Scheme: "none"},
		TBs: 8, Threads: 1024, Registers: 65536, SharedBytes: []int{48 << 10},
		FrontEnd: frontend.Spec{BufferDepth: 2, FetchWidth: 2, FetchLatency: 1, BranchLatency: 6, Refill: frontend.RefillRoom},
		Pipes: PipesSpec{
			ALU: PipeSpec{Interval: 1, Latency: 4, Units: 1}, FP64: PipeSpec{Interval: 16, Latency: 8, Units: 1},
			SFU: PipeSpec{Interval: 4, Latency: 20, Units: 1}, Tensor: PipeSpec{Interval: 2, Latency: 16, Units: 1},
		},
		LSU: lsu.Spec{QueueDepth: 4, SharedLatency: 24, SharedBanks: 32, SharedAtomicInterval: 1, ConstantLatency: 8,
			TexelsPerCycle: 8, TextureLinesPerCycle: 8},
		L1: l1.Spec{Sets: 16, Ways: 4, Victim: "lru", Sectored: true, HitLatency: 30, MissLatency: 10, MSHRs: 16, MSHRMerge: 8,
			MissQueue: 32, StoreBuffer: 16, ReplyQueue: 4, Banks: 1, BankBytes: 32, AccessBytes: 128,
			Globals: "cached"},
	}
}

// oneScheduler is testSpec with one scheduler, for tests of the issue order.
func oneScheduler() Spec {
	spec := testSpec()
	spec.Schedulers = 1
	return spec
}

// memoryLatency is how long the mock memory takes.
const memoryLatency = 100

// missToUse is the time from the issue of a load that misses an idle L1 of
// testSpec to the issue of its first use: a cycle to the unit, 10 until the
// packet leaves, one on each of the links, and the memory's own.
const missToUse = 1 + 10 + 1 + memoryLatency + 1

// bench is an SM between a memory and an SM driver.
type bench struct {
	*rig.Bench
	t      rig.T
	sm     *SM
	memory *memory
	driver *rig.Peer[sim.Msg]
	mmu    *mmu                // nil: addresses are not translated
	placed []*protocol.PlaceTB // that the driver sends
	// packets is the pool of the SM's packets.
	packets *components.Pool[protocol.Packet]
}

// memory answers every packet a fixed number of cycles after it arrives.
type memory struct {
	*rig.Peer[*protocol.Packet]
	latency uint64
	seen    []protocol.Packet
	at      []uint64 // when each was seen
}

var answers = map[protocol.Kind]protocol.Kind{protocol.Read: protocol.ReadReply, protocol.Write: protocol.WriteAck,
	protocol.Atomic: protocol.AtomicReply, protocol.ContextSave: protocol.ContextSaved, protocol.ContextLoad: protocol.ContextLoaded}

func (m *memory) answer(cycle uint64, p *protocol.Packet) {
	m.seen, m.at = append(m.seen, *p), append(m.at, cycle)
	p.Kind = answers[p.Kind]
	m.Send(cycle+m.latency, p)
}

func newBench(t rig.T, spec Spec, with ...func(Builder) Builder) *bench {
	t.Helper()
	b := &bench{Bench: rig.New(t, 1_000_000_000), t: t, packets: &components.Pool[protocol.Packet]{}}
	b.Limit = 1_000_000
	builder := Builder{}.WithSpec(spec).WithDomain(b.Clock).WithSlices(func(uint64) int { return 0 }).
		WithPackets(b.packets).WithPages(4096, &components.Pool[protocol.Translation]{}).
		WithMessages(&components.Pool[protocol.PlaceTB]{}, &components.Pool[protocol.TBFinished]{})
	for _, w := range with {
		builder = w(builder)
	}
	var err error
	b.sm, err = builder.Build("SM")
	require.NoError(t, err)
	b.memory = &memory{Peer: rig.NewPeer[*protocol.Packet](b.Bench, "Memory", 4, b.sm.Reply, b.sm.Request), latency: memoryLatency}
	b.memory.Answer = b.memory.answer
	b.driver = rig.NewPeer[sim.Msg](b.Bench, "Driver", 4, b.sm.Driver)
	if spec.TLB.Entries > 0 {
		b.mmu = newMMU(b)
	}
	return b
}

// tells has the SM tell the driver of thread blocks that wait as a whole.
func tells(b Builder) Builder { return b.WithSwitching(true) }

// chain holds back each thread block until the one before has finished.
func (b *bench) chain() {
	b.driver.Mute = func(uint64) bool { return len(b.driver.Sent) > len(b.driver.Got) }
}

// recorder is a warp's instructions; it notes the cycle at which each issues.
type recorder struct {
	list   []workload.Inst
	next   int
	sm     *SM
	issued []uint64
}

func (r *recorder) Fetch(inst *workload.Inst) bool {
	if r.next == len(r.list) {
		return false
	}
	*inst = r.list[r.next]
	r.next++
	return true
}

func (r *recorder) Execute(*workload.Inst) { r.issued = append(r.issued, r.sm.residents.Cycle) }

// place queues a thread block of warps with the given instructions, and returns
// the warps.
func (b *bench) place(id tenant.ID, warps ...[]workload.Inst) []*recorder {
	return b.placeLaunch(id, 0, warps...)
}

// placeLaunch is place for a thread block of the tenant's launch of a number.
func (b *bench) placeLaunch(id tenant.ID, launch uint64, warps ...[]workload.Inst) []*recorder {
	var recorders []*recorder
	var streams []workload.Stream
	for _, list := range warps {
		r := &recorder{list: list, sm: b.sm}
		recorders, streams = append(recorders, r), append(streams, r)
	}
	b.placeStreams(id, streams...).Launch = launch
	return recorders
}

// placeStreams is place for a thread block of the given warps.
func (b *bench) placeStreams(id tenant.ID, streams ...workload.Stream) *protocol.PlaceTB {
	return b.placeStreamsAt(b.Cycle(), id, streams...)
}

// placeAt is place at a cycle to come, for a thread block of one warp.
func (b *bench) placeAt(cycle uint64, id tenant.ID, list []workload.Inst) *recorder {
	r := &recorder{list: list, sm: b.sm}
	b.placeStreamsAt(cycle, id, r)
	return r
}

func (b *bench) placeStreamsAt(cycle uint64, id tenant.ID, streams ...workload.Stream) *protocol.PlaceTB {
	m := &protocol.PlaceTB{TB: &workload.TB{Warps: streams}, Account: id.Account(0), Serial: uint64(len(b.placed)) + 1,
		Demand: occupancy.Demand{TBs: 1, Threads: 32 * len(streams), Warps: len(streams)}}
	b.placed = append(b.placed, m)
	b.driver.Send(cycle, m)
	return m
}

// run lets everything finish and returns the cycle at which each report arrives
// at the SM driver.
func (b *bench) run() []uint64 {
	b.Run()
	require.Len(b.t, b.driver.Got, len(b.placed), "the SM loses a thread block")
	return rig.Cycles(b.driver.Got)
}

// kernel is the counters of a tenant at the end of the run.
func (b *bench) kernel(k int) *TenantStats { return b.sm.Stats(0).Accounts.Of(tenant.Account(k)) }

func repeat(n int, inst workload.Inst) []workload.Inst {
	list := make([]workload.Inst, n)
	for i := range list {
		list[i] = inst
	}
	return list
}

// issues runs one warp alone and returns the cycles at which its instructions
// issue, relative to the first.
func issues(t rig.T, spec Spec, list ...workload.Inst) []uint64 {
	b := newBench(t, spec)
	r := b.place(0, list)[0]
	b.run()
	return relative(r.issued, r.issued[0])
}

// relative is cycles counted from a start.
func relative(cycles []uint64, start uint64) []uint64 {
	from := make([]uint64, len(cycles))
	for i, c := range cycles {
		from[i] = c - start
	}
	return from
}

// duration is the time that a thread block of one warp with these instructions
// takes, report included.
func duration(t *testing.T, spec Spec, list []workload.Inst) uint64 {
	b := newBench(t, spec)
	b.place(0, list)
	return b.run()[0]
}
