// Package tenant describes a tenant: an application that shares the GPU. A tenant has
// a number, which messages and counters carry and which marks its addresses, and the
// attributes that the user gives it, which every policy sees.
package tenant

// ID is a tenant's number, from 0 in the order in which the user lists the
// applications; below Max.
type ID uint8

const (
	// Max is the number of tenants that can share the GPU.
	Max = 16
	// AddressShift is the lowest address bit that holds the tenant's number, so that
	// equal addresses of two tenants are different lines. Bits from here up take no part
	// in choosing slice, channel or bank, unless the memory layout uses them.
	AddressShift = 56
)

// Base is the first address of the tenant's memory: its number in the bits from
// AddressShift.
func (id ID) Base() uint64 { return uint64(id) << AddressShift }
