package wiring

import (
	"cmp"
	"fmt"

	"cotenant/interconnect"
	"cotenant/mem"
)

// topology makes the GPU's topology, nil where every SM asks a line's home.
func (c *Config) topology() (mem.Topology, error) { return mem.NewTopology(c.Topology, c.ground()) }

func (c *Config) ground() mem.Ground {
	return mem.Ground{SMs: c.SMs.Count(), GPCs: c.GPCs, AddressSpec: c.Address}
}

// sliceNetwork is a crossbar between slices, with the parameters of one between SMs and
// slices where FarNoC sets none.
func (c *Config) sliceNetwork(base interconnect.Spec) interconnect.Spec {
	far := c.FarNoC
	return interconnect.Spec{
		Inputs: c.Address.Slices, Outputs: c.Address.Slices,
		FlitBytes:   cmp.Or(far.FlitBytes, base.FlitBytes),
		HeaderBytes: cmp.Or(far.HeaderBytes, base.HeaderBytes),
		InputBuffer: cmp.Or(far.InputBuffer, base.InputBuffer), OutputBuffer: cmp.Or(far.OutputBuffer, base.OutputBuffer),
		Latency: cmp.Or(far.Latency, base.Latency),
		Arbiter: cmp.Or(far.Arbiter, base.Arbiter),
	}
}

// validateTopology reports what is wrong with the topology, or with the crossbars between
// slices.
func (c *Config) validateTopology() error {
	topology, err := c.topology()
	if err != nil {
		return err
	}
	if topology != nil && c.L2.ColdLaunches {
		return fmt.Errorf("l2.cold_launches is true, must be false with topology %q, where slices hold copies", c.Topology)
	}
	if err := c.sliceNetwork(c.RequestNoC).Validate(); err != nil {
		return fmt.Errorf("far_noc.%w", err)
	}
	return nil
}

// slicesOf is the map from line to slice of an SM.
func (w *wiring) slicesOf(sm int, addresses *mem.AddressMap) func(line uint64) int {
	if part := w.partOf(sm); part != nil {
		return part.Slice
	}
	if w.topology == nil {
		return addresses.Slice
	}
	near := make([]int, w.Config.Address.Slices)
	for home := range near {
		near[home] = w.topology.Near(sm, home)
	}
	return func(line uint64) int { return near[addresses.Slice(line)] }
}

// joinSlices makes the crossbars between slices, and joins them, if slices hold copies.
func (w *wiring) joinSlices() {
	if w.topology == nil || w.err != nil {
		return
	}
	crossbar := func(name, key string, base interconnect.Spec) *interconnect.Crossbar {
		spec := w.Config.sliceNetwork(base)
		x, err := interconnect.Builder{}.WithSpec(spec).WithDomain(w.noc).Build(name)
		w.add(module{x, "Crossbar", key, spec, func(uint64) any { s := x.Stats(); return &s }}, err)
		return x
	}
	requests := crossbar("GPU.FarRequestNoC", "far_request_noc", w.Config.RequestNoC)
	replies := crossbar("GPU.FarReplyNoC", "far_reply_noc", w.Config.ReplyNoC)
	if w.err != nil {
		return
	}
	for i, s := range w.Slices {
		c := s.Copies
		w.add(module{c, "Copies", "l2_copies", struct{}{}, func(uint64) any { return c.Stats() }}, nil)
		w.join(c.Ask, requests.Inputs[i])
		w.join(requests.Outputs[i], c.Served)
		w.join(c.Answer, replies.Inputs[i])
		w.join(replies.Outputs[i], c.Told)
	}
}
