package heterocore

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/policy/claim"
	"cotenant/cta_dispatcher/policy/spatial"
)

// scope says which changes make another member of a set.
type scope uint8

const (
	perApp    scope = iota // another application
	perRun                 // that, or another run of it
	perKernel              // that, or another kernel
	perLaunch              // that, or another launch
)

// member is a tenant that takes part in the division: it has a claim and has launched a
// kernel. Fields beyond its scope are 0.
type member struct {
	tenant, rank int
	holds        uint64 // kinds of SM that hold a thread block, one bit each
	run, launch  uint64
	code         uint32
	demand       occupancy.Demand
}

// of is the member as a scope sees it.
func (m member) of(s scope) member {
	if s < perLaunch {
		m.launch = 0
	}
	if s < perKernel {
		m.code, m.demand = 0, occupancy.Demand{}
	}
	if s < perRun {
		m.run = 0
	}
	return m
}

// sharing is the common part of the policies: the set of members, the SMs that they own, and
// the emptying of SMs.
type sharing struct {
	scope    scope
	epoch    uint64
	adaptive bool // adaptive preemption; else by fixed
	fixed    policy.Mechanism

	claims  claim.Claims
	owners  spatial.Owners
	set     []member // in the order of arrival
	last    []member // by tenant, whole: of its last kernel, nothing before its first
	next    []member // the set in the making
	samples []int    // an SM of each kind, -1 for a kind without
	kinds   []int    // numbers of SMs
	big     int      // the kind of the big SMs
	small   int      // the other kind, if there is one; -1
	pace    pace
	owned   [][2]int // by tenant: its big SMs and its other SMs
}

// Needs returns the needs of all policies of the package. A pause of an epoch between launches
// costs a tenant its claim.
func (s *sharing) Needs() policy.Needs {
	return policy.Needs{Epoch: s.epoch, Registers: s.registers}
}

// allocate prepares from the first View.
func (s *sharing) allocate(v *policy.View) {
	n := len(v.Tenants)
	s.last, s.set, s.next = make([]member, n), make([]member, 0, n), make([]member, 0, n)
	s.pace, s.owned = newPace(n), make([][2]int, n)
	s.kinds = v.Kinds()
	s.big, s.small = -1, -1
	for kind := range s.kinds {
		sm := slices.IndexFunc(v.SMs, func(sm policy.SM) bool { return sm.Kind == kind })
		s.samples = append(s.samples, sm)
		switch {
		case sm < 0:
		case s.big < 0:
			s.big = kind
		case larger(v.SMs[sm].Capacity, v.SMs[s.samples[s.big]].Capacity):
			s.big, s.small = kind, s.big
		default:
			s.small = kind
		}
	}
}

// registers lists each tenant's numbers of big and of other SMs.
func (s *sharing) registers() (list []policy.RegisterValue) {
	for tenant, n := range s.owned {
		list = append(list, policy.RegisterValue{Name: "sms_big", Tenant: tenant, Value: float64(n[0])},
			policy.RegisterValue{Name: "sms_small", Tenant: tenant, Value: float64(n[1])})
	}
	return list
}

// larger reports whether an SM is bigger than another: it has more warp slots or, if these are
// equal, more of the next resource.
func larger(a, b *occupancy.Capacity) bool {
	list := func(c *occupancy.Capacity) []int {
		return []int{c.Warps, c.Threads, c.Registers, slices.Max(append([]int{0}, c.SharedOptions...)), c.TBs}
	}
	return slices.Compare(list(a), list(b)) > 0
}

// mixed reports whether there are big and small SMs.
func (s *sharing) mixed() bool { return s.small >= 0 }

// sms counts the big and the small SMs.
func (s *sharing) sms() SMs { return SMs{s.kinds[s.big], s.kinds[s.small]} }

// kind is the number of a kind.
func (s *sharing) kind(big bool) int {
	if big {
		return s.big
	}
	return s.small
}

