package gate

import (
	"reflect"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// Quota is the enhanced warp scheduler of Simultaneous Multikernel (SMK 5.4): a
// tenant may issue so many warp instructions from each scheduler, and when the
// quotas of all tenants with warps on the scheduler are used up, all start anew.
// Each instruction takes one off the quota of its tenant. Two that a warp issues in
// one cycle take two; of a quota of one they both issue and use it up, and the
// next quota is none the smaller for it.
type Quota struct {
	on         bool
	quota      [tenant.Max]int32
	schedulers []account
}

// account is one scheduler's.
type account struct {
	left  [tenant.Max]int32
	slots [tenant.Max]warps.Mask // of the tenant's warps
	owner [warps.PerScheduler]tenant.ID
	// exhausted are the slots of the tenants that have used their quota up.
	exhausted warps.Mask
}

func init() { register(func(schedulers int) Gate { return NewQuota(schedulers) }) }

// NewQuota makes a gate without quotas for so many schedulers.
func NewQuota(schedulers int) *Quota { return &Quota{schedulers: make([]account, schedulers)} }

// Takes lists protocol.Quotas.
func (q *Quota) Takes() []reflect.Type { return []reflect.Type{reflect.TypeFor[*protocol.Quotas]()} }

// Control sets the quotas, which start anew, or ends them.
func (q *Quota) Control(c protocol.Control) bool {
	m, ok := c.(*protocol.Quotas)
	if !ok {
		return false
	}
	q.on = m.On
	for t := range m.Of {
		q.quota[t] = int32(m.Of[t].Amount)
	}
	for i := range q.schedulers {
		a := &q.schedulers[i]
		a.left = q.quota
		q.renew(a)
	}
	return true
}

// Active reports whether there are quotas.
func (q *Quota) Active() bool { return q.on }

// Placed counts a warp in.
func (q *Quota) Placed(scheduler, slot int, t tenant.ID) {
	a := &q.schedulers[scheduler]
	a.owner[slot] = t
	a.slots[t] |= 1 << slot
	q.renew(a)
}

// Ended counts a warp out: a tenant without warps keeps nobody waiting.
func (q *Quota) Ended(scheduler, slot int) {
	a := &q.schedulers[scheduler]
	a.slots[a.owner[slot]] &^= 1 << slot
	q.renew(a)
}

// Issued takes the instructions off a tenant's quota.
func (q *Quota) Issued(scheduler, slot int, insts []workload.Inst) {
	a := &q.schedulers[scheduler]
	t := a.owner[slot]
	if a.left[t] -= int32(len(insts)); a.left[t] <= 0 {
		a.left[t] = 0
		q.renew(a)
	}
}

// Masks are the slots of tenants without quota left.
func (q *Quota) Masks(scheduler int) (all, memory warps.Mask) {
	return q.schedulers[scheduler].exhausted, 0
}

// renew finds which slots may not issue. When the quotas of all tenants with
// warps are used up, all start anew; if even that gives none of them an
// instruction, quotas hold nobody back.
func (q *Quota) renew(a *account) {
	a.exhausted = 0
	if !q.on {
		return
	}
	for again := true; ; again = false {
		waiting := false
		a.exhausted = 0
		for t, slots := range a.slots {
			if slots == 0 {
				continue
			}
			if a.left[t] <= 0 {
				a.exhausted |= slots
			} else {
				waiting = true
			}
		}
		if waiting || a.exhausted == 0 {
			return
		}
		if !again {
			a.exhausted = 0
			return
		}
		a.left = q.quota
	}
}
