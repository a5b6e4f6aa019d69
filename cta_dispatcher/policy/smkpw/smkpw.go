// Package smkpw is Simultaneous Multikernel with resource partitions and
// warp-scheduler quotas, SMK-(P+W) of the paper (5.4): quotas of instructions that
// follow, at each epoch, from what each kernel issues alone.
//
// The option wipc says where x and T of the paper come from. By default, as in the
// paper, each kernel has an SM of its own, on which it is measured; on a GPU with SMs of
// several kinds one of each kind that holds its thread blocks, and the quotas of an SM
// follow from what was measured on its kind. Profiling SMs take SMs away from sharing.
// A tenant alone has none, and a kind has none of which they would be more than half;
// SMs of that kind have no quotas. An SM has none either until each of its kernels has
// been measured over an epoch at whose start it had its profiling SM to itself. What is
// measured suffers from the other tenants' memory traffic.
//
// With wipc=isolated x is that of the tenant's run alone on the GPU, the mean over its
// kernels and the pauses between them, and T is what an SM holds of the kernel; no SM is
// dedicated, and quotas hold from the first division on ("offline profiling" of 5.5).
// On SMs of several kinds the mean counts for each kind by thread blocks: T is the thread
// blocks of all SMs, by the SM's part of all schedulers.
//
// Whose the instructions are that kernels divide, Quota x epoch for each, is the
// option quota. The paper says both: "each warp scheduler allocates Quota_k x
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
	// informed says that WIPC is the tenants' attribute, and that there are no
	// profiling SMs.
	informed bool

	kinds []int // SMs of each kind
	// profiles are by kind of SM and by tenant; a WIPC of 0 is not known yet.
	profiles [][]Profile
	// demand is, by tenant, that of the kernel that was measured.
	demand []occupancy.Demand
	// settled is, by SM, the tenant that it was dedicated to and that had it to
	// itself at the last epoch, -1 if there is none.
	settled []int
	limited []bool // by SM: quotas are set
	quotas  []int  // by tenant
}

// Needs makes it a policy.Policy. An epoch is the time between two settings of the quotas.
func (p *smkpw) Needs() policy.Needs {
	return policy.Needs{Epoch: p.epoch, Alone: policy.Alone{WIPC: p.informed},
		Sends: []policy.Sent{policy.Sending[*protocol.Quotas](protocol.KindSM, "")}}
}

// setQuotas sets an SM's quotas, by tenant; nil: none. They must be set again
// every epoch: schedulers whose tenants have used up theirs can wait for each
// other at barriers.
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
			// A kernel that is new on the SM has no quota yet, and must not wait
			// for the next epoch.
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
