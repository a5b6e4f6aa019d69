package tenant

// Account is what counters are kept by: a tenant, and which of its active kernels
// it is. The first of a tenant's kernels that are active at once is counted under
// the tenant's own number. A kernel's account is another one's once it has
// finished.
type Account uint8

const (
	// Kernels is the number of kernels of one tenant that can be active at once.
	Kernels = 15
	// Accounts is the number of accounts: those of kernels, and one of each tenant
	// for what is no kernel's.
	Accounts = Max * (Kernels + 1)
)

// Account is that of the tenant's active kernel in an entry, from 0.
func (id ID) Account(entry int) Account { return Account(id) + Account(entry*Max) }

// Rest is the tenant's account for what is no kernel's: a dirty line is written
// back when nobody can tell whose it is.
func (id ID) Rest() Account { return id.Account(Kernels) }

// Tenant is the number of the account's tenant.
func (a Account) Tenant() ID { return ID(a % Max) }

// Entry is which of the tenant's active kernels the account's is, from 0.
func (a Account) Entry() int { return int(a / Max) }

// Base is the first address of the memory of the account's tenant.
func (a Account) Base() uint64 { return a.Tenant().Base() }

// PerAccount are counters of each account.
type PerAccount[T any] [Accounts]T

// Tenants is how many tenants the accounts are of: those of one tenant lie so
// many entries apart.
func (*PerAccount[T]) Tenants() int { return Max }
