package wiring

import (
	"fmt"
	"reflect"
	"slices"

	"cotenant/components"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/host/pager"
	"cotenant/host/pcie"
	"cotenant/interconnect"
	"cotenant/irc"
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/mem/l2"
	"cotenant/mem/mmu/fill"
	"cotenant/mem/mmu/l2tlb"
	"cotenant/mem/pages"
	"cotenant/metrics/latency"
	"cotenant/platform/blocks"
	"cotenant/preeng"
	"cotenant/protocol"
	"cotenant/sm"
	"cotenant/sm/hot"
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
)

// Platform is a GPU that has been wired and is ready to run.
type Platform struct {
	Config Config

	Host         *host.Host
	PCIe         *pcie.Engines // nil if the host is ideal
	Driver       *dispatcher.Driver
	SMs          []*sm.SM
	PreEngs      []*preeng.Engine
	RequestNoC   *interconnect.Crossbar
	ReplyNoC     *interconnect.Crossbar
	Slices       []*l2.Slice
	Channels     []*dram.Controller
	Pages        *pages.Table // nil, as the three that follow, if the GPU does not translate addresses
	L2TLB        *l2tlb.TLB
	FillUnit     *fill.Unit
	Pager        *pager.Pager
	engine       *components.Engine
	core         *components.Domain
	noc          *components.Domain
	memoryClock  *components.Domain
	modules      []module
	blocks       []module        // of them, those at joints
	parts        []sim.Component // of blocks
	observers    []observer
	launches     launches
	residency    residency
	lastProgress uint64 // warp instructions at lastMoved
	lastMoved    uint64 // core cycle
	drains       drains
	giveUp       uint64 // core cycle; 0 never
	watchdog     *watchdog
	spins        *spins
	enough       func() bool // ends a run early; nil if nothing does
	ended        uint64      // core cycle at which it, or an interruption, did
	warmup       warmup
	lines        *hot.Lines        // nil: not counted
	latencies    *latency.Recorder // nil: not measured
}

// module is a block, with what the netlist and the results say of it.
type module struct {
	sim.Component
	kind  string
	key   string // that its counters have in results
	spec  any
	stats func(cycle uint64) any // counters up to a core cycle, a pointer to a struct
}

// driverSMs lists what the SM driver knows of each SM. Kinds with the same
// parameters are one kind to a policy, whatever their names.
func (c *Config) driverSMs() (list []dispatcher.SM) {
	var kinds []sm.Spec
	for _, m := range c.SMList() {
		kind := slices.IndexFunc(kinds, func(s sm.Spec) bool { return reflect.DeepEqual(s, m.Spec) })
		if kind < 0 {
			kind = len(kinds)
			kinds = append(kinds, m.Spec)
		}
		list = append(list, dispatcher.SM{Capacity: m.Spec.Capacity(), Kind: kind, Schedulers: m.Spec.Schedulers, IssueWidth: m.Spec.IssueWidth, Takes: m.Spec.Takes(),
			GPC: c.gpcOf(len(list), &m.Spec)})
	}
	return list
}

// machine is what policies may know of the GPU beside its SMs.
func (c *Config) machine() policy.Machine {
	noc := float64(c.Clocks.NoC) * 1e6
	return policy.Machine{
		ReplyBytesPerSecond: noc * float64(c.ReplyNoC.FlitBytes*min(c.SMs.Count(), c.Address.Slices)),
		DRAMBytesPerSecond:  float64(c.DRAM.PeakBytesPerSecond(uint64(c.Clocks.DRAM)*1_000_000)) * float64(c.Address.Channels),
		RateIntervalSeconds: float64(c.SMList()[0].Spec.IRC.IntervalCycles) / noc,
		BaseSM:              c.SM.Capacity(),
		SMsPerTPC:           c.Driver.TPCSMs,
		ComputeCapability:   c.Driver.ComputeCapability,
		MPSClients:          c.Driver.MPSClients,
		TimeSliceCycles:     uint64(c.Driver.TimeSliceMicroseconds) * uint64(c.Clocks.Core),
		FlitBytes:           c.ReplyNoC.FlitBytes,
		L1LineBytes:         protocol.LineBytes,
		L2LineBytes:         protocol.LineBytes,
	}
}

