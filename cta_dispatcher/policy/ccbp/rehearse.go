package ccbp

import (
	"slices"

	"cotenant/cta_dispatcher/policy"
)

// longer is the factor of detection time in a rehearsal (CCBP 5.4: "we use 10x longer
// detection time in each step to improve the accuracy").
const longer = 10

// spare is the most detection times that a rehearsal takes: warm-ups wait for thread blocks to
// end, steps are interrupted, and there may be other sets.
const spare = 2

// rehearsal is policy.Rehearsing.Begin of variant=offline.
func (p *ccbp) rehearsal(tenants int) (rehearsing policy.Policy, settled func() bool, most uint64) {
	r := &ccbp{settings: p.settings, mechanism: p.mechanism, epoch: p.epoch * longer}
	return r, r.settled, spare * uint64(longest(tenants)) * r.epoch
}

// longest is the most epochs that detection of the kernels takes, with all ten values of
// priorLSK.
func longest(kernels int) int {
	epochs := func(p phase) int { return lengths[p].skip + lengths[p].measure }
	return epochs(warmUp) + epochs(factors) + epochs(demands) + kernels*maxPoints*epochs(points) + 10*epochs(climbing)
}

// settled reports whether every tenant has shared the GPU, and the study of each set is
// complete.
func (p *ccbp) settled() bool {
	if p.targets == nil {
		return false
	}
	met := make([]bool, len(p.targets.TBs))
	for _, s := range p.studies {
		if s.phase != settled && s.phase != crowded {
			return false
		}
		for i := range s.members {
			met[s.members[i].tenant] = true
		}
	}
	return !slices.Contains(met, false)
}

// learn takes over the studies of a rehearsal. An unfinished study resumes with its
// interrupted step when its set comes back.
func (p *ccbp) learn(from policy.Policy, was policy.Rehearsal) {
	p.studies = from.(*ccbp).studies
	p.rehearsed = &was
}
