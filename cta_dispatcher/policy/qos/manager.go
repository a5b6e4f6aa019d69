package qos

import (
	"math"

	"cotenant/cta_dispatcher/policy"
	"cotenant/workload"
)

// alpha scales up the quota of a QoS tenant (QoS 3.4.2): goal over history, both in thread
// instructions per cycle, and 1 at least. The paper has no upper limit; the quota is cut to
// the SMs' peak. A tenant without an instruction so far, history 0, has used none of its quota
// and has no ratio to make up for: 1.
func alpha(goal, history float64) float64 {
	if history <= 0 {
		return 1
	}
	return max(goal/history, 1)
}

// leastIPC is the assumed minimum of thread instructions per cycle of a tenant without a goal,
// "a conservatively small value" with which it starts (QoS 3.5). Its goal is a product, which
// would stay 0 after one epoch without an instruction.
const leastIPC = 1

// success is a QoS tenant's factor in the goals of tenants without one: its IPC of the last
// epoch over the IPC that its quota now asks for.
func success(ipc, alpha, goal float64) float64 { return ipc / (alpha * goal) }

// artificialGoal is the goal of a tenant without one (QoS 3.5), from its IPC of the last epoch
// and the product of the QoS tenants' success.
func artificialGoal(ipc, success float64) float64 {
	return max(max(ipc, leastIPC)*success, leastIPC)
}

// lanes turns a rate per cycle into lanes of some cycles, rounded down. The rate is a rounded
// quotient of whole numbers, so a result below a whole number by the rounding error counts as
// that number.
func lanes(rate float64, cycles uint64) int64 {
	const rounding = 1e-12
	return int64(math.Floor(min(rate*float64(cycles)*(1+rounding), math.MaxInt64/2)))
}

// split divides a quota by the thread blocks of each SM, of which at least one has any (QoS
// 3.4.1). Each share is rounded down; the remainder goes one by one to the SMs with the
// largest fractions, the lowest number first.
func split(quota int64, tbs []int, shares []int64) {
	all := int64(0)
	for _, n := range tbs {
		all += int64(n)
	}
	rest := quota
	for i, n := range tbs {
		shares[i] = quota * int64(n) / all
		rest -= shares[i]
	}
	for at, last := -1, all; rest > 0; rest-- {
		next, most := -1, int64(-1)
		for i, n := range tbs {
			fraction := quota * int64(n) % all
			if (fraction < last || fraction == last && i > at) && fraction > most {
				next, most = i, fraction
			}
		}
		shares[next]++
		at, last = next, most
	}
}

// peak is the most lanes that an SM issues in some cycles.
func peak(s *policy.SM, cycles uint64) int64 {
	return int64(s.Schedulers) * int64(s.IssueWidth) * workload.WarpSize * int64(cycles)
}

// registers are the manager's registers of a tenant (QoS 4.9). They cover all kernels and runs
// of the application until it ends.
type registers struct {
	known bool   // the tenant is present
	qos   bool   // it has a goal
	since uint64 // cycle of its arrival
	done  uint64 // thread instructions since
	// measured is set when the end of an epoch has found it present, from when on
	// history and ipc count.
	measured bool
	history  float64 // thread instructions per cycle since its arrival
	ipc      float64 // of the last epoch
	alpha    float64 // 1 without a goal
	goal     float64 // thread instructions per cycle: the user's, or the artificial one
	quota    int64   // lanes of the present epoch, on all SMs; 0 while there are none
}

// meet starts the registers of arrived tenants, and clears the registers of tenants that have
// gone.
func (m *manager) meet(v *policy.View) {
	for i := range v.Tenants {
		t, r := &v.Tenants[i], &m.tenants[i]
		switch {
		case !t.Present:
			*r = registers{}
		case !r.known || r.since != t.Since:
			*r = registers{known: true, qos: t.Goal > 0, since: t.Since, ipc: leastIPC, alpha: 1, goal: t.Goal}
		}
	}
}

// measure takes the counts of the ended epoch.
func (m *manager) measure(v *policy.View) {
	clear(m.issued)
	var end, cycles uint64
	for i := range v.Windows {
		w := &v.Windows[i]
		if c, ok := w.Counters.(counters); ok {
			end, cycles = w.To, w.Cycles()
			for tenant := range m.issued {
				m.issued[tenant] += c.Tenants[tenant].ThreadInstructions
			}
		}
	}
	for tenant := range m.tenants {
		if r := &m.tenants[tenant]; r.known && end > r.since {
			r.done += m.issued[tenant]
			r.measured = true
			r.history = float64(r.done) / float64(end-r.since)
			r.ipc = float64(m.issued[tenant]) / float64(cycles)
		}
	}
}

// manager is the QoS manager: it sets the tenants' quotas of an epoch.
type manager struct {
	epoch    uint64 // cycles
	constant bool   // alpha is 1 whatever the history
	peak     int64  // lanes that all SMs issue in an epoch at most
	tenants  []registers
	issued   []uint64 // by tenant: thread instructions of the last epoch
}

// scale sets the alphas of a new epoch.
func (m *manager) scale() {
	for i := range m.tenants {
		if r := &m.tenants[i]; r.qos && !m.constant {
			r.alpha = alpha(r.goal, r.history)
		}
	}
}

// success is the product of the success of the QoS tenants in a list; 0 if a tenant has not
// been measured, so that no tenant disturbs it.
func (m *manager) success(tenants []int) float64 {
	product := 1.0
	for _, i := range tenants {
		switch r := &m.tenants[i]; {
		case !r.qos:
		case !r.measured:
			return 0
		default:
			product *= success(r.ipc, r.alpha, r.goal)
		}
	}
	return product
}

// grant sets a tenant's quota; among lists the tenants that share with it.
func (m *manager) grant(tenant int, among []int) {
	r := &m.tenants[tenant]
	if !r.qos {
		r.goal = artificialGoal(r.ipc, m.success(among))
	}
	r.quota = min(lanes(r.alpha*r.goal, m.epoch), m.peak)
}
