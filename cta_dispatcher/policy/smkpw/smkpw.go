// Package smkpw implements Simultaneous Multikernel with resource partitions and warp-scheduler
// quotas, SMK-(P+W) of the paper (5.4). At each epoch, quotas of instructions follow from each
// kernel's rate of issue alone. docs/deviations.md lists our choices.
//
// smk-pw2 is SMK-(P+W)2 of the paper (5.5): at most two kernels on an SM, so that more than two
// take different pairs of SMs. A kernel's number of SMs with a partition joins its share: these
// numbers are kept equal.
//
// The option wipc sets the source of the paper's x and T. By default, as in the paper, each
// kernel has an SM of its own for measurement, which does not share; other tenants' memory
// traffic affects it. With wipc=isolated x comes from the tenant's isolated run, and T is the
// kernel's thread blocks that an SM holds ("offline profiling" of 5.5); quotas hold from the
// first division on. On SMs of several kinds T is then the thread blocks of all SMs, times the
// SM's part of all schedulers.
//
// The option quota says whether kernels divide the epoch's instructions of an SM, a quarter at
// each of four schedulers, or of each scheduler. The paper says both: "each warp scheduler
// allocates Quota_k x Epoch_length number of instructions for kernel k. This allocation is
// distributed evenly among all warp schedulers since TBs are evenly distributed". Quotas of a
// whole scheduler need no distribution, and "if all quotas reach zero, new quotas will be
// calculated" would never apply: they add up to an instruction in every cycle of the epoch, and
// the paper's schedulers issue in less than half of all cycles (Table 2). For quota=scheduler
// speak the first sentence, and the bound of 100 % of a scheduler's cycles on all C_k together.
// Both readings have the same ratios, and the paper's example shows only ratios.
package smkpw

import (
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/partition"
	"cotenant/protocol"
)

type smkpw struct {
	partition.Partitions
	epoch   uint64
	divided bool // an SM's schedulers have a part of the epoch's instructions each
	// informed: WIPC is the tenants' attribute, and there are no profiling SMs.
	informed bool

	kinds []int // SMs of each kind
	// profiles are by kind of SM and by tenant; a WIPC of 0 is not known yet.
	profiles [][]Profile
	// demand is, by tenant, the demand of its measured kernel.
	demand []occupancy.Demand
	// settled is, by SM, the tenant that it was dedicated to and that had it to itself at the
	// last epoch, -1 without one.
	settled []int
	limited []bool // by SM: quotas are set
	quotas  []int  // by tenant
}

// Needs makes it a policy.Policy. An epoch is the time between two settings of the quotas.
func (p *smkpw) Needs() policy.Needs {
	return policy.Needs{Epoch: p.epoch, Alone: policy.Alone{WIPC: p.informed},
		Sends: []policy.Sent{policy.Sending[*protocol.Quotas](protocol.KindSM, "")}}
}

// setQuotas sets an SM's quotas, by tenant; nil: none. They need renewal every epoch:
// schedulers with used-up quotas can wait for each other at barriers.
func setQuotas(a policy.Actions, sm int, quotas []int) {
	a.Send(protocol.Unit{Kind: protocol.KindSM, Index: sm}, protocol.NewQuotas(quotas))
}

// Decide makes partitions and fills them, and sets quotas at each epoch.
func (p *smkpw) Decide(v *policy.View, a policy.Actions) {
	changed := p.Update(v)
	if p.settled == nil {
		p.allocate(v)
	}
	if other := p.forget(v); (changed || other) && !p.informed {
		p.dedicate(v)
	}
	if v.Event == policy.Epoch && !p.informed {
		p.measure(v)
	}
	p.Dispatch(v, a)
	for i := range v.SMs {
		switch fresh := p.Renewed(i); {
		case v.Event == policy.Epoch, fresh && p.informed:
			p.limit(v, a, i)
		case fresh && p.limited[i]:
			// A kernel new on the SM has no quota yet, and must not wait for the next epoch.
			setQuotas(a, i, nil)
			p.limited[i] = false
		}
	}
}

func (p *smkpw) allocate(v *policy.View) {
	n := len(v.Tenants)
	p.demand, p.quotas = make([]occupancy.Demand, n), make([]int, n)
	p.kinds = v.Kinds()
	for range p.kinds {
		p.profiles = append(p.profiles, make([]Profile, n))
	}
	p.limited = make([]bool, len(v.SMs))
	for range v.SMs {
		p.settled = append(p.settled, -1)
	}
}

// limit sets an SM's quotas, or none if not all of its kernels were measured.
func (p *smkpw) limit(v *policy.View, a policy.Actions, sm int) {
	sharing, measured := 0, true
	profiles := p.profiles[v.SMs[sm].Kind]
	for tenant := range profiles {
		n := p.TBs(sm, tenant)
		profiles[tenant].Shared = n
		if n > 0 {
			if p.informed {
				p.inform(v, sm, tenant)
			}
			sharing++
			measured = measured && profiles[tenant].WIPC > 0
		}
	}
	if p.Dedicated[sm] < 0 && sharing > 1 && measured {
		instructions := int(p.epoch)
		if p.divided {
			instructions /= v.SMs[sm].Schedulers
		}
		Quotas(instructions, profiles, p.quotas)
		setQuotas(a, sm, p.quotas)
		p.limited[sm] = true
	} else if p.limited[sm] {
		setQuotas(a, sm, nil)
		p.limited[sm] = false
	}
}
