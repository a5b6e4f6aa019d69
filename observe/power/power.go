// Package power reports the energy of a run over time, by tenant and part of the GPU.
package power

import (
	"cotenant/experiment"
	"cotenant/metrics"
	"cotenant/observe/sample"
	"cotenant/platform/wiring"
)

// Schema is the version of the JSON form.
const Schema = 1

// Nobody is the name of what no tenant's events take: idle power, and traffic of no tenant.
const Nobody = "nobody"

// Report is the energy of a run behind its warm-up.
type Report struct {
	Schema  int    `json:"schema"`
	GPU     string `json:"gpu"`
	Policy  string `json:"policy"`
	Version string `json:"version"`
	// ConfigHash is that of the run's result.
	ConfigHash string  `json:"config_hash"`
	Cycles     uint64  `json:"cycles"`  // core cycles of the run
	Seconds    float64 `json:"seconds"` // of simulated time
	// Source says where the energies of events are from.
	Source string `json:"source"`
	// Joules is the energy of the run, the sum over all intervals and owners.
	Joules    float64    `json:"joules"`
	Tenants   []Owner    `json:"tenants"` // the last is Nobody, with tenant -1
	Intervals []Interval `json:"intervals"`
}

// Owner is a tenant's energy in joules.
type Owner struct {
	Tenant int     `json:"tenant"`
	Name   string  `json:"name"`
	Joules float64 `json:"joules"`
	metrics.EnergyParts
}

// Interval is a span of the run.
type Interval struct {
	Cycle   uint64  `json:"cycle"`   // core cycle at its end
	Cycles  uint64  `json:"cycles"`  // its length
	Tenants []Owner `json:"tenants"` // as in Report
}

// New makes the report of a result from samples of its GPU that count events.
func New(result *experiment.Result, gpu *wiring.Config, tenants []string, samples []sample.Sample) (*Report, error) {
	c, err := result.Energies(gpu)
	if err != nil {
		return nil, err
	}
	r := &Report{Schema: Schema, GPU: result.GPU, Policy: result.Policy, Version: result.Version, ConfigHash: result.ConfigHash, Cycles: result.Cycles, Source: c.About}
	names := append(append([]string{}, tenants...), Nobody)
	before := make([]metrics.EnergyParts, len(names))
	for i := range samples {
		now, from := energies(&c.Energies, samples[i].Events), samples[max(i-1, 0)].Cycle
		if total := samples[i].Events[len(tenants)]; total.Seconds == 0 {
			continue // before the end of the warm-up
		} else if r.Seconds == 0 {
			from = samples[i].Cycle - cyclesOf(total.Seconds, gpu)
		}
		r.Seconds = samples[i].Events[len(tenants)].Seconds
		span := Interval{Cycle: samples[i].Cycle, Cycles: samples[i].Cycle - from}
		for k, name := range names {
			span.Tenants = append(span.Tenants, owner(k, name, now[k].Since(before[k])))
		}
		r.Intervals = append(r.Intervals, span)
		before = now
	}
	for k, name := range names {
		r.Tenants = append(r.Tenants, owner(k, name, before[k]))
		r.Joules += r.Tenants[k].Joules
	}
	r.Tenants[len(tenants)].Tenant = wiring.All
	for i := range r.Intervals {
		r.Intervals[i].Tenants[len(tenants)].Tenant = wiring.All
	}
	return r, nil
}

func owner(k int, name string, parts metrics.EnergyParts) Owner {
	return Owner{Tenant: k, Name: name, Joules: parts.Sum(), EnergyParts: parts}
}

// cyclesOf are the core cycles of a time.
func cyclesOf(seconds float64, gpu *wiring.Config) uint64 {
	return uint64(seconds*float64(gpu.Clocks.Core)*1e6 + 0.5)
}

// energies are those of each tenant's events, and last of what is nobody's: the GPU's without the
// tenants'.
func energies(c *metrics.Energies, events []metrics.Events) (list []metrics.EnergyParts) {
	last := len(events) - 1
	rest := events[last]
	for _, e := range events[:last] {
		list = append(list, c.Parts(e))
		rest = rest.Without(e)
	}
	return append(list, c.Parts(rest))
}

// Watts are the mean power of a tenant in an interval.
func (r *Report) Watts(i *Interval, tenant int) float64 {
	return i.Tenants[tenant].Joules / (r.Seconds * float64(i.Cycles) / float64(r.Cycles))
}
