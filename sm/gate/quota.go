package gate

import (
	"math/bits"
	"reflect"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// Quota is the enhanced warp scheduler (SMK 5.4; QoS 3.4): each tenant has a counter, at
// each scheduler or for the whole SM, of what it may still issue. Instructions take from
// it, one each or one for each lane, when they issue or when they complete. A tenant
// with a counter at 0 or below is held back. When all tenants with warps are held back,
// they get what protocol.Quota.Refill says. Schemes are settings of protocol.Quotas.
//
// An instruction is issued whole, and so are two that a warp issues in one cycle. So a
// counter can go below 0, by less than the schedulers that share it issue at an edge; if
// instructions take from it at completion, also by what is in flight then. A refill does
// not wait for tenants without a warp. Such a tenant finds the rest of its quota again
// when it comes back, unless a Restart, which starts all counters anew, came in between.
// Where each scheduler has its own counters, a refill does not wait for a tenant either
// if its warps at a scheduler all wait at barriers for warps that are held back: else
// two tenants could wait for each other, at two schedulers, until the next
// protocol.Quotas. The papers do not speak of barriers.
//
// If even new quotas let no tenant issue, tenants with RefillRestart are not held back;
// the remaining tenants wait for the next protocol.Quotas.
type Quota struct {
	on, lanes, perSM, atCompletion bool
	// stale: an account is, or warps have come to barriers or left them.
	stale bool
	meets bool // an account has tenants that wait
	// first, restart and unlimited are the tenants, one bit each, with these properties
	// in protocol.Quota.
	first, restart, unlimited tenants
	quotas                    [tenant.Max]protocol.Quota
	// accounts are the schedulers'; the first is the SM's if it has one for all.
	accounts   []account
	schedulers []warpsOf
}

// tenants are some of an SM, one bit each.
type tenants uint32

// account is the tenants' counters, of one scheduler or of the SM.
type account struct {
	left [tenant.Max]int64
	// stale: who may issue can have changed.
	stale bool
	// waits are the tenants that a refill does not wait for, since they wait for warps
	// without quota at other schedulers; waitsNow are the next value of waits.
	waits, waitsNow tenants
}

// warpsOf are one scheduler's.
type warpsOf struct {
	slots [tenant.Max]warps.Mask // of the tenant's warps
	owner [warps.PerScheduler]tenant.ID
	tb    [warps.PerScheduler]uint64 // number of the warp's thread block
	held  warps.Mask                 // slots that may not issue
	waits warps.Mask                 // slots that wait at barriers
}

func init() { register(func(schedulers int) Gate { return NewQuota(schedulers) }) }

// NewQuota makes a gate without quotas.
func NewQuota(schedulers int) *Quota {
	return &Quota{accounts: make([]account, schedulers), schedulers: make([]warpsOf, schedulers)}
}

// Takes lists protocol.Quotas.
func (q *Quota) Takes() []reflect.Type { return []reflect.Type{reflect.TypeFor[*protocol.Quotas]()} }

// Control sets quotas, or ends them.
func (q *Quota) Control(c protocol.Control) bool {
	m, ok := c.(*protocol.Quotas)
	if !ok {
		return false
	}
	if !m.On {
		clear(q.accounts)
		*q = Quota{accounts: q.accounts, schedulers: q.schedulers}
		for i := range q.schedulers {
			q.schedulers[i].held = 0
		}
		return true
	}
	if m.Lanes != q.lanes || m.PerSM != q.perSM {
		clear(q.accounts)
	}
	q.on, q.lanes, q.perSM, q.atCompletion = true, m.Lanes, m.PerSM, m.AtCompletion
	for t := range m.Of {
		if m.Of[t].Given {
			q.give(t, m.Of[t])
		}
	}
	for i := range q.schedulers {
		q.touch(i)
	}
	q.Edge()
	return true
}

// give sets a tenant's quota, with which its counters start.
func (q *Quota) give(t int, quota protocol.Quota) {
	if quota.Unlimited {
		quota = protocol.Quota{Unlimited: true}
	}
	quota.Amount = min(quota.Amount, protocol.QuotaLimit)
	q.quotas[t] = quota
	for i := range q.accounts {
		left := &q.accounts[i].left[t]
		kept := int64(0)
		if quota.Keep {
			kept = max(*left, 0)
		}
		*left = min(quota.Amount+kept, protocol.QuotaLimit)
	}
	q.unlimited.assign(t, quota.Unlimited)
	q.first.assign(t, quota.First)
	q.restart.assign(t, quota.Refill == protocol.RefillRestart)
}

// Active reports whether there are quotas.
func (q *Quota) Active() bool { return q.on }

// Placed counts a warp in.
func (q *Quota) Placed(scheduler, slot int, t tenant.ID, tb uint64) {
	s := &q.schedulers[scheduler]
	s.owner[slot], s.tb[slot] = t, tb
	s.slots[t] |= 1 << slot
	q.touch(scheduler)
}

// Ended counts a warp out. If this lets counters of the scheduler alone start anew, they
// do so before the warp's last instruction is subtracted; no other scheduler sees them.
func (q *Quota) Ended(scheduler, slot int) {
	s := &q.schedulers[scheduler]
	s.slots[s.owner[slot]] &^= 1 << slot
	q.touch(scheduler)
	if q.on && !q.perSM {
		a := &q.accounts[scheduler]
		a.waits = 0 // until the edge
		q.settle(a, q.sharing(scheduler))
	}
}

// Issued takes the instructions off a tenant's counter, unless they are taken off
// when they complete.
func (q *Quota) Issued(scheduler, slot int, insts []workload.Inst) {
	if q.atCompletion {
		return
	}
	n := len(insts)
	if q.lanes {
		n = 0
		for i := range insts {
			n += bits.OnesCount32(insts[i].Active)
		}
	}
	q.take(scheduler, q.schedulers[scheduler].owner[slot], n)
}

// take takes so much off a tenant's counter.
func (q *Quota) take(scheduler int, t tenant.ID, n int) {
	if q.unlimited>>t&1 != 0 {
		return
	}
	left := &q.account(scheduler).left[t]
	if *left -= int64(n); *left <= 0 {
		q.touch(scheduler)
	}
}

// Edge finds who may issue where that can have changed.
func (q *Quota) Edge() (changed bool) {
	if !q.stale {
		return false
	}
	q.stale = false
	for i := range q.accounts {
		if a := &q.accounts[i]; a.stale {
			a.stale, a.waits = false, 0
			q.settle(a, q.sharing(i))
		}
	}
	if q.Meets() {
		q.meet()
	}
	return true
}

// Masks are the slots of tenants that are held back.
func (q *Quota) Masks(scheduler int) (all, memory warps.Mask) { return q.schedulers[scheduler].held, 0 }

// Left makes Quota Metered: it is the sum over the counters of a tenant.
func (q *Quota) Left(t tenant.ID) (left int64) {
	for i := range q.accounts {
		left += q.accounts[i].left[t]
		if q.perSM {
			break
		}
	}
	return left
}

// account has the counters that a scheduler takes from.
func (q *Quota) account(scheduler int) *account {
	if q.perSM {
		scheduler = 0
	}
	return &q.accounts[scheduler]
}

// sharing are the schedulers that take from the account of a number.
func (q *Quota) sharing(account int) []warpsOf {
	if q.perSM {
		return q.schedulers
	}
	return q.schedulers[account : account+1]
}

// touch marks a scheduler's account for the next Edge.
func (q *Quota) touch(scheduler int) {
	q.account(scheduler).stale = true
	q.stale = true
}

func (s *tenants) assign(t int, in bool) {
	*s &^= 1 << t
	if in {
		*s |= 1 << t
	}
}
