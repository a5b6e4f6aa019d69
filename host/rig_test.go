package host

import (
	"testing"
	"time"

	"cotenant/components"
	"cotenant/host/pcie"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// plain is a host without latencies of its own, with a core clock of 1 GHz: one
// cycle is a nanosecond, and a copy moves 16 bytes in one.
var plain = Spec{HardwareQueues: 32, QueueDepth: 64, CPUThreads: 8,
	PCIe: pcie.Spec{ClockMHz: 500, Lanes: 32, LaneBits: 8, BurstBytes: 4096, Queue: 32, Scheduler: "fcfs"}}

// driver is a mock of the SM driver: it runs a kernel for as many cycles as its
// grid has thread blocks, each tenant's beside the others'.
type driver struct {
	components.Module
	port    *components.Port
	running []finish
	log     []seen
}

type finish struct {
	tenant tenant.ID
	at     uint64
}

// seen is a message that the SM driver has got: a kernel, or a process, whose
// coming and going is told by + and -.
type seen struct {
	at     uint64
	tenant tenant.ID
	what   string
}

func (d *driver) Tick(cycle uint64) (moved bool) {
	for i := 0; i < len(d.running); i++ {
		if f := d.running[i]; f.at <= cycle && d.port.Push(&protocol.KernelDone{Tenant: f.tenant}) {
			d.running = append(d.running[:i], d.running[i+1:]...)
			i--
			moved = true
		}
	}
	for m := d.port.Pop(); m != nil; m = d.port.Pop() {
		moved = true
		switch m := m.(type) {
		case *protocol.Process:
			d.log = append(d.log, seen{cycle, m.Tenant, map[bool]string{true: "+", false: "-"}[m.Present]})
		case *protocol.Launch:
			d.log = append(d.log, seen{cycle, m.Tenant, m.Kernel.Name})
			d.running = append(d.running, finish{m.Tenant, cycle + uint64(m.Kernel.TBs())})
		}
	}
	for _, f := range d.running {
		d.WakeAt(f.at)
	}
	return moved
}

// rig is a host between a mock SM driver and a copy engine.
type rig struct {
	*Host
	driver *driver
	copies *pcie.Engine
	engine *components.Engine
	core   *components.Domain
}

func build(t require.TestingT, s Spec, l Listener, processes ...Process) *rig {
	engine := components.NewEngine()
	core, err := engine.AddDomain("core", 1_000_000_000)
	require.NoError(t, err)
	bus, err := engine.AddDomain("pcie", 500_000_000)
	require.NoError(t, err)
	h, err := Builder{}.WithSpec(s).WithDomain(core).WithProcesses(processes).WithListener(l).Build("Host")
	require.NoError(t, err)
	d := &driver{}
	d.Init("Driver", core, d)
	d.port = d.NewPort("Host", 2*len(processes))
	_, err = components.Connect(h.Driver, d.port, 1)
	require.NoError(t, err)
	r := &rig{Host: h, driver: d, engine: engine, core: core}
	if !s.Ideal {
		r.copies, err = pcie.Builder{}.WithSpec(s.PCIe).WithDomain(bus).Build("PCIe")
		require.NoError(t, err)
		_, err = components.Connect(h.Copies, r.copies.Host, 1)
		require.NoError(t, err)
	}
	return r
}

// run goes on until the host stops the engine, nothing is left to do, or the
// given cycle.
func (r *rig) run(until uint64) *rig {
	r.engine.RunUntil(r.core.At(until))
	return r
}

// times lists when each message with a name came.
func (r *rig) times(what string) (list []uint64) {
	for _, s := range r.driver.log {
		if s.what == what {
			list = append(list, s.at)
		}
	}
	return list
}

// kernel is a launch that takes so many cycles on the mock SM driver.
func kernel(name string, stream, cycles int) workload.Op {
	return workload.Op{Kernel: &workload.Kernel{Name: name, Stream: stream, Grid: workload.Dim3{X: cycles, Y: 1, Z: 1},
		Block: workload.Dim3{X: 32, Y: 1, Z: 1}}}
}

func async(op workload.Op) workload.Op { op.Async = true; return op }

func synced(op workload.Op) workload.Op { op.Sync = true; return op }

func compute(cycles int) workload.Op {
	return workload.Op{CPU: time.Duration(cycles) * time.Nanosecond}
}

func copyIn(stream int, bytes uint64) workload.Op { return workload.Op{Stream: stream, Bytes: bytes} }

func app(ops ...workload.Op) *workload.App { return &workload.App{Name: "app", Ops: ops} }

func once(ops ...workload.Op) Process { return Process{App: app(ops...)} }

// stamp is an event with its cycle.
type stamp struct {
	what string
	at   uint64
}

// stamps is a listener that keeps when commands were issued and completed.
func stamps(list *[]stamp) Listener {
	add := func(prefix string) func(CommandEvent) {
		return func(e CommandEvent) {
			name := "copy"
			if e.Op.Kernel != nil {
				name = e.Op.Kernel.Name
			}
			*list = append(*list, stamp{prefix + name, e.Cycle})
		}
	}
	return Listener{Issued: add(">"), Completed: add("<")}
}

func finished(t *testing.T, r *rig) *rig {
	t.Helper()
	require.NoError(t, r.Err())
	require.True(t, r.Done())
	return r
}
