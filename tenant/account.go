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
func (id ID) Account(entry int) Account { return Account(id) + Account(entry*Max) }

// Rest is the tenant's account for events that belong to no kernel: by the time a
// dirty line is written back, its kernel is unknown.
func (id ID) Rest() Account { return id.Account(Kernels) }

// Tenant is the number of the account's tenant.
func (a Account) Tenant() ID { return ID(a % Max) }

// Entry is the number of the account's kernel among the tenant's active ones, from 0.
func (a Account) Entry() int { return int(a / Max) }

// Base is the first address of the memory of the account's tenant.
func (a Account) Base() uint64 { return a.Tenant().Base() }

// PerAccount are counters of each account.
type PerAccount[T any] [Accounts]T

// Tenants is the number of tenants, and the distance between two entries of one
// tenant.
func (*PerAccount[T]) Tenants() int { return Max }
