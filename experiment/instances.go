package experiment

import (
	"fmt"

	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/instances"
	"cotenant/platform/wiring"
	"cotenant/workload/source"
)

// checkInstances returns an error if applications on a GPU with instances have no GPU to be
// compared with, if an application has no instance, or if the policy cannot run in instances.
func (r *Run) checkInstances() error {
	list := r.GPU.Instances
	if len(list) == 0 {
		return nil
	}
	if r.IsolatedGPU == nil && len(r.Apps) > 1 {
		return fmt.Errorf("GPU %s has instances, and nothing says what an application has alone; valid: --isolated-gpu with a GPU, such as the one without mig", r.GPU.Name)
	}
	for i := range r.Apps {
		if instances.Of(list, i) == nil {
			return fmt.Errorf("application %q has number %d, which is among the tenants of no instance of GPU %s; valid: its number in mig[%d].tenants", r.Apps[i].Spec, i, r.GPU.Name, len(list)-1)
		}
	}
	_, err := r.GPU.Divide(func() (policy.Policy, error) { return policy.Parse(r.Policy) })
	return err
}

// SourceOf is how the application of a tenant is opened for its GPU, or for its instance.
func (s *Spec) SourceOf(gpu *wiring.Config, tenant int) source.Options {
	o := s.Source(gpu)
	o.Tenant = tenant
	if in := instances.Of(gpu.Instances, tenant); in != nil {
		o.Device.SMs = in.SMs.End - in.SMs.First
		o.Device.MemoryBytes = in.MemoryMiB << 20
		o.Device.CopyEngines = in.CopyEngines
		o.Device.PersistingBytes = 0 // as the guide says of MIG
		o.Device.L2Bytes = o.Device.L2Bytes / gpu.MIGProfiles.MemorySlices * in.MemorySlices
		o.Device.BusBits = o.Device.BusBits / gpu.MIGProfiles.MemorySlices * in.MemorySlices
	}
	return o
}
