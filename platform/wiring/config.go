package wiring

import (
	"fmt"

	"cotenant/components/limits"
	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/host"
	"cotenant/host/pager"
	"cotenant/host/pcie"
	"cotenant/interconnect"
	"cotenant/mem"
	"cotenant/mem/dram"
	"cotenant/mem/l2"
	"cotenant/mem/mmu"
	"cotenant/metrics"
	"cotenant/platform/blocks"
	"cotenant/platform/instances"
	"cotenant/preeng"
	"cotenant/sm"
	"cotenant/workload"
)

// Config is a GPU: everything that a preset or a --gpu file can set.
type Config struct {
	// Name of the configuration, in reports.
	Name string `yaml:"name"`
	// About says in a line what it stands for and where its numbers are from.
	About string `yaml:"about"`
	// Target is for whoever opens applications for the GPU: see Streams.
	workload.Target `yaml:",inline"`
	// Clocks of the GPU's four domains.
	Clocks ClockSpec `yaml:"clocks"`
	// SMs is the number of SMs, 1 to 1024 in all, and of which kinds they are.
	SMs SMGroups `yaml:"sms"`
	// GPCs lists the number of SMs of each GPC, in the order of the SMs' numbers; empty: the
	// GPU tells none apart.
	GPCs []int `yaml:"gpcs,omitempty" json:",omitempty"`
	// SM holds the parameters of an SM of the base kind.
	SM sm.Spec `yaml:"sm"`
	// SMKinds holds the parameters of other kinds by name, complete: what a kind does
	// not set in its file it has from SM.
	SMKinds map[string]sm.Spec `yaml:"-" json:",omitempty"`
	// Driver holds the parameters of the SM driver: the limits of a launch.
	Driver dispatcher.Spec `yaml:"driver"`
	// PreEng holds the parameters of every preemption engine.
	PreEng preeng.Spec `yaml:"preeng"`
	// Host holds the parameters of the host, its command queues and the copy
	// engine.
	Host HostSpec `yaml:"host"`
	// RequestNoC is the crossbar from SMs to L2 slices. Its numbers of ports
	// follow from SMs and slices and are not set.
	RequestNoC interconnect.Spec `yaml:"request_noc"`
	// ReplyNoC is the crossbar from L2 slices to SMs.
	ReplyNoC interconnect.Spec `yaml:"reply_noc"`
	// Address is the layout of memory.
	Address mem.AddressSpec `yaml:"address"`
	// Topology says which slice an SM asks for a line: uniform, or "", the line's home;
	// halves, a slice in the SM's half of the L2 that can hold a copy of the line.
	Topology string `yaml:"topology,omitempty" json:",omitempty"`
	// FarNoC holds the parameters of the two crossbars between slices, which a GPU has
	// where slices hold copies. A field of 0 is as in request_noc or reply_noc.
	FarNoC interconnect.Spec `yaml:"far_noc,omitempty" json:",omitzero"`
	// L2 holds the parameters of every L2 slice.
	L2 l2.Spec `yaml:"l2"`
	// DRAM holds the parameters of every DRAM channel.
	DRAM dram.Spec `yaml:"dram"`
	// MMU holds the parameters of address translation: page size, L2 TLB and fill
	// unit. Without entries in the L2 TLB there is none.
	MMU mmu.Spec `yaml:"mmu"`
	// Pager holds the parameters of who serves page faults on the CPU. There is none
	// without MMU.
	Pager pager.Spec `yaml:"pager"`
	// MIGProfiles say how the GPU can be divided into instances (package instances).
	MIGProfiles instances.Profiles `yaml:"mig_profiles,omitempty" json:"-"`
	// MIG asks for instances: profiles, and the tenants of each. Empty: the GPU is whole.
	MIG []instances.Request `yaml:"mig,omitempty" json:"-"`
	// Instances have their places on the GPU; PlaceInstances makes them from MIG.
	Instances []instances.Instance `yaml:"-" json:",omitempty"`
	// Energies names the table of events' energies by which power is told (metrics.EnergiesOf).
	// It changes no run.
	Energies string `yaml:"energies,omitempty" json:"-"`
	// Blocks are the blocks at the GPU's joints, of which presets have none. A
	// key with the value off takes one out again.
	Blocks blocks.Set `yaml:"blocks,omitempty" json:",omitempty"`
}

// HostSpec holds the parameters of the host's side.
type HostSpec struct {
	host.Spec `yaml:",inline"`
	// PCIe holds the parameters of the copy engines and their bus. There are none if the
	// host is ideal.
	PCIe pcie.Spec `yaml:"pcie"`
}

// Validate reports the first field that is out of range, by its path.
func (s *HostSpec) Validate() error { return limits.Check(s) }

// bus is what the host is to know of the copy engines.
func (s *HostSpec) bus() host.Bus {
	return host.Bus{Hz: uint64(s.PCIe.ClockMHz) * 1_000_000, Queue: s.PCIe.Queue, Cycles: s.PCIe.Cycles}
}

// ClockSpec holds the frequencies of the clock domains, in MHz.
type ClockSpec struct {
	Core int `yaml:"core_mhz" range:"1..100000"` // SMs, SM driver and command dispatcher
	NoC  int `yaml:"noc_mhz" range:"1..100000"`  // crossbars
	L2   int `yaml:"l2_mhz" range:"1..100000"`   // L2 slices
	DRAM int `yaml:"dram_mhz" range:"1..100000"` // DRAM command clock; GDDR5 moves 4 bits a pin in one cycle
}

// Validate reports the first field that is out of range, by its path.
func (c *Config) Validate() error {
	if err := limits.Check(c.Clocks); err != nil {
		return fmt.Errorf("clocks.%w", err)
	}
	if err := c.SM.Validate(); err != nil {
		return fmt.Errorf("sm.%w", err)
	}
	if err := c.validateSMs(); err != nil {
		return err
	}
	sms := c.SMs.Count()
	for _, part := range []struct {
		path string
		err  error
	}{
		{"address", c.Address.Validate()}, {"driver", c.Driver.Validate()},
		{"preeng", c.PreEng.Validate()}, {"host", c.Host.Validate()},
		{"request_noc", c.noc(c.RequestNoC, sms, c.Address.Slices).Validate()},
		{"reply_noc", c.noc(c.ReplyNoC, c.Address.Slices, sms).Validate()},
		{"l2", c.L2.Validate()}, {"dram", c.DRAM.Validate()}, {"blocks", c.Blocks.Validate()},
	} {
		if part.err != nil {
			return fmt.Errorf("%s.%w", part.path, part.err)
		}
	}
	if err := c.validateTopology(); err != nil {
		return err
	}
	if err := c.validateTiers(); err != nil {
		return err
	}
	if _, err := metrics.EnergiesOf(c.Energies); err != nil {
		return err
	}
	if err := c.MIGProfiles.Validate(c.Address.Channels); err != nil {
		return fmt.Errorf("mig_profiles.%w", err)
	}
	return c.validateMMU()
}

// contextBytes bounds the context of a thread block on any SM.
func (c *Config) contextBytes(d occupancy.Demand) int {
	extra := 0
	for _, m := range c.Kinds() {
		extra = max(extra, m.Spec.ExtraBytes())
	}
	return c.PreEng.ContextBytes(d) + extra
}
