package ccbp

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/components/stats"
	"cotenant/cta_dispatcher/policy/deal"
	"cotenant/protocol"
	"cotenant/tenant"
)

// phase is the progress of a study.
type phase uint8

// The phases, as the register "phase" numbers them.
const (
	none     phase = iota // no sharing
	crowded               // not every kernel has a CTA on an SM: nothing is detected
	warmUp                // even CTAs, no rates
	factors               // rf and df are measured
	demands               // even rates; the demand of kernels is measured
	points                // rates by numbers of CTAs, of one intensive kernel after the other
	climbing              // Algorithm 1's allocation, while the search for a better one goes on
	settled               // the best one
)

// lengths are the epochs of each phase's step, skipped and measured (CCBP 5.4, 5.5, in units
// of 10,000 cycles).
var lengths = [...]struct{ skip, measure int }{
	warmUp: {0, 5}, factors: {0, 2}, demands: {1, 1}, points: {1, 1}, climbing: {0, 10}, settled: {},
}

// settings are the policy's options that bear on a study.
type settings struct {
	adjusts   bool    // priorLSK is searched for
	climbs    bool    // CTAs are searched for
	weighted  bool    // the goal of both searches is the weighted speedup
	unlimited bool    // sensitive kernels have no rate
	sustain   float64 // part of the units to give
	end       bool    // a refusal ends the allocation
}

// sample has the counts of an epoch.
type sample struct {
	counts    []protocol.SMTenant // by tenant, on all SMs
	intervals uint64              // of the issue-rate controllers of all SMs
	cycles    uint64
}

// member is a kernel of a set.
type member struct {
	tenant   int
	demand   occupancy.Demand
	isolated float64 // IPC alone, 0 if it is not known
	most     int     // CTAs on an SM if it is alone
	even     int     // CTAs on an SM in the even combination

	factors  Factors
	evenRate float64 // IREven
	wanted   float64 // IRDemand
	kind     Kind
	measured []measured
	noc      []float64 // nbw
	dram     []float64 // dbw
}

// study holds the findings for a set of kernels that share the GPU, and the progress of its
// detection. It is a state machine: at the end of an epoch it takes the counts, and at any
// time it returns each member's order.
type study struct {
	settings
	capacity  *occupancy.Capacity
	bandwidth Bandwidth
	set       [tenant.Max]occupancy.Demand // of a CTA, by tenant
	members   []member                     // in order of arrival

	phase phase
	skip  int // epochs to be left out
	left  int // epochs to be measured, after skip

	sums      []protocol.SMTenant // by member, of the epochs measured in this step
	intervals uint64
	cycles    uint64
	member    int // the member with points being measured
	point     int // which of them

	prior     prior
	combined  combination
	combining bool
	grants    []Grant
	ctas      []int // by member, of the allocation
}

// newStudy begins the study of a set of kernels, in order of arrival, from their tenant,
// demand and isolated.
func newStudy(s settings, c *occupancy.Capacity, b Bandwidth, members []member) *study {
	t := &study{settings: s, capacity: c, bandwidth: b, members: members, sums: make([]protocol.SMTenant, len(members)),
		grants: make([]Grant, len(members)), ctas: make([]int, len(members)), prior: newPrior()}
	for i := range members {
		members[i].most, _ = c.Occupancy(members[i].demand)
	}
	all := t.lay(0, t.ctas)
	for i := range members {
		members[i].even = t.ctas[i]
	}
	t.enter(warmUp)
	if !all {
		t.phase = crowded
	}
	return t
}

// takes lists the demand of a CTA of each member.
func (s *study) takes() (list []occupancy.Demand) {
	for i := range s.members {
		list = append(list, s.members[i].demand)
	}
	return list
}

// lay deals CTAs of an empty SM to members, one each in turn beginning with first, until all
// have their even part of their most or nothing more fits. It reports whether every member has
// one.
func (s *study) lay(first int, ctas []int) (all bool) {
	wants := make([]int, len(s.members))
	for i := range wants {
		wants[i] = max(s.members[i].most/len(wants), 1)
	}
	clear(ctas)
	deal.InTurn(s.capacity, &occupancy.Usage{}, s.takes(), wants, first, ctas)
	return !slices.Contains(ctas, 0)
}

// enter begins a step.
func (s *study) enter(p phase) {
	s.phase, s.skip, s.left = p, lengths[p].skip, lengths[p].measure
	clear(s.sums)
	s.intervals, s.cycles = 0, 0
}

// resume continues a study that was interrupted within an epoch: neither the present step's
// measurements nor the epoch count.
func (s *study) resume() {
	switch s.phase {
	case crowded, settled:
	case warmUp:
		s.skip = 1
	default:
		s.enter(s.phase)
		s.skip++
	}
}

// epoch takes an epoch's counts, and reports whether orders may have changed. drained: no
// member has more CTAs than its order; the warm-up lasts until then.
func (s *study) epoch(e *sample, drained bool) (changed bool) {
	switch {
	case s.phase == crowded || s.phase == settled:
		return false
	case s.skip > 0:
		s.skip--
		return false
	}
	for i := range s.members {
		stats.Add(&s.sums[i], &e.counts[s.members[i].tenant])
	}
	s.intervals += e.intervals
	s.cycles += e.cycles
	if s.left--; s.left > 0 {
		return false
	}
	if s.phase == warmUp && !drained {
		s.left = 1
		return false
	}
	s.proceed()
	return true
}

