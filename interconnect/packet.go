package interconnect

import (
	"cotenant/tenant"

	"github.com/sarchlab/akita/v3/sim"
)

// Packet is a message that a Crossbar can carry. The methods must answer the
// same while the packet is in the crossbar.
type Packet interface {
	sim.Msg
	// Route is the output port, from 0, and the payload in bytes, without
	// header. The crossbar asks once.
	Route() (output, dataBytes int)
	// Tenant is the tenant that the packet is accounted to, below tenant.Max.
	Tenant() tenant.ID
}
