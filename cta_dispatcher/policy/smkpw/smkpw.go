// Package smkpw is Simultaneous Multikernel with resource partitions and
// warp-scheduler quotas, SMK-(P+W) of the paper (5.4). Each kernel has an SM of
// its own, on which its instructions per cycle are measured; on the others,
// quotas of instructions follow from them at each epoch.
//
// Whose the instructions are that kernels divide, Quota x epoch for each, is an
// option. The paper says both: "each warp scheduler allocates Quota_k x
// Epoch_length number of instructions for kernel k. This allocation is distributed
// evenly among all warp schedulers since TBs are evenly distributed". By default
// they are the SM's, a quarter for each of four schedulers: what each scheduler had
// whole would not have to be distributed, and "if all quotas reach zero, new
// quotas will be calculated" would come to nothing, for then they add up to an
// instruction in every cycle of the epoch, while on the paper's machine schedulers
// issue in less than half of all cycles (Table 2). For the other reading, quota =
// scheduler, speaks the first sentence, and that C_k is a part of a scheduler's
// cycles and is to be no more than 100 % for all kernels together. Both have the
// same ratios, of which alone the paper has an example.
//
// Profiling SMs take SMs away from sharing, so a tenant alone has none, and
// neither has anybody where they would be more than half of all SMs; then there
// are no quotas. An SM has none either until each of its kernels has been
// measured over an epoch at whose start it had its profiling SM to itself.
package smkpw

import (
	"errors"
	"reflect"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/partition"
	"cotenant/protocol"
)

func init() {
	policy.Register(Describe("smk-pw", "smk-p with quotas of instructions, from a profiling SM for each kernel", 0))
}

// Describe is the entry of a policy with quotas and at most so many kernels on
// an SM; zero: no limit.
func Describe(name, about string, kernelLimit int) policy.Descriptor {
	epochOption := claim.Option
	epochOption.About = "cycles, 1k to 1000M, between new quotas; a tenant without a kernel for a whole epoch lends its part"
	return policy.Descriptor{
		Name: name, About: about,
		Options: []policy.Option{partition.Option, epochOption, quotaOption},
		New: func(o policy.Options) (policy.Policy, error) {
			m, err := o.Mechanism("preempt", policy.Switch, policy.Ideal)
			epoch, err2 := claim.Epoch(o)
			of, err3 := o.Choice("quota", ofSM, ofScheduler)
			return &smkpw{Partitions: partition.Partitions{Mechanism: m, KernelLimit: kernelLimit},
				epoch: epoch, divided: of == ofSM}, errors.Join(err, err2, err3)
		},
	}
}

// The values of the option quota.
const (
	ofSM        = "sm"
	ofScheduler = "scheduler"
)

var quotaOption = policy.Option{Name: "quota",
	About: "whose an epoch of instructions is, which kernels divide: sm, a part of it for each of its schedulers, or scheduler, whole for each", Default: ofSM}

type smkpw struct {
	partition.Partitions
	epoch   uint64
	divided bool // an SM's schedulers have a part of the epoch's instructions each

	profiles []Profile // by tenant; a WIPC of 0 is not known yet
	// demand is, by tenant, that of the kernel that was measured.
	demand []occupancy.Demand
	// settled is, by SM, the tenant that it was dedicated to and that had it to
	// itself at the last epoch, -1 if there is none.
	settled []int
	limited []bool // by SM: quotas are set
	quotas  []int  // by tenant
}

// Sends makes it a policy.Sender.
func (p *smkpw) Sends() []policy.Sent {
	return []policy.Sent{{Kind: protocol.KindSM, Control: reflect.TypeFor[*protocol.Quotas]()}}
}

// setQuotas sets an SM's quotas, by tenant; nil: none. They must be set again
// every epoch: schedulers whose tenants have used up theirs can wait for each
// other at barriers.
func setQuotas(a policy.Actions, sm int, quotas []int) {
	a.Send(protocol.Unit{Kind: protocol.KindSM, Index: sm}, protocol.NewQuotas(quotas))
}

// Check makes it a policy.Conditional.
func (p *smkpw) Check(v *policy.View) error {
	if v.Mixed() {
		return errors.New("a profiling SM cannot stand for the others: the GPU has SMs of several kinds")
	}
	return nil
}