// Listeners are told what happens on the GPU and its host, for timelines and
// reports.
type Listeners struct {
	Host   host.Listener
	Copies pcie.Listener
	Driver dispatcher.Listener
	Faults fill.Listener
	Pager  pager.Listener
}

// New wires a GPU, and a host that runs processes on it, under a policy. It
// returns an error if a parameter is out of range or a kernel cannot be launched
// on it.
func New(c Config, p policy.Policy, processes []host.Process) (*Platform, error) {
	return NewWatched(c, p, processes, Listeners{})
}

// NewWatched is New with listeners.
func NewWatched(c Config, p policy.Policy, processes []host.Process, listeners Listeners) (*Platform, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("GPU %s: %w", c.Name, err)
	}
	w := &wiring{Platform: &Platform{Config: c, engine: components.NewEngine()}}
	var err error
	w.topology, err = c.topology()
	w.check(err)
	w.core = w.clock("core", c.Clocks.Core)
	w.noc = w.clock("noc", c.Clocks.NoC)
	l2Clock := w.clock("l2", c.Clocks.L2)
	w.memoryClock = w.clock("dram", c.Clocks.DRAM)
	busClock := w.busClock()
	if w.err != nil {
		return nil, w.err
	}
	addresses, err := mem.NewAddressMap(c.Address)
	if err != nil {
		return nil, err
	}
	w.check(c.checkTenants(processes))
	w.makeParts()
	if w.err != nil {
		return nil, w.err
	}
	w.makeHost(p, processes, listeners, busClock)
	w.makeCores(p, processes, w.listen(listeners.Driver), addresses)
	w.makeMemory(addresses, processes, l2Clock)
	w.joinSlices()
	w.makeMMU(len(w.SMs), listeners)
	if w.err != nil {
		return nil, w.err
	}
	w.connect(addresses)
	return w.Platform, w.err
}

// wiring builds a Platform. The first error ends it.
type wiring struct {
	*Platform
	topology mem.Topology      // nil where every SM asks a line's home
	memories []*mem.AddressMap // of the instances that have a part of the memory; nil: all of it
	err      error
}

func (w *wiring) clock(name string, mhz int) *components.Domain {
	d, err := w.engine.AddDomain(name, uint64(mhz)*1_000_000)
	w.check(err)
	return d
}

func (w *wiring) check(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *wiring) add(m module, err error) {
	w.check(err)
	w.modules = append(w.modules, m)
}

// busClock makes the clock of the copy engines, if there are any.
func (w *wiring) busClock() *components.Domain {
	if w.Config.Host.Ideal {
		return nil
	}
	return w.clock("pcie", w.Config.Host.PCIe.ClockMHz)
}

// makeHost makes the host and the copy engines.
func (w *wiring) makeHost(p policy.Policy, processes []host.Process, listeners Listeners, busClock *components.Domain) {
	spec := &w.Config.Host
	var err error
	w.Host, err = host.Builder{}.WithSpec(spec.Spec).WithBus(spec.bus()).WithDomain(w.core).WithProcesses(processes).
		WithConcurrent(p.Needs().Concurrent).WithListener(listeners.Host).Build("Host")
	w.add(module{w.Host, "Host", "host", spec.Spec, func(cycle uint64) any { return w.Host.Stats(cycle) }}, err)
	if !spec.Ideal {
		w.PCIe, err = pcie.Builder{}.WithSpec(spec.PCIe).WithDomain(busClock).WithListener(listeners.Copies).WithShares(w.Config.copyEngines()).Build("PCIe")
		w.add(module{w.PCIe, "CopyEngine", "pcie", spec.PCIe, func(uint64) any { return w.PCIe.Stats() }}, err)
	}
}

