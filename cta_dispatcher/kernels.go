package dispatcher

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/tenant"
)

// What the ledger knows of kernels: which are active, and which of a tenant's is
// its next.

// start makes a kernel active. It is its tenant's next if that has no other.
func (l *ledger) start(k *kernelStatus) {
	l.kernels = append(l.kernels, k)
	l.view.Kernels = append(l.view.Kernels, &k.Kernel)
	v := &l.view.Tenants[k.Tenant]
	if v.Kernels++; v.Kernels == 1 {
		l.view.Active = append(l.view.Active, k.Tenant)
		l.turnTo(k)
	}
	v.Idempotent = l.idempotent(k.Tenant)
}

// account is a tenant's first that no active kernel has.
func (l *ledger) account(id tenant.ID) tenant.Account {
	entry := 0
	for slices.ContainsFunc(l.kernels, func(k *kernelStatus) bool { return k.account == id.Account(entry) }) {
		entry++
	}
	return id.Account(entry)
}

// idempotent reports whether all active kernels of a tenant are.
func (l *ledger) idempotent(tenant int) bool {
	return !slices.ContainsFunc(l.kernels, func(k *kernelStatus) bool { return k.Tenant == tenant && !k.Idempotent })
}

// retire ends an active kernel, of which no thread block is left.
func (l *ledger) retire(k *kernelStatus) {
	i := slices.Index(l.kernels, k)
	l.kernels = slices.Delete(l.kernels, i, i+1)
	l.view.Kernels = slices.Delete(l.view.Kernels, i, i+1)
	v := &l.view.Tenants[k.Tenant]
	if v.Kernels--; v.Kernels == 0 {
		l.next[k.Tenant] = nil
		l.view.Active = slices.DeleteFunc(l.view.Active, func(a int) bool { return a == k.Tenant })
		v.Demand = occupancy.Demand{}
		return
	}
	v.Idempotent = l.idempotent(k.Tenant)
	if l.next[k.Tenant] == k {
		l.turnTo(l.first(k.Tenant))
		l.order()
	}
}

// turn has each tenant's next kernel be the first of those with thread blocks
// that wait, if it has any, and reports whether that is another one for some
// tenant. It is not to be called while the policy decides.
func (l *ledger) turn() (turned bool) {
	if len(l.kernels) == len(l.view.Active) {
		return false // one of each tenant
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

// order puts the active tenants in the order in which their next kernels arrived.
func (l *ledger) order() {
	l.view.Active = l.view.Active[:0]
	for _, k := range l.kernels {
		if l.next[k.Tenant] == k {
			l.view.Active = append(l.view.Active, k.Tenant)
		}
	}
}

// first is the first of a tenant's kernels with thread blocks that wait. If none
// has any, it is the one that is the next now, or the first of all if that has
// been retired.
func (l *ledger) first(tenant int) (first *kernelStatus) {
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
func (l *ledger) turnTo(k *kernelStatus) {
	l.next[k.Tenant] = k
	v := &l.view.Tenants[k.Tenant]
	v.Launch, v.Code, v.Run, v.Demand, v.Waiting = k.Launch, k.Code, k.Run, k.Demand, k.Waiting
}

// wait changes the number of a kernel's thread blocks that wait.
func (l *ledger) wait(k *kernelStatus, by int) {
	k.Waiting += by
	if l.next[k.Tenant] == k {
		l.view.Tenants[k.Tenant].Waiting = k.Waiting
	}
}

// run changes the number of a kernel's thread blocks that are on SMs.
func (l *ledger) run(k *kernelStatus, by int) {
	k.Running += by
	l.view.Tenants[k.Tenant].Running += by
}

// save changes the number of a kernel's thread blocks whose contexts are on
// their way to memory.
func (l *ledger) save(k *kernelStatus, by int) {
	k.Saving += by
	l.view.Tenants[k.Tenant].Saving += by
}