// proceed ends a step.
func (s *study) proceed() {
	switch s.phase {
	case warmUp:
		s.enter(factors)
	case factors:
		for i := range s.members {
			m, c := &s.members[i], &s.sums[i]
			m.factors = Factors{Reads: stats.Ratio(c.Reads, c.MemoryRequests), DRAM: stats.Ratio(c.DRAMAccesses, c.Replies)}
			m.evenRate = even(m.factors, s.bandwidth, len(s.members))
		}
		s.enter(demands)
	case demands:
		for i := range s.members {
			s.classify(&s.members[i], &s.sums[i])
		}
		s.member, s.point = -1, 0
		s.nextMember()
	case points:
		m := &s.members[s.member]
		list := pointsOf(m.even)
		m.measured = append(m.measured, measured{list[s.point], stats.Ratio(s.sums[s.member].MemoryRequests, s.intervals)})
		if s.point++; s.point < len(list) {
			s.enter(points)
			return
		}
		rates := curve(m.measured, m.most, even(m.factors, s.bandwidth, 1))
		m.noc, m.dram = inUnits(rates, m.factors, s.bandwidth)
		s.point = 0
		s.nextMember()
	case climbing:
		s.climb()
	}
}

// classify sets a member's kind, and a sensitive one's curves.
func (s *study) classify(m *member, c *protocol.SMTenant) {
	m.wanted = stats.Ratio(c.Demand, s.intervals)
	m.kind = classify(m.factors, s.bandwidth, m.wanted, m.evenRate)
	if m.kind == Sensitive {
		rates := linear(measured{m.even, stats.Ratio(c.MemoryRequests, s.intervals)}, m.most)
		m.noc, m.dram = inUnits(rates, m.factors, s.bandwidth)
	}
}

// nextMember goes on with the points of the next intensive member, or allocates if
// there is none.
func (s *study) nextMember() {
	for s.member++; s.member < len(s.members); s.member++ {
		if s.members[s.member].kind != Sensitive {
			s.enter(points)
			return
		}
	}
	s.grant()
	s.search()
}

// grant allocates with the present priority.
func (s *study) grant() {
	s.allocate(s.prior.value(), s.grants)
	for i := range s.grants {
		s.ctas[i] = s.grants[i].CTAs
	}
}

// allocate is Algorithm 1 with a priority.
func (s *study) allocate(prior float64, grants []Grant) {
	kernels := make([]Kernel, len(s.members))
	for i := range s.members {
		m := &s.members[i]
		kernels[i] = Kernel{Kind: m.kind, Demand: m.demand, NoC: m.noc, DRAM: m.dram}
	}
	Allocate(s.capacity, kernels, Rule{Whole: Units, Most: s.sustain * Units, Prior: prior, End: s.end}, grants, nil)
}

// search begins the useful hill climbing: of priorLSK if sensitive kernels share with
// intensive ones, of CTAs if only kernels bound by the crossbar and by the DRAM share. Without
// all isolated IPCs there is none.
func (s *study) search() {
	var has [len(kindNames)]bool
	for i := range s.members {
		has[s.members[i].kind] = true
	}
	known := !slices.ContainsFunc(s.members, func(m member) bool { return m.isolated <= 0 })
	s.combining = s.climbs && known && !has[Sensitive] && has[NoCBound] && has[DRAMBound]
	switch {
	case s.combining:
		s.combined = newCombination(s.ctas)
		s.enter(climbing)
	case s.adjusts && known && has[Sensitive] && (has[NoCBound] || has[DRAMBound]):
		s.enter(climbing)
	default:
		s.enter(settled)
	}
}

// climb takes a step of the search. A window in which a kernel issued nothing does not count;
// another one follows.
func (s *study) climb() {
	normalized, most := make([]float64, len(s.members)), make([]int, len(s.members))
	for i := range s.members {
		normalized[i] = stats.Ratio(s.sums[i].ThreadInstructions, s.cycles) / s.members[i].isolated
		most[i] = s.members[i].most
	}
	score := performance(normalized, s.weighted)
	s.enter(climbing)
	if score == 0 {
		return
	}
	over := false
	if s.combining {
		s.combined.judge(score, s.capacity, s.takes(), most)
		copy(s.ctas, s.combined.now)
		over = s.combined.over
	} else {
		s.prior.judge(score, func(a, b float64) bool {
			one, other := make([]Grant, len(s.members)), make([]Grant, len(s.members))
			s.allocate(a, one)
			s.allocate(b, other)
			return slices.EqualFunc(one, other, func(x, y Grant) bool { return x.CTAs == y.CTAs && x.NoC == y.NoC && x.DRAM == y.DRAM })
		})
		s.grant()
		over = s.prior.over
	}
	if over {
		s.enter(settled)
	}
}