// manySMs is the number of SMs from which on a simulation uses huge pages.
const manySMs = 32

// makeCores makes the SM driver and the SMs.
func (w *wiring) makeCores(p policy.Policy, processes []host.Process, listener dispatcher.Listener, addresses *mem.AddressMap) {
	c := &w.Config
	sms, known := c.SMList(), c.driverSMs()
	if len(sms) >= manySMs {
		useHugePages()
	}
	var names []string
	for i := range processes {
		names = append(names, processes[i].App.Name)
		w.check(c.Driver.Check(known, processes[i].App))
	}
	placements, reports := &components.Pool[protocol.PlaceTB]{}, &components.Pool[protocol.TBFinished]{}
	var err error
	w.Driver, err = dispatcher.Builder{}.WithSpec(c.Driver).WithDomain(w.core).WithPolicy(p).
		WithSMs(known).WithMachine(c.machine()).WithBounds(c.bounds(len(processes))).
		WithTenants(names).WithMessages(placements, reports).
		WithContexts(c.contextBytes).WithListener(listener).Build("GPU.Driver")
	w.add(module{w.Driver, "Driver", "driver", c.Driver, func(uint64) any { return w.Driver.Stats() }}, err)
	packets := &components.Pool[protocol.Packet]{}
	b := sm.Builder{}.WithDomain(w.core).WithClocks(c.Clocks.Core, c.Clocks.NoC).WithCount(len(sms)).
		WithPackets(packets).WithMessages(placements, reports).WithKernels(kernelsAtOnce(processes)).
		WithPages(c.MMU.PageBytes, &components.Pool[protocol.Translation]{}).WithSwitching(c.Driver.BlockSwitching.Extra > 0)
	e := preeng.Builder{}.WithSpec(c.PreEng).WithDomain(w.core, c.Clocks.Core).WithPackets(packets)
	several := len(c.Kinds()) > 1
	slots := 0 // warp slots of the SMs before
	for i := range sms {
		spec := sms[i].Spec
		m, err := b.WithID(i).WithSpec(spec).WithSlices(w.slicesOf(i, addresses)).WithFirstWarp(slots).Build(fmt.Sprintf("GPU.SM[%d]", i))
		kind := "SM"
		if several {
			kind += "_" + sms[i].Kind
		}
		w.add(module{m, kind, "sm", spec, func(cycle uint64) any { return m.Stats(cycle) }}, err)
		w.addRateController(m, spec)
		w.SMs = append(w.SMs, m)
		slots += spec.WarpSlots()
		engine, err := e.WithID(i).Build(fmt.Sprintf("GPU.PreEng[%d]", i))
		w.add(module{engine, "PreEng", "preeng", c.PreEng, func(uint64) any { return engine.Stats() }}, err)
		w.PreEngs = append(w.PreEngs, engine)
	}
}

// kernelsAtOnce is how many kernels can be on the GPU at once: a kernel of each stream.
func kernelsAtOnce(processes []host.Process) (n int) {
	for i := range processes {
		streams := map[int]bool{}
		for _, k := range processes[i].App.Kernels() {
			streams[k.Stream] = true
		}
		n += max(1, len(streams)) // a host program that tells none before it runs
	}
	return n
}

// addRateController adds an SM's issue-rate controller, if the SM has one, as a module of
// its own.
func (w *wiring) addRateController(m *sm.SM, spec sm.Spec) {
	if w.err != nil {
		return
	}
	if c, ok := m.RateController().(*irc.Controller); ok {
		w.add(module{c, "IRC", "irc", spec.IRC, func(cycle uint64) any { return c.Stats(cycle) }}, nil)
	}
}

