package sampling

import (
	"context"
	"fmt"

	"cotenant/workload"
	"cotenant/workload/functional"
)

// skipping makes an application of which the platform sees the launches to be simulated. Its
// host program executes all other launches without timing, so that memory holds what the
// simulated launches and the program itself read. The application can be started once.
type skipping struct {
	ctx      context.Context
	plan     *Plan
	launches []Launch
	next     int // launch
}

// app wraps the application.
func (s *skipping) app(of *workload.App) *workload.App {
	app := *of
	app.Host = func() (workload.Host, error) {
		h, err := of.Start()
		if err != nil {
			return nil, err
		}
		host := &skippingHost{Host: h, skipping: s, listed: workload.Listed(h)}
		if in, ok := h.(workload.Inspectable); ok {
			return &inspectableHost{host, in}, nil
		}
		return host, nil
	}
	return &app
}

// skippingHost is the run of the application.
type skippingHost struct {
	workload.Host
	*skipping
	listed bool // a launch that is skipped need not be executed
}

// inspectableHost is a run of an application with arrays.
type inspectableHost struct {
	*skippingHost
	arrays workload.Inspectable
}

// Inspect implements workload.Inspectable.
func (h *inspectableHost) Inspect(i workload.Inspector) { h.arrays.Inspect(i) }

// Arrays implements workload.Inspectable.
func (h *inspectableHost) Arrays() []workload.Array { return h.arrays.Arrays() }

// Next implements workload.Host.
func (h *skippingHost) Next() (workload.Op, bool, error) {
	op, ok, err := h.Host.Next()
	if err != nil || op.Kernel == nil {
		return op, ok, err
	}
	if err := h.check(op.Kernel); err != nil {
		return workload.Op{}, false, err
	}
	h.next++
	if h.plan.Simulated(h.next - 1) {
		return op, true, nil
	}
	if !h.listed {
		err = functional.Run(h.ctx, op.Kernel, 1, functional.Observer{Patience: patience})
	}
	return workload.Op{Sync: op.Sync}, true, err
}

// check returns an error unless the next launch equals the launch that emulation found.
func (s *skipping) check(k *workload.Kernel) error {
	if s.next < len(s.launches) && k.Name == s.launches[s.next].Kernel && k.TBs() == s.launches[s.next].TBs {
		return nil
	}
	return s.differs(fmt.Sprintf("launch %d is %s with %s", s.next+1, k.Name, workload.Count(k.TBs(), "thread block")))
}

// done returns an error unless the application has made all launches that emulation found.
func (s *skipping) done() error {
	if s.next == len(s.launches) {
		return nil
	}
	return s.differs("it ends after " + workload.Count(s.next, "launch"))
}

func (s *skipping) differs(how string) error {
	return fmt.Errorf("in the simulation, %s, unlike in emulation: the launches depend on the order in which thread blocks run; valid: an application with the same launches in any order", how)
}
