package tenant

// Account is the key of counters: a tenant and an active kernel of it. The first
// of a tenant's kernels that are active at once counts under the tenant's own
// number. Once a kernel has finished, another kernel may get its account.
type Account uint8

const (
	// Kernels is the number of kernels of one tenant that can be active at once.
	Kernels = 15
	// Accounts is the number of accounts: one for each kernel, and one for each tenant
	// for events that belong to no kernel.
	Accounts = Max * (Kernels + 1)
)

// Account is the account of the tenant's active kernel in an entry, from 0.
func (id ID) Account(entry int) Account {
	if entry > 0 {
		entry++ // behind the tenants' own
	}
	return Account(id) + Account(entry*Max)
}

// Rest is the tenant's account for events that belong to no kernel: by the time a
// dirty line is written back, its kernel is unknown.
func (id ID) Rest() Account { return Account(id) + Max }

// Tenant is the number of the account's tenant.
func (a Account) Tenant() ID { return ID(a % Max) }

// Entry is the number of the account's kernel among the tenant's active ones, from 0;
// Kernels for the tenant's Rest.
func (a Account) Entry() int {
	switch entry := int(a / Max); entry {
	case 0:
		return 0
	case 1:
		return Kernels
	default:
		return entry - 1
	}
}

// Base is the first address of the memory of the account's tenant.
func (a Account) Base() uint64 { return a.Tenant().Base() }

// PerAccount are counters of each account, by its number. Accounts beyond the slice
// have counted nothing: while each tenant has one active kernel, a GPU with many modules
// would have most of its memory in counters that stay zero.
type PerAccount[T any] []T

// Of are the counters of an account, to count in. They may move when Of is asked for
// another account.
func (p *PerAccount[T]) Of(a Account) *T {
	if int(a) >= len(*p) {
		p.grow(a)
	}
	return &(*p)[a]
}

// grow makes room for all tenants' first kernels and rests, or else for all accounts.
func (p *PerAccount[T]) grow(a Account) {
	n := 2 * Max
	if int(a) >= n {
		n = Accounts
	}
	*p = append(make([]T, 0, n), *p...)[:n]
}

// Get are the counters of an account, to read.
func (p PerAccount[T]) Get(a Account) (counters T) {
	if int(a) < len(p) {
		return p[a]
	}
	return counters
}

// From are the counters of a tenant's accounts, Max apart, the first one first.
func (p PerAccount[T]) From(tenant int) []T { return p[min(tenant, len(p)):] }

// Tenants is the number of tenants, and the distance between two accounts of one
// tenant.
func (PerAccount[T]) Tenants() int { return Max }
