package heterocore

import (
	"errors"
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// phase is the progress with a set of kernels.
type phase uint8

const (
	even    phase = iota // a part of each kind for every kernel: nothing can be measured, or will be
	warmUp               // of the profiling
	measure              // of the profiling
	parted               // SMs of one kind for each, as decided
	halved               // a part of each kind for every kernel, as decided
)

// patience limits repetitions of a measurement without a figure for a kernel.
const patience = 5

// finding is the decision for a set.
type finding struct {
	set []member
	big []bool // kernels on the big SMs; nil: each has a part of each kind
}

// dynamic measures kernels and decides by Algorithm 2.
//
// A decision for a set holds while the same runs of the applications go on, so a kernel that
// comes back within them is not measured anew. If the set changes during profiling, profiling
// begins again.
type dynamic struct {
	sharing
	warmup, window uint64 // cycles
	margin         float64

	phase    phase
	known    []finding // of all decided sets; sets of runs that are over never come back
	clock    windows
	start    []uint64 // by tenant: thread blocks finished when profiling began
	meter    meter
	repeated int          // measurements
	ipcs     [][2]float64 // by tenant: measured last on all its SMs, of the other kind and big ones
	told     []told
	present  int // index of the last set to share the GPU
}

// Needs makes it a policy.Policy.
func (p *dynamic) Needs() policy.Needs {
	n := p.sharing.Needs()
	n.Check, n.Explain, n.Registers = checkBase, p.explain, p.registers
	return n
}

// registers adds the phase, and each tenant's last measured IPCs on its SMs.
func (p *dynamic) registers() []policy.RegisterValue {
	list := append(p.sharing.registers(), policy.RegisterValue{Name: "phase", Tenant: -1, Value: float64(p.phase)})
	for tenant, ipc := range p.ipcs {
		list = append(list, policy.RegisterValue{Name: "ipc_big", Tenant: tenant, Value: ipc[1]}, policy.RegisterValue{Name: "ipc_small", Tenant: tenant, Value: ipc[0]})
	}
	return list
}

func checkBase(v *policy.View) error {
	if v.Mixed() && v.Machine.BaseSM.TBs == 0 {
		return errors.New("the capacity of an SM of the base kind is not known")
	}
	return twoKinds(v)
}

// Decide profiles kernels without a decision, and runs them on their SMs.
func (p *dynamic) Decide(v *policy.View, a policy.Actions) {
	changed := p.meet(v)
	if p.start == nil {
		p.start, p.ipcs = make([]uint64, len(v.Tenants)), make([][2]float64, len(v.Tenants))
	}
	ended := v.Event == policy.WindowEnded && p.clock.ended(v)
	switch {
	case changed:
		p.begin(v, a)
	case ended:
		p.goOn(v, a)
	}
	p.dispatch(v, a)
}

// begin divides the SMs for a new set: as was decided before, or so as to measure.
func (p *dynamic) begin(v *policy.View, a policy.Actions) {
	p.clock.forget()
	known := slices.IndexFunc(p.known, func(f finding) bool { return slices.Equal(f.set, p.set) })
	due, ok := p.profile()
	switch {
	case known >= 0:
		p.settle(v, p.known[known].big)
	case !ok:
		p.apply(v, nil)
		p.phase = even
	default:
		p.assign(v, due)
		p.phase, p.repeated = warmUp, 0
		for tenant := range p.start {
			p.start[tenant] = v.Tenants[tenant].Finished
		}
		// Both end at their cycle, whenever the policy hears of the first.
		p.clock.open(a, p.warmup)
		p.clock.open(a, p.warmup+p.window)
	}
	p.tell(v, nil)
}

// profile is the number of SMs of each kind that each kernel is measured on, by kind and
// place: floor(SMs/kernels), counting only kernels that the SMs hold. It reports false if
// there is nothing to decide, or if a kernel would have none.
func (p *dynamic) profile() (due [][]int, ok bool) {
	if !p.mixed() || len(p.set) < 2 {
		return nil, false
	}
	for kind, sms := range p.kinds {
		list, able := make([]int, len(p.set)), 0
		for _, m := range p.set {
			able += int(m.holds >> kind & 1)
		}
		if able > sms {
			return nil, false
		}
		for place, m := range p.set {
			if m.holds>>kind&1 == 1 {
				list[place] = sms / able
			}
		}
		due = append(due, list)
	}
	return due, true
}

// goOn takes the next step at the end of a window.
func (p *dynamic) goOn(v *policy.View, a policy.Actions) {
	if p.phase == warmUp {
		for _, m := range p.set {
			p.pace.warmed(m.tenant, v.Tenants[m.tenant].Finished-p.start[m.tenant])
		}
		p.meter.begin(v, &p.owners, true)
		p.phase = measure
		p.tell(v, nil)
		return
	}
	p.meter.end(v)
	kernels, ok := p.read(v)
	var big []bool
	switch {
	case !ok:
	case len(kernels) == 2:
		big, ok = ChooseTwo(kernels, p.sms(), p.margin)
	default:
		big, ok = ChooseMany(kernels, p.sms(), p.may)
	}
	if !ok && p.repeated < patience {
		p.repeated++
		p.meter.begin(v, &p.owners, false)
		p.clock.open(a, p.window)
		return
	}
	p.known = append(p.known, finding{slices.Clone(p.set), big})
	p.settle(v, big)
	p.tell(v, kernels)
}

// settle divides the SMs as was decided.
func (p *dynamic) settle(v *policy.View, big []bool) {
	p.phase = halved
	if p.apply(v, big) {
		p.phase = parted
	}
}

// read returns each kernel's measured IPCs on one SM. It reports false if a kernel with SMs of
// a kind has no measurement there.
func (p *dynamic) read(v *policy.View) (kernels []Kernel, ok bool) {
	ok = true
	for place, m := range p.set {
		var rate [2]float64 // by whether it is of big SMs
		var owned [2]int
		for i, big := range [2]bool{false, true} {
			ipc, usable, own := p.meter.ipc(v, &p.owners, m.tenant, p.kind(big))
			owned[i] = own
			if usable > 0 {
				rate[i] = ipc / float64(usable)
			}
			ok = ok && (usable > 0 || !p.may(place, big))
		}
		p.ipcs[m.tenant] = [2]float64{rate[0] * float64(owned[0]), rate[1] * float64(owned[1])}
		kernels = append(kernels, Kernel{Big: rate[1], Small: rate[0], Base: EstimateBase(rate[1], rate[0], p.ctas(v, m.tenant, SMs{owned[1], owned[0]}))})
	}
	return kernels, ok
}

// ctas are the thread blocks of a tenant's kernel that run on one SM, given the kernel's
// numbers of SMs.
func (p *dynamic) ctas(v *policy.View, tenant int, sms SMs) CTAs {
	t, d := &v.Tenants[tenant], p.last[tenant].demand
	var c CTAs
	c.Base, _ = v.Machine.BaseSM.Occupancy(d)
	c.Big, _ = v.SMs[p.samples[p.kind(true)]].Capacity.Occupancy(d)
	c.Small, _ = v.SMs[p.samples[p.kind(false)]].Capacity.Occupancy(d)
	return c.Limit(t.Waiting+t.Running+t.Saving, sms)
}

// newDynamic makes the policy of these options.
func newDynamic(o *policy.Options) policy.Policy {
	scopes := map[string]scope{"kernel": perKernel, "launch": perLaunch, "app": perRun}
	return &dynamic{
		warmup:  o.Cycles("warmup", 1000),
		window:  o.Cycles("measure", 1000),
		margin:  margin(o),
		sharing: newSharing(o, scopes[o.Choice("profile", "kernel", "launch", "app")]),
	}
}
