package gate

import (
	"math/bits"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
)

// settle finds an account's tenants that may issue, and the slots of its schedulers that
// may not. If no tenant may, it refills the counters first. A tenant that waits for
// another scheduler counts as absent.
func (q *Quota) settle(a *account, schedulers []warpsOf) {
	present := tenants(0)
	for i := range schedulers {
		for t, slots := range schedulers[i].slots {
			if slots != 0 {
				present |= 1 << t
			}
		}
	}
	present &^= a.waits
	limited := present &^ q.unlimited
	may := q.may(a, limited)
	if may == 0 && limited != 0 {
		q.refill(a, limited)
		may = q.may(a, limited)
	}
	first := may & q.first
	if may == 0 {
		may = q.restart // tenants that are not present make no difference
	}
	if first == 0 {
		may |= q.unlimited
	}
	for i := range schedulers {
		held := warps.Mask(0)
		for rest := present &^ may; rest != 0; rest &= rest - 1 {
			held |= schedulers[i].slots[bits.TrailingZeros32(uint32(rest))]
		}
		schedulers[i].held = held
	}
}

// may are the present tenants with something left. If tenants that go first are among
// them, may are these alone.
func (q *Quota) may(a *account, present tenants) (may tenants) {
	for rest := present; rest != 0; rest &= rest - 1 {
		t := bits.TrailingZeros32(uint32(rest))
		may.assign(t, a.left[t] > 0)
	}
	if first := may & q.first; first != 0 {
		return first
	}
	return may
}

// refill gives each tenant of an account what its quota says. The present tenants are
// all exhausted.
func (q *Quota) refill(a *account, present tenants) {
	for t := range tenant.Max {
		quota := &q.quotas[t]
		switch {
		case quota.Refill == protocol.RefillRestart:
			a.left[t] = quota.Amount
		case quota.Refill == protocol.RefillAdd && quota.Amount > 0 && present>>t&1 != 0:
			// The smallest multiple of the quota that lifts the counter above 0.
			a.left[t] = quota.Amount - -a.left[t]%quota.Amount
		}
	}
}