// makeMemory makes crossbars, L2 slices and DRAM channels.
func (w *wiring) makeMemory(addresses *mem.AddressMap, processes []host.Process, l2Clock *components.Domain) {
	c := &w.Config
	requests := c.noc(c.RequestNoC, len(w.SMs), c.Address.Slices)
	replies := c.noc(c.ReplyNoC, c.Address.Slices, len(w.SMs))
	var err error
	w.RequestNoC, err = interconnect.Builder{}.WithSpec(requests).WithDomain(w.noc).WithTiers(c.tiers(c.RequestNoC)...).Build("GPU.RequestNoC")
	w.add(module{w.RequestNoC, "Crossbar", "request_noc", requests, func(uint64) any { s := w.RequestNoC.Stats(); return &s }}, err)
	w.ReplyNoC, err = interconnect.Builder{}.WithSpec(replies).WithDomain(w.noc).WithTiers(turned(c.tiers(c.ReplyNoC))...).Build("GPU.ReplyNoC")
	w.add(module{w.ReplyNoC, "Crossbar", "reply_noc", replies, func(uint64) any { s := w.ReplyNoC.Stats(); return &s }}, err)
	pool := &components.Pool[protocol.DRAMRequest]{}
	slices := l2.Builder{}.WithSpec(c.L2).WithDomain(l2Clock).WithPool(pool)
	packets := &components.Pool[protocol.Packet]{} // between slices
	for i := range c.Address.Slices {
		b := slices.WithAddresses(w.addressesOf(i, addresses), i)
		if w.topology != nil {
			b = b.WithCopies(c.ground().Holders(w.topology, i), packets)
		}
		s, err := b.Build(fmt.Sprintf("GPU.L2[%d]", i))
		w.add(module{s, "Slice", "l2", c.L2, func(uint64) any { return s.Stats() }}, err)
		w.Slices = append(w.Slices, s)
	}
	var tenants []tenant.Attributes
	for i := range processes {
		tenants = append(tenants, processes[i].Attributes)
	}
	for i := range c.Address.Channels {
		m, err := dram.Builder{}.WithSpec(c.DRAM).WithDomain(w.memoryClock).WithAddressMap(addresses).WithPool(pool).WithTenants(tenants).Build(fmt.Sprintf("GPU.DRAM[%d]", i))
		w.add(module{m, "Controller", "dram", c.DRAM, func(uint64) any { s := m.Stats(); return &s }}, err)
		w.Channels = append(w.Channels, m)
	}
}

// connect joins the blocks' ports.
func (w *wiring) connect(addresses *mem.AddressMap) {
	w.join(w.Host.Driver, w.Driver.Host)
	if w.PCIe != nil {
		w.join(w.Host.Copies, w.PCIe.Host)
	}
	for i, m := range w.SMs {
		w.join(w.Driver.SMs[i], m.Driver)
		w.joinMMU(i, m.TLB, m.Faults)
		w.join(w.Driver.PreEngs[i], w.PreEngs[i].Driver)
		w.join(w.PreEngs[i].SM, m.PreEng)
		w.through(blocks.SMToRequestNoC, i, m.Domain(), m.Request, w.RequestNoC.Inputs[i])
		w.through(blocks.ReplyNoCToSM, i, w.noc, w.ReplyNoC.Outputs[i], m.Reply)
	}
	for i, s := range w.Slices {
		w.through(blocks.RequestNoCToSlice, i, w.noc, w.RequestNoC.Outputs[i], s.Request)
		w.through(blocks.SliceToReplyNoC, i, s.Domain(), s.Reply, w.ReplyNoC.Inputs[i])
		w.through(blocks.SliceToChannel, i, s.Domain(), s.DRAM, w.Channels[addresses.Channel(i)].Port(addresses.Rank(i)))
	}
}

func (w *wiring) join(a, b sim.Port) {
	_, err := components.Join(a, b)
	w.check(err)
}

// noc completes a crossbar's parameters by its numbers of ports.
func (c *Config) noc(s interconnect.Spec, inputs, outputs int) interconnect.Spec {
	s.Inputs, s.Outputs = inputs, outputs
	return s
}
