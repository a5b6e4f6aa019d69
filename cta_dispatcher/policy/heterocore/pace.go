package heterocore

import "cotenant/cta_dispatcher/policy"

// recently is the length of the paper's warm-up in cycles. A kernel without a warm-up finishes
// thread blocks if one finished within this time.
const recently = 20_000

// pace is, by tenant, whether thread blocks finish in the time of a warm-up: that of
// its kernel's last one or, if it has had none, the last epochs that cover 20,000
// cycles and the present one.
type pace struct {
	now    []uint64 // finished so far
	before []uint64 // by the end of the last epoch
	idle   []uint64 // cycles of the last epochs without a finished one
	warm   []warm
}

// warm is the outcome of a warm-up.
type warm uint8

const (
	unknown warm = iota
	unfinished
	finished
)

func newPace(tenants int) pace {
	return pace{make([]uint64, tenants), make([]uint64, tenants), make([]uint64, tenants), make([]warm, tenants)}
}

// update counts finished thread blocks.
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

// warmed notes the number of thread blocks that a tenant finished in its warm-up.
func (p *pace) warmed(tenant int, tbs uint64) {
	p.warm[tenant] = unfinished
	if tbs > 0 {
		p.warm[tenant] = finished
	}
}

// forget notes that a tenant has another kernel.
func (p *pace) forget(tenant int) {
	p.warm[tenant] = unknown
	// The pace of other kernels says nothing about this one.
	p.before[tenant], p.idle[tenant] = p.now[tenant], recently
}
