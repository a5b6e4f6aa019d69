package instances

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/components/limits"
	"cotenant/cta_dispatcher/policy"
	"cotenant/tenant"
)

// Profiles describe how a GPU can be divided. The zero value is a GPU that cannot be.
type Profiles struct {
	// MemorySlices is the number of equal parts of the memory (A100 and H100: 8). It divides
	// the number of DRAM channels.
	MemorySlices int `yaml:"memory_slices" range:"0..64"`
	// Profiles are the sizes that an instance can have.
	Profiles []Profile `yaml:"profiles"`
}

// Profile is a size of an instance.
type Profile struct {
	// Name is the profile's in NVIDIA's tools, such as 3g.20gb.
	Name string `yaml:"name"`
	// SMs is the number of SMs.
	SMs int `yaml:"sms" range:"1..1024"`
	// MemorySlices is the number of memory slices.
	MemorySlices int `yaml:"memory_slices" range:"1..64"`
	// Starts lists the memory slices with which an instance can begin.
	Starts []int `yaml:"starts"`
	// MemoryMiB is the memory that programs are told and can allocate, in MiB.
	MemoryMiB int `yaml:"memory_mib" range:"1..1<<20"`
	// CopyEngines is the number of copies between host and device under way at a time.
	CopyEngines int `yaml:"copy_engines" range:"1..64"`
}

// Request asks for an instance. A file may give the profile alone.
type Request struct {
	// Profile names it.
	Profile string `yaml:"profile"`
	// Tenants are the numbers of the applications that run in the instance, from 0 in the
	// order of the command line. Default: one, the lowest that no request names and no earlier
	// request has.
	Tenants []int `yaml:"tenants"`
}

// Short is the part of a request that a text sets.
func (r *Request) Short() any { return &r.Profile }

// Instance is a part of a GPU.
type Instance struct {
	Profile string
	Tenants []int
	// SMs are the SMs of the instance.
	SMs policy.Range
	// FirstSlice is its first memory slice, MemorySlices the number.
	FirstSlice, MemorySlices int
	MemoryMiB                int
	CopyEngines              int
}

// Has reports whether a tenant runs in the instance.
func (i *Instance) Has(number int) bool { return slices.Contains(i.Tenants, number) }

// Of returns the instance of a tenant, nil if there is none.
func Of(list []Instance, number int) *Instance {
	for i := range list {
		if list[i].Has(number) {
			return &list[i]
		}
	}
	return nil
}

// Place gives each request its SMs and memory slices, or says what is wrong: unknown profiles,
// profiles that do not fit beside each other, and tenants in two instances. sms is the number
// of the GPU's SMs. SMs are numbered in the order of the memory slices.
func (p *Profiles) Place(requests []Request, sms int) ([]Instance, error) {
	var list []Instance
	named := func(number int) bool {
		return slices.ContainsFunc(requests, func(r Request) bool { return slices.Contains(r.Tenants, number) })
	}
	for i, r := range requests {
		f := p.named(r.Profile)
		if f == nil {
			return nil, fmt.Errorf("mig[%d].profile is %q; valid: %s", i, r.Profile, p.names())
		}
		tenants := r.Tenants
		if tenants == nil {
			lowest := 0
			for named(lowest) || Of(list, lowest) != nil {
				lowest++
			}
			tenants = []int{lowest}
		}
		for _, t := range tenants {
			if t < 0 || t >= tenant.Max {
				return nil, fmt.Errorf("mig[%d].tenants has %d, must be 0 to %d", i, t, tenant.Max-1)
			}
			if other := Of(list, t); other != nil {
				return nil, fmt.Errorf("mig[%d].tenants has tenant %d, which runs in instance %s already; valid: each tenant once", i, t, other.Profile)
			}
		}
		list = append(list, Instance{Profile: f.Name, Tenants: tenants, SMs: policy.Range{End: f.SMs}, MemorySlices: f.MemorySlices,
			MemoryMiB: f.MemoryMiB, CopyEngines: f.CopyEngines})
	}
	if !p.lay(list, 0, make([]bool, p.MemorySlices)) {
		return nil, fmt.Errorf("mig has %s, which do not fit beside each other; valid: %s", wanted(requests), p.most())
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return list[a].FirstSlice - list[b].FirstSlice })
	next := 0
	for _, i := range order {
		s := &list[i].SMs
		s.First, s.End = next, next+s.End
		if next = s.End; next > sms {
			return nil, fmt.Errorf("mig has %s, which take %d SMs; valid: at most %d", wanted(requests), next, sms)
		}
	}
	return list, nil
}

// lay finds memory slices for the instances from one on, and reports whether there are any.
func (p *Profiles) lay(list []Instance, from int, taken []bool) bool {
	if from == len(list) {
		return true
	}
	i := &list[from]
	for _, start := range p.named(i.Profile).Starts {
		part := taken[start : start+i.MemorySlices]
		if slices.Contains(part, true) {
			continue
		}
		fill(part, true)
		if i.FirstSlice = start; p.lay(list, from+1, taken) {
			return true
		}
		fill(part, false)
	}
	return false
}

// named is the profile of a name, nil if there is none.
func (p *Profiles) named(name string) *Profile {
	for i := range p.Profiles {
		if p.Profiles[i].Name == name {
			return &p.Profiles[i]
		}
	}
	return nil
}

func fill(part []bool, with bool) {
	for i := range part {
		part[i] = with
	}
}

func (p *Profiles) names() string {
	if len(p.Profiles) == 0 {
		return "a GPU with mig_profiles, such as a100 or h100"
	}
	var list []string
	for _, f := range p.Profiles {
		list = append(list, f.Name)
	}
	return strings.Join(list, ", ")
}

// most lists how many instances of each profile fit, and where each can start.
func (p *Profiles) most() string {
	var list []string
	for _, f := range p.Profiles {
		list = append(list, fmt.Sprintf("%s from memory slice %s, %d long", f.Name, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(f.Starts)), " or "), "[]"), f.MemorySlices))
	}
	return strings.Join(list, "; ")
}

func wanted(requests []Request) string {
	var list []string
	for _, r := range requests {
		list = append(list, r.Profile)
	}
	return strings.Join(list, ", ")
}

// Validate returns an error that names the first field that is out of range. channels is the
// number of the GPU's DRAM channels.
func (p *Profiles) Validate(channels int) error {
	if len(p.Profiles) == 0 {
		return nil
	}
	if p.MemorySlices < 1 || channels%p.MemorySlices != 0 {
		return fmt.Errorf("memory_slices is %d, must be at least 1 and divide address.channels, which is %d", p.MemorySlices, channels)
	}
	for i, f := range p.Profiles {
		if err := limits.Check(f); err != nil {
			return fmt.Errorf("profiles[%d].%w", i, err)
		}
		for _, s := range f.Starts {
			if s < 0 || s+f.MemorySlices > p.MemorySlices {
				return fmt.Errorf("profiles[%d].starts has %d, must be from 0 to %d", i, s, p.MemorySlices-f.MemorySlices)
			}
		}
	}
	return nil
}
