package dispatcher

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/tenant"
)

// start makes a kernel active, behind the active kernels of its stream's priority and before
// those of a lower one. It becomes its tenant's next kernel if the tenant has no other active
// kernel.
func (l *ledger) start(k *tbtable.Kernel) {
	at := len(l.kernels)
	for at > 0 && l.kernels[at-1].Priority > k.Priority {
		at--
	}
	l.kernels = slices.Insert(l.kernels, at, k)
	l.view.Kernels = slices.Insert(l.view.Kernels, at, &k.Kernel)
	v := &l.view.Tenants[k.Tenant]
	if v.Kernels++; v.Kernels == 1 {
		l.turnTo(k)
		l.order()
	}
	v.Idempotent = l.idempotent(k.Tenant)
}

// account is a tenant's first account without an active kernel.
func (l *ledger) account(id tenant.ID) tenant.Account {
	entry := 0
	for slices.ContainsFunc(l.kernels, func(k *tbtable.Kernel) bool { return k.Account == id.Account(entry) }) {
		entry++
	}
	return id.Account(entry)
}

// idempotent reports whether all active kernels of a tenant are idempotent.
func (l *ledger) idempotent(tenant int) bool {
	return !slices.ContainsFunc(l.kernels, func(k *tbtable.Kernel) bool { return k.Tenant == tenant && !k.Idempotent })
}

// retire ends an active kernel. Its thread blocks must all have finished.
func (l *ledger) retire(k *tbtable.Kernel) {
	i := slices.Index(l.kernels, k)
	l.kernels = slices.Delete(l.kernels, i, i+1)
	l.view.Kernels = slices.Delete(l.view.Kernels, i, i+1)
	v := &l.view.Tenants[k.Tenant]
	if v.Kernels--; v.Kernels == 0 {
		l.next[k.Tenant] = nil
		l.view.Active = slices.DeleteFunc(l.view.Active, func(a int) bool { return a == k.Tenant })
		v.Demand, v.SMs = occupancy.Demand{}, policy.Range{}
		return
	}
	v.Idempotent = l.idempotent(k.Tenant)
	if l.next[k.Tenant] == k {
		l.turnTo(l.first(k.Tenant))
		l.order()
	}
}

// turn makes each tenant's first kernel with waiting thread blocks the tenant's next
// kernel, and reports whether any tenant has a new next kernel. The policy must not be
// deciding meanwhile.
func (l *ledger) turn() (turned bool) {
	if len(l.kernels) == len(l.view.Active) {
		return false // each tenant has one
	}
	for tenant, now := range l.next {
		if now == nil {
			continue
		}
		if k := l.first(tenant); k != now {
			l.turnTo(k)
			turned = true
		}
	}
	if turned {
		l.order()
	}
	return turned
}

// order puts the active tenants in the order of their next kernels.
func (l *ledger) order() {
	l.view.Active = l.view.Active[:0]
	for _, k := range l.kernels {
		if l.next[k.Tenant] == k {
			l.view.Active = append(l.view.Active, k.Tenant)
		}
	}
}

// first is the first of a tenant's kernels with waiting thread blocks. If no thread
// block waits, the next kernel stays the same; if it has retired, the tenant's first
// kernel takes its place.
func (l *ledger) first(tenant int) (first *tbtable.Kernel) {
	for _, k := range l.kernels {
		switch {
		case k.Tenant != tenant:
		case k.Waiting > 0:
			return k
		case first == nil || k == l.next[tenant]:
			first = k
		}
	}
	return first
}

// turnTo makes a kernel the next of its tenant.
func (l *ledger) turnTo(k *tbtable.Kernel) {
	if now := l.next[k.Tenant]; now != nil {
		now.Next = false
	}
	l.next[k.Tenant], k.Next = k, true
	v := &l.view.Tenants[k.Tenant]
	v.SMs = k.SMs
	v.Launch, v.Code, v.Run, v.Demand, v.ClusterTBs, v.Waiting = k.Launch, k.Code, k.Run, k.Demand, k.ClusterTBs, k.Waiting
}