// may reports whether the kernel of a place in the set runs on big SMs, or on small ones.
func (s *sharing) may(place int, big bool) bool { return s.set[place].holds>>s.kind(big)&1 == 1 }

// meet looks at the View, which a policy does first, and reports whether the set is
// another one.
func (s *sharing) meet(v *policy.View) (changed bool) {
	if s.last == nil {
		s.allocate(v)
	}
	s.claims.Update(v)
	s.pace.update(v, s.epoch)
	for tenant := range v.Tenants {
		if t := &v.Tenants[tenant]; !t.Present {
			s.last[tenant] = member{}
		} else if t.Kernels > 0 {
			s.note(v, tenant)
		}
	}
	s.next = s.next[:0]
	for _, tenant := range s.claims.Order {
		if s.last[tenant].demand.TBs > 0 {
			s.next = append(s.next, s.last[tenant].of(s.scope))
		}
	}
	changed = !slices.Equal(s.next, s.set)
	s.set, s.next = s.next, s.set
	return changed
}

// note notes the kernel that a tenant has.
func (s *sharing) note(v *policy.View, tenant int) {
	t, m := &v.Tenants[tenant], &s.last[tenant]
	if m.demand.TBs > 0 && m.launch == t.Launch && m.rank == t.Rank {
		return
	}
	if m.code != t.Code || m.demand != t.Demand || m.rank != t.Rank {
		s.pace.forget(tenant)
	}
	*m = member{tenant: tenant, rank: t.Rank, run: t.Run, launch: t.Launch, code: t.Code, demand: t.Demand}
	for kind, sm := range s.samples {
		if sm >= 0 && v.Holds(tenant, sm) {
			m.holds |= 1 << kind
		}
	}
}

// apply divides the SMs: members in big share the big SMs, the rest the small ones. With nil,
// or if a member would get no SM that holds its thread blocks, each has a part of each kind
// that holds them. It reports whether it followed big.
func (s *sharing) apply(v *policy.View, big []bool) (ok bool) {
	due := spatial.Even(s.kinds, len(s.set), func(place, kind int) bool { return s.set[place].holds>>kind&1 == 1 })
	if ok = big != nil; ok {
		parts(big, s.sms(), func(k, n int) { ok = ok && n > 0 && s.may(k, big[k]) })
	}
	if ok {
		parts(big, s.sms(), func(k, n int) { due[s.kind(big[k])][k], due[s.kind(!big[k])][k] = n, 0 })
	}
	s.assign(v, due)
	return ok
}

// assign gives each member its dues, by kind and place.
func (s *sharing) assign(v *policy.View, due [][]int) {
	var order []int
	for _, m := range s.set {
		order = append(order, m.tenant)
	}
	for kind := range s.kinds {
		s.owners.Assign(v, kind, order, func(place int) int { return due[kind][place] })
	}
	clear(s.owned)
	for i := range v.SMs {
		if tenant := s.owners.Of(i); tenant >= 0 {
			s.owned[tenant][index(v.SMs[i].Kind != s.big)]++
		}
	}
}

// dispatch places each tenant's thread blocks on its SMs, and empties SMs that it needs.
func (s *sharing) dispatch(v *policy.View, a policy.Actions) {
	for _, tenant := range v.Active {
		s.owners.Place(v, a, tenant)
		s.owners.TakeBy(v, a, tenant, func(sm int) policy.Mechanism { return s.mechanism(v, sm) })
	}
}

// mechanism is the way to empty an SM; adaptive preemption looks at the SM's present tenant.
func (s *sharing) mechanism(v *policy.View, sm int) policy.Mechanism {
	if !s.adaptive {
		return s.fixed
	}
	for tenant := range v.Tenants {
		if v.SMs[sm].Staying(tenant) > 0 && Adaptive(s.pace.finishes(tenant)) == policy.Switch {
			return policy.Switch
		}
	}
	return policy.Drain
}
