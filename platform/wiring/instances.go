package wiring

import (
	"fmt"

	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/mig"
	"cotenant/host"
	"cotenant/host/pcie"
	"cotenant/mem"
	"cotenant/platform/instances"
	"cotenant/workload"
)

// PlaceInstances gives the instances of MIG their SMs and memory slices, or says which
// instances are valid.
func (c *Config) PlaceInstances() (err error) {
	c.Instances, err = c.MIGProfiles.Place(c.MIG, c.SMs.Count())
	if err == nil && len(c.MIG) > 0 && len(c.Kinds()) > 1 {
		err = fmt.Errorf("mig has %d instances, must have none on a GPU with SMs of several kinds", len(c.MIG))
	}
	return err
}

// Whole is the GPU without instances.
func (c *Config) Whole() *Config {
	whole := *c
	whole.MIG, whole.Instances = nil, nil
	return &whole
}

// Described says what an instance has: SMs, slices, channels, memory and tenants.
func (c *Config) Described(in *instances.Instance) string {
	channels := c.Address.Channels / c.MIGProfiles.MemorySlices
	return fmt.Sprintf("%s, SMs %d to %d, DRAM channels %d to %d and their L2 slices, %d MiB, %s, tenants %v", in.Profile, in.SMs.First, in.SMs.End-1,
		in.FirstSlice*channels, (in.FirstSlice+in.MemorySlices)*channels-1, in.MemoryMiB, workload.Count(in.CopyEngines, "copy engine"), in.Tenants)
}

// Divide returns the policy that runs in each instance of the GPU, or in the whole GPU if there
// are none. Make makes the policy.
func (c *Config) Divide(make func() (policy.Policy, error)) (policy.Policy, error) {
	if len(c.Instances) == 0 {
		return make()
	}
	var parts []mig.Part
	whole := c.machine()
	for i := range c.Instances {
		in := &c.Instances[i]
		m, share := whole, c.share(in)
		m.ReplyBytesPerSecond = float64(c.Clocks.NoC) * 1e6 * float64(c.ReplyNoC.FlitBytes*min(in.SMs.End-in.SMs.First, int(share*float64(c.Address.Slices))))
		m.DRAMBytesPerSecond *= share
		parts = append(parts, mig.Part{SMs: in.SMs, Has: in.Has, Machine: m})
	}
	return mig.New(parts, make)
}

// share is the part of the memory that an instance has.
func (c *Config) share(in *instances.Instance) float64 {
	return float64(in.MemorySlices) / float64(c.MIGProfiles.MemorySlices)
}

// bounds are the SMs of each tenant's instance; nil if there are no instances.
func (c *Config) bounds(tenants int) (list []policy.Range) {
	if len(c.Instances) == 0 {
		return nil
	}
	for t := range tenants {
		var sms policy.Range
		if in := instances.Of(c.Instances, t); in != nil {
			sms = in.SMs
		}
		list = append(list, sms)
	}
	return list
}

// copyEngines are the copy engines of each instance; nil if there are no instances.
func (c *Config) copyEngines() (list []pcie.Share) {
	for i := range c.Instances {
		list = append(list, pcie.Share{Engines: c.Instances[i].CopyEngines, Has: c.Instances[i].Has})
	}
	return list
}

// checkTenants returns an error if an application has no instance.
func (c *Config) checkTenants(processes []host.Process) error {
	if len(c.Instances) == 0 {
		return nil
	}
	for t := range processes {
		if instances.Of(c.Instances, t) == nil {
			return fmt.Errorf("application %d, %s, runs in no instance of mig; valid: its number %d among the tenants of one", t+1, processes[t].App.Name, t)
		}
	}
	return nil
}

// makeParts makes the address maps of the instances.
func (w *wiring) makeParts() {
	c := &w.Config
	for i := range c.Instances {
		in := &c.Instances[i]
		var part *mem.AddressMap
		if channels := c.Address.Channels / c.MIGProfiles.MemorySlices; in.MemorySlices < c.MIGProfiles.MemorySlices {
			var err error
			part, err = mem.NewPart(c.Address, in.FirstSlice*channels, in.MemorySlices*channels)
			w.check(err)
		}
		w.memories = append(w.memories, part)
	}
}

// partOf is the address map of an SM's instance; nil if that has all of the memory, or there is
// none.
func (w *wiring) partOf(sm int) *mem.AddressMap {
	for i := range w.Config.Instances {
		if w.Config.Instances[i].SMs.Has(sm) {
			return w.memories[i]
		}
	}
	return nil
}

// addressesOf is the address map by which a slice finds its lines in the DRAM.
func (w *wiring) addressesOf(slice int, whole *mem.AddressMap) *mem.AddressMap {
	c := &w.Config
	for i := range c.Instances {
		in, channels := &c.Instances[i], c.Address.Channels/c.MIGProfiles.MemorySlices
		if at := whole.Channel(slice) / channels; w.memories[i] != nil && at >= in.FirstSlice && at < in.FirstSlice+in.MemorySlices {
			return w.memories[i]
		}
	}
	return whole
}
