package host

import (
	"testing"
	"time"

	"cotenant/components/rig"
	"cotenant/host/pcie"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/require"
)

// plain is a host without latencies of its own, with a core clock of 1 GHz: one
// cycle is a nanosecond, and a copy moves 16 bytes in one.
var plain = Spec{HardwareQueues: 32, QueueDepth: 64, CPUThreads: 8}

// bus is that of the copies.
var bus = pcie.Spec{ClockMHz: 500, Lanes: 32, LaneBits: 8, BurstBytes: 4096, Queue: 32, Scheduler: "fcfs"}

// seen is a message to the SM driver: a kernel, or a process with + for its arrival and
// - for its end.
type seen struct {
	at     uint64
	tenant tenant.ID
	what   string
}

// bench is a host between a copy engine and an SM driver. A kernel takes a cycle for
// each thread block of its grid; kernels of several tenants run side by side.
type bench struct {
	*Host
	*rig.Bench
	driver *rig.Peer[sim.Msg]
	log    []seen
}

func build(t rig.T, s Spec, l Listener, processes ...Process) *bench {
	return buildWith(t, s, bus, false, l, processes...)
}

// known describes a bus to a host.
func known(s pcie.Spec) Bus {
	return Bus{Hz: uint64(s.ClockMHz) * 1_000_000, Queue: s.Queue, Cycles: s.Cycles}
}

// buildWith is build with another bus, of the same clock, and perhaps with
// kernels of one process at once.
func buildWith(t rig.T, s Spec, bus pcie.Spec, concurrent bool, l Listener, processes ...Process) *bench {
	r := &bench{Bench: rig.New(t, 1_000_000_000)}
	clock := r.WithClock(500_000_000)
	var err error
	r.Host, err = Builder{}.WithSpec(s).WithBus(known(bus)).WithDomain(r.Clock).WithProcesses(processes).WithConcurrent(concurrent).WithListener(l).Build("Host")
	require.NoError(t, err)
	r.driver = rig.NewPeer[sim.Msg](r.Bench, "Driver", len(processes)*(1+tenant.Kernels), r.Host.Driver)
	r.driver.Width = len(processes) * (1 + tenant.Kernels)
	r.driver.Answer = func(cycle uint64, m sim.Msg) {
		switch m := m.(type) {
		case *protocol.Process:
			r.log = append(r.log, seen{cycle, m.Tenant, map[bool]string{true: "+", false: "-"}[m.Present]})
		case *protocol.Launch:
			r.log = append(r.log, seen{cycle, m.Tenant, m.Kernel.Name})
			r.driver.Send(cycle+uint64(m.Kernel.TBs()), &protocol.KernelDone{Tenant: m.Tenant, Tag: m.Tag})
		}
	}
	if !s.Ideal {
		copies, err := pcie.Builder{}.WithSpec(bus).WithDomain(clock.Clock).Build("PCIe")
		require.NoError(t, err)
		r.Join(r.Copies, copies.Host)
	}
	return r
}

// run goes on until the host stops the engine, nothing is left to do, or the
// given cycle.
func (r *bench) run(until uint64) *bench {
	r.RunTo(until)
	return r
}

// times lists when each message with a name came.
func (r *bench) times(what string) (list []uint64) {
	for _, s := range r.log {
		if s.what == what {
			list = append(list, s.at)
		}
	}
	return list
}

// kernel is a launch with a length in cycles on the mock SM driver.
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

func finished(t *testing.T, r *bench) *bench {
	t.Helper()
	require.NoError(t, r.Err())
	require.True(t, r.Done())
	return r
}
