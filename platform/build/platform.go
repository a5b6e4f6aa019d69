package build

import (
	"fmt"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/report"
	"cotenant/interconnect"
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/mem/l2"
	"cotenant/sm"
	"cotenant/sm/command"

	"github.com/sarchlab/akita/v3/sim"
)

// Platform is a GPU that has been wired and is ready to run.
type Platform struct {
	Config Config

	Driver       *dispatcher.Driver
	SMs          []*sm.SM
	RequestNoC   *interconnect.Crossbar
	ReplyNoC     *interconnect.Crossbar
	Slices       []*l2.Slice
	Channels     []*dram.Controller
	engine       *components.Engine
	core         *components.Domain
	noc          *components.Domain
	memoryClock  *components.Domain
	modules      []module
	lastProgress uint64 // warp instructions at lastMoved
	lastMoved    uint64 // core cycle
}

// module is a block, with what the netlist says of it.
type module struct {
	sim.Component
	kind string
	spec any
}

// Capacities lists what each SM of a GPU offers.
func (c *Config) Capacities() []occupancy.Capacity {
	list := make([]occupancy.Capacity, c.SMs)
	for i := range list {
		list[i] = c.SM.Capacity()
	}
	return list
}

// New wires a GPU that runs applications under a policy. It returns an error
// if a parameter is out of range or a thread block fits on no SM.
func New(c Config, p policy.Policy, tenants []dispatcher.Tenant) (*Platform, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("GPU %s: %w", c.Name, err)
	}
	w := &wiring{Platform: &Platform{Config: c, engine: components.NewEngine()}}
	w.core = w.clock("core", c.Clocks.Core)
	w.noc = w.clock("noc", c.Clocks.NoC)
	l2Clock := w.clock("l2", c.Clocks.L2)
	w.memoryClock = w.clock("dram", c.Clocks.DRAM)
	if w.err != nil {
		return nil, w.err
	}
	addresses, err := mem.NewAddressMap(c.Address)
	if err != nil {
		return nil, err
	}
	w.makeCores(p, tenants, addresses)
	w.makeMemory(addresses, l2Clock)
	if w.err != nil {
		return nil, w.err
	}
	w.connect(addresses)
	return w.Platform, w.err
}

// wiring builds a Platform. The first error ends it.
type wiring struct {
	*Platform
	err error
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

func (w *wiring) add(m sim.Component, kind string, spec any, err error) {
	w.check(err)
	w.modules = append(w.modules, module{m, kind, spec})
}

// makeCores makes the SM driver and the SMs.
func (w *wiring) makeCores(p policy.Policy, tenants []dispatcher.Tenant, addresses *mem.AddressMap) {
	c := &w.Config
	placements, reports := &components.Pool[command.PlaceTB]{}, &components.Pool[report.TBFinished]{}
	var err error
	w.Driver, err = dispatcher.Builder{}.WithSpec(c.Driver).WithDomain(w.core).WithPolicy(p).
		WithSMs(c.Capacities()).WithTenants(tenants).WithMessages(placements, reports).Build("GPU.Driver")
	w.add(w.Driver, "Driver", c.Driver, err)
	b := sm.Builder{}.WithSpec(c.SM).WithDomain(w.core).WithCount(c.SMs).WithSlices(addresses.Slice).
		WithPackets(&components.Pool[mem.Packet]{}).WithMessages(placements, reports)
	for i := range c.SMs {
		m, err := b.WithID(i).Build(fmt.Sprintf("GPU.SM[%d]", i))
		w.add(m, "SM", c.SM, err)
		w.SMs = append(w.SMs, m)
	}
}

// makeMemory makes crossbars, L2 slices and DRAM channels.
func (w *wiring) makeMemory(addresses *mem.AddressMap, l2Clock *components.Domain) {
	c := &w.Config
	requests := c.noc(c.RequestNoC, c.SMs, c.Address.Slices)
	replies := c.noc(c.ReplyNoC, c.Address.Slices, c.SMs)
	var err error
	w.RequestNoC, err = interconnect.Builder{}.WithSpec(requests).WithDomain(w.noc).Build("GPU.RequestNoC")
	w.add(w.RequestNoC, "Crossbar", requests, err)
	w.ReplyNoC, err = interconnect.Builder{}.WithSpec(replies).WithDomain(w.noc).Build("GPU.ReplyNoC")
	w.add(w.ReplyNoC, "Crossbar", replies, err)
	pool := &components.Pool[dram.Request]{}
	for i := range c.Address.Slices {
		s, err := l2.Builder{}.WithSpec(c.L2).WithDomain(l2Clock).WithAddresses(addresses, i).WithPool(pool).Build(fmt.Sprintf("GPU.L2[%d]", i))
		w.add(s, "Slice", c.L2, err)
		w.Slices = append(w.Slices, s)
	}
	for i := range c.Address.Channels {
		m, err := dram.Builder{}.WithSpec(c.DRAM).WithDomain(w.memoryClock).WithAddressMap(addresses).WithPool(pool).Build(fmt.Sprintf("GPU.DRAM[%d]", i))
		w.add(m, "Controller", c.DRAM, err)
		w.Channels = append(w.Channels, m)
	}
}

// connect joins the blocks' ports.
func (w *wiring) connect(addresses *mem.AddressMap) {
	for i, m := range w.SMs {
		w.join(w.Driver.SMs[i], m.Driver)
		w.join(m.Request, w.RequestNoC.Inputs[i])
		w.join(w.ReplyNoC.Outputs[i], m.Reply)
	}
	for i, s := range w.Slices {
		w.join(w.RequestNoC.Outputs[i], s.Request)
		w.join(s.Reply, w.ReplyNoC.Inputs[i])
		w.join(s.DRAM, w.Channels[addresses.Channel(i)].Port(addresses.Rank(i)))
	}
}

func (w *wiring) join(a, b *components.Port) {
	_, err := components.Connect(a, b, 1)
	w.check(err)
}

// noc completes a crossbar's parameters by its numbers of ports.
func (c *Config) noc(s interconnect.Spec, inputs, outputs int) interconnect.Spec {
	s.Inputs, s.Outputs = inputs, outputs
	return s
}
