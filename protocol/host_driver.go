package protocol

import (
	"cotenant/tenant"
	"cotenant/workload"
)

// Process says that a tenant's process has come or gone. From host to SM driver.
type Process struct {
	Msg
	Tenant tenant.ID
	// Present is true when the process arrives and false when it has ended.
	Present bool
	// Attributes are set by the user.
	Attributes tenant.Attributes
}

// Launch launches a kernel. Until KernelDone answers, the command dispatcher holds
// back the next Launch of its hardware queue, and every Launch of its process under
// a policy that knows one kernel of each. From host to SM driver.
type Launch struct {
	Msg
	Tenant tenant.ID
	Kernel *workload.Kernel
	Run    uint64 // of the application, from 0
	Tag    uint32 // the host's own; comes back with KernelDone
}

// KernelDone says that the last thread block of a tenant's kernel has finished.
// From SM driver to host.
type KernelDone struct {
	Msg
	Tenant tenant.ID
	Tag    uint32 // of the Launch
}
