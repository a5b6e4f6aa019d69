package protocol

import (
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
)

// Process says that a tenant's process has come or gone. From host to SM driver.
type Process struct {
	sim.MsgMeta
	Tenant tenant.ID
	// Present is true when the process arrives and false when it has ended.
	Present bool
	// Attributes are what the user has said of the tenant.
	Attributes tenant.Attributes
}

// Meta makes Process a sim.Msg.
func (m *Process) Meta() *sim.MsgMeta { return &m.MsgMeta }

// Launch launches a kernel. The command dispatcher holds the next one of its
// hardware queue back until KernelDone answers, and that of its process under a
// policy that knows one kernel of each. From host to SM driver.
type Launch struct {
	sim.MsgMeta
	Tenant tenant.ID
	Kernel *workload.Kernel
	Run    uint64 // of the application, from 0
	Tag    uint32 // the host's own; comes back with KernelDone
}

// Meta makes Launch a sim.Msg.
func (m *Launch) Meta() *sim.MsgMeta { return &m.MsgMeta }

// KernelDone says that the last thread block of a tenant's kernel has finished.
// From SM driver to host.
type KernelDone struct {
	sim.MsgMeta
	Tenant tenant.ID
	Tag    uint32 // of the Launch
}

// Meta makes KernelDone a sim.Msg.
func (m *KernelDone) Meta() *sim.MsgMeta { return &m.MsgMeta }