// EpochCycles is the time between two settings of the quotas.
func (p *smkpw) EpochCycles() uint64 { return p.epoch }

// Decide makes partitions and fills them, and sets quotas at each epoch.
func (p *smkpw) Decide(v *policy.View, a policy.Actions) {
	changed := p.Update(v)
	if p.settled == nil {
		p.allocate(v)
	}
	if changed {
		p.dedicate()
	}
	p.forget(v)
	if v.Event == policy.Epoch {
		p.measure(v)
	}
	p.Dispatch(v, a)
	for i := range v.SMs {
		switch fresh := p.Renewed(i); {
		case v.Event == policy.Epoch:
			p.limit(v, a, i)
		case fresh && p.limited[i]:
			// A kernel that is new on the SM has no quota yet, and must not wait
			// for the next epoch.
			setQuotas(a, i, nil)
			p.limited[i] = false
		}
	}
}

func (p *smkpw) allocate(v *policy.View) {
	n := len(v.Tenants)
	p.profiles, p.demand, p.quotas = make([]Profile, n), make([]occupancy.Demand, n), make([]int, n)
	p.limited = make([]bool, len(v.SMs))
	for range v.SMs {
		p.settled = append(p.settled, -1)
	}
}

// dedicate gives each tenant with a claim a profiling SM, the first that are
// free in order of arrival.
func (p *smkpw) dedicate() {
	n := len(p.Claims.Order)
	needed := n > 1 && 2*n <= len(p.Dedicated)
	for i, tenant := range p.Dedicated {
		if tenant >= 0 && !(needed && p.Claims.Holds(tenant)) {
			p.Dedicated[i] = -1
		}
	}
	if !needed {
		return
	}
	for _, tenant := range p.Claims.Order {
		if p.profilingSM(tenant) < 0 {
			p.Dedicated[p.profilingSM(-1)] = tenant
		}
	}
}

// profilingSM is the SM that is dedicated to a tenant, -1 if there is none; the
// first that is dedicated to nobody for tenant -1.
func (p *smkpw) profilingSM(tenant int) int {
	for i, t := range p.Dedicated {
		if t == tenant {
			return i
		}
	}
	return -1
}

// forget drops what was measured of a kernel when the tenant's next one has
// other thread blocks.
func (p *smkpw) forget(v *policy.View) {
	for _, tenant := range v.Active {
		if d := v.Tenants[tenant].Demand; d != p.demand[tenant] {
			p.demand[tenant] = d
			p.profiles[tenant].WIPC = 0
			if sm := p.profilingSM(tenant); sm >= 0 {
				p.settled[sm] = -1
			}
		}
	}
}

// measure reads the profiling SMs' instructions of the epoch that has ended.
func (p *smkpw) measure(v *policy.View) {
	for i, tenant := range p.Dedicated {
		s := &v.SMs[i]
		was := p.settled[i]
		p.settled[i] = -1
		if tenant < 0 || s.Staying(tenant) == 0 || !s.Only(tenant) {
			continue
		}
		p.settled[i] = tenant
		window, cycles := v.SMWindow(i)
		if issued := window.Tenants[tenant].WarpInstructions; was == tenant && issued > 0 {
			p.profiles[tenant].WIPC = float64(issued) / float64(cycles) / float64(s.Schedulers)
			p.profiles[tenant].Isolated = p.TBs(i, tenant)
		}
	}
}

// limit sets an SM's quotas, or none if not all of its kernels were measured.
func (p *smkpw) limit(v *policy.View, a policy.Actions, sm int) {
	sharing, measured := 0, true
	for tenant := range p.profiles {
		n := p.TBs(sm, tenant)
		p.profiles[tenant].Shared = n
		if n > 0 {
			sharing++
			measured = measured && p.profiles[tenant].WIPC > 0
		}
	}
	if p.Dedicated[sm] < 0 && sharing > 1 && measured {
		instructions := int(p.epoch)
		if p.divided {
			instructions /= v.SMs[sm].Schedulers
		}
		Quotas(instructions, p.profiles, p.quotas)
		setQuotas(a, sm, p.quotas)
		p.limited[sm] = true
	} else if p.limited[sm] {
		setQuotas(a, sm, nil)
		p.limited[sm] = false
	}
}
