package dispatcher

import (
	"fmt"

	"cotenant/workload"
)

// Tenant is an application and how it is run.
type Tenant struct {
	App *workload.App
	// Restart runs the application again whenever it has ended.
	Restart bool
}

// tenantState is where a tenant's application stands.
type tenantState struct {
	Tenant
	host     workload.Host    // nil between two runs
	kernel   *workload.Kernel // active or to be started next; nil between two runs
	wakeAt   uint64           // cycle at which it goes on, while it has no active kernel
	launches uint64
	ended    bool
	firstRun bool
}

// begin starts a run of the application, up to its first kernel.
func (t *tenantState) begin() (err error) {
	if t.host, err = t.App.Start(); err != nil {
		return err
	}
	if t.kernel, err = t.nextKernel(); err == nil && t.kernel == nil {
		err = fmt.Errorf("%s: the application launches no kernel", t.App.Name)
	}
	return err
}

// nextKernel follows the host program to its next kernel launch, nil if there
// is none. Copies take no time.
func (t *tenantState) nextKernel() (*workload.Kernel, error) {
	for {
		op, ok, err := t.host.Next()
		if err != nil || !ok {
			return nil, err
		}
		if op.Kernel != nil {
			return op.Kernel, nil
		}
	}
}
