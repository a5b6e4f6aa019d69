package host

import (
	"fmt"
	"math"

	"cotenant/components"
	"cotenant/tenant"
)

// Builder makes Hosts.
type Builder struct {
	spec      Spec
	domain    *components.Domain
	bus       Bus
	processes []Process
	listener  Listener

	concurrent bool
}

// WithSpec sets the parameters.
func (b Builder) WithSpec(s Spec) Builder { b.spec = s; return b }

// WithDomain sets the core clock, at which the command dispatcher runs.
func (b Builder) WithDomain(d *components.Domain) Builder { b.domain = d; return b }

// WithBus describes the way to the GPU; only an ideal host does without.
func (b Builder) WithBus(bus Bus) Builder { b.bus = bus; return b }

// WithProcesses sets the processes, by tenant number.
func (b Builder) WithProcesses(list []Process) Builder { b.processes = list; return b }

// WithConcurrent lets kernels of several streams of a process into the execution
// engine at once, one from each hardware queue and at most tenant.Kernels. Otherwise
// the engine holds one kernel of a process.
func (b Builder) WithConcurrent(on bool) Builder { b.concurrent = on; return b }

// WithListener sets the observer; none if it is not called.
func (b Builder) WithListener(l Listener) Builder { b.listener = l; return b }

// Build makes a host and schedules its first tick. It returns an error if a
// parameter is out of range or an application launches no kernel.
func (b Builder) Build(name string) (*Host, error) {
	if err := b.spec.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(b.processes) == 0 || len(b.processes) > tenant.Max {
		return nil, fmt.Errorf("%d applications, must be 1 to %d", len(b.processes), tenant.Max)
	}
	h := &Host{spec: b.spec, bus: b.bus, listener: b.listener, kernels: 1, queues: make([]queue, b.spec.HardwareQueues),
		horizon: math.MaxUint64/uint64(b.domain.Period()) - 1,
		stats:   Stats{Processes: make([]ProcessStats, len(b.processes))}}
	if b.concurrent {
		h.kernels = tenant.Kernels
	}
	h.Init(name, b.domain, h)
	h.Driver = h.NewPort("Driver", len(b.processes)*tenant.Kernels)
	if !b.spec.Ideal {
		if b.bus.Cycles == nil || b.bus.Hz == 0 || b.bus.Queue < 1 {
			return nil, fmt.Errorf("%s: no bus, which only an ideal host does without", name)
		}
		h.copyRatio = (b.domain.Hz()-1)/b.bus.Hz + 1
		h.Copies = h.NewPort("Copies", b.bus.Queue)
	}
	for _, p := range b.processes {
		if len(p.App.Kernels()) == 0 && p.App.Host == nil {
			return nil, fmt.Errorf("%s: the application launches no kernel", p.App.Name)
		}
		arrival := p.Arrival.At(b.domain.Hz())
		if arrival > h.horizon {
			return nil, fmt.Errorf("%s: arrival is cycle %d, must be 0 to %d", p.App.Name, arrival, h.horizon)
		}
		h.processes = append(h.processes, process{Process: p, arrival: arrival, queues: map[int]int{}})
	}
	h.Start()
	return h, nil
}
