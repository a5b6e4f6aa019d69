package heterocore

import "cotenant/cta_dispatcher/policy"

// recently is how many cycles back a kernel that has had no warm-up counts as one whose
// thread blocks finish: those of the paper's warm-up.
const recently = 20_000

// pace is, by tenant, whether thread blocks finish in the time of a warm-up: that of
// its kernel's last one or, if it has had none, the last epochs that cover 20,000
// cycles and the present one.
type pace struct {
	now    []uint64 // finished so far
	before []uint64 // by the end of the last epoch
	idle   []uint64 // cycles of the last epochs in which none finished
	warm   []warm
}

// warm is what a warm-up has shown.
type warm uint8

const (
	unknown warm = iota
	unfinished
	finished
)

func newPace(tenants int) pace {
	return pace{make([]uint64, tenants), make([]uint64, tenants), make([]uint64, tenants), make([]warm, tenants)}
}

// update counts what the View shows.
func (p *pace) update(v *policy.View, epoch uint64) {
	for tenant := range v.Tenants {
		n := v.Tenants[tenant].Finished
		p.now[tenant] = n
		if v.Event != policy.Epoch {
			continue
		}
		if p.idle[tenant] += epoch; n > p.before[tenant] {
			p.idle[tenant] = 0
		}
		p.before[tenant] = n
	}
}

// finishes reports whether thread blocks of a tenant finish.
func (p *pace) finishes(tenant int) bool {
	if w := p.warm[tenant]; w != unknown {
		return w == finished
	}
	return p.now[tenant] > 0 && (p.now[tenant] > p.before[tenant] || p.idle[tenant] < recently)
}

// warmed notes a tenant's warm-up, in which it has finished so many thread blocks.
func (p *pace) warmed(tenant int, tbs uint64) {
	p.warm[tenant] = unfinished
	if tbs > 0 {
		p.warm[tenant] = finished
	}
}

// forget notes that a tenant has another kernel.
func (p *pace) forget(tenant int) {
	p.warm[tenant] = unknown
	// What other kernels have finished says nothing of this one.
	p.before[tenant], p.idle[tenant] = p.now[tenant], recently
}
