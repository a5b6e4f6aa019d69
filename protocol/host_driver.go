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

// Launch launches a kernel. A tenant has one kernel in the execution engine at a
// time: the command dispatcher holds the next one back until KernelDone answers.
// From host to SM driver.
type Launch struct {
	sim.MsgMeta
	Tenant tenant.ID
	Kernel *workload.Kernel
	Run    uint64 // of the application, from 0
}

// Meta makes Launch a sim.Msg.
func (m *Launch) Meta() *sim.MsgMeta { return &m.MsgMeta }

// KernelDone says that the last thread block of a tenant's kernel has finished.
// From SM driver to host.
type KernelDone struct {
	sim.MsgMeta
	Tenant tenant.ID
}

// Meta makes KernelDone a sim.Msg.
func (m *KernelDone) Meta() *sim.MsgMeta { return &m.MsgMeta }
