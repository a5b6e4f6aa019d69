package contract

import (
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/stub"
	"cotenant/protocol"
	"reflect"

	"cotenant/components/occupancy"
	"cotenant/workload"
)

// kernel is one launch of a tenant: its thread blocks' demand and durations.
type kernel struct {
	stub.Kernel
	demand     occupancy.Demand
	tbs        int
	durations  []int // of its thread blocks, one after the other and again from the first
	pause      int   // time from the kernel before in its stream, or from the application's arrival
	stream     int   // kernels of different streams may be active at once
	priority   int   // of its stream
	idempotent bool
}

// duration is the time that a thread block runs.
func (k *kernel) duration(id int) int { return k.durations[id%len(k.durations)] }

// launch makes the driver's kernel.
func (k *kernel) launch() *workload.Kernel {
	return &workload.Kernel{Name: "kernel", Grid: workload.Dim3{X: k.tbs, Y: 1, Z: 1}, Block: workload.Dim3{X: k.demand.Threads, Y: 1, Z: 1},
		RegistersPerTB: k.demand.Registers, SharedBytesPerTB: k.demand.SharedBytes, Idempotent: k.idempotent, Priority: k.priority, Source: source{}}
}

// source makes thread blocks with a number and nothing else.
type source struct{}

func (source) Open() (workload.Launch, error) { return &thread{}, nil }

type thread struct{ next int }

func (l *thread) Next(tb *workload.TB) error {
	tb.ID = l.next
	l.next++
	return nil
}

func (*thread) Recycle(*workload.TB)       {}
func (*thread) Restart(*workload.TB) error { return nil }
func (*thread) Close() error               { return nil }

// application is a tenant.
type application struct {
	name     string
	arrival  int // time
	priority int
	wipc     float64 // alone
	isolated float64 // thread instructions per cycle, alone
	goal     float64 // thread instructions per cycle, 0 for none
	kernels  []kernel
}

// scenario describes a run.
type scenario struct {
	sms     []dispatcher.SM
	base    *occupancy.Capacity // an SM of the base kind; maxwell, if nil
	tenants []application
	// arrival lists tenant numbers in order of arrival.
	arrival []int
	// delays are the times to move one context, in turn; none: no time at all. A thread block
	// that has left can be placed again after half the time.
	delays []int
	// faults are when thread blocks wait for page faults, one after the other and again
	// from the first; none: they do not.
	faults     []stub.Fault
	driverSpec dispatcher.Spec
	// apart has kernels that arrive at one time arrive in events of their own.
	apart bool
}

// times is the scenario with all times n times as long.
func (s scenario) times(n int) scenario {
	stretched := func(list []int) (longer []int) {
		for _, t := range list {
			longer = append(longer, n*t)
		}
		return longer
	}
	s.delays = stretched(s.delays)
	tenants := s.tenants
	s.tenants = nil
	for _, app := range tenants {
		kernels := app.kernels
		app.arrival, app.kernels = n*app.arrival, nil
		for _, k := range kernels {
			k.durations, k.pause = stretched(k.durations), n*k.pause
			app.kernels = append(app.kernels, k)
		}
		s.tenants = append(s.tenants, app)
	}
	return s
}

// takes lists the controls of stub SMs.
var takes = []reflect.Type{reflect.TypeFor[*protocol.Quotas](), reflect.TypeFor[*protocol.SampleIdle](),
	reflect.TypeFor[*protocol.Rates](), reflect.TypeFor[*protocol.ActiveTBs]()}

// machine is the rest of a GPU at 1 GHz: of each SM's share of the
// bandwidths 24 replies and 18 accesses of the DRAM in an interval can be sustained
// (CCBP 3.2: 60 and 70 % of the peaks).
func (s *scenario) machine() policy.Machine {
	const interval = stub.RateInterval * 1e-9
	sms, base := len(s.sms), &maxwell
	if s.base != nil {
		base = s.base
	}
	return policy.Machine{BaseSM: *base, ReplyBytesPerSecond: float64(sms) * 24 * 160 / 0.6 / interval, DRAMBytesPerSecond: float64(sms) * 18 * 128 / 0.7 / interval,
		RateIntervalSeconds: interval, FlitBytes: 32, L1LineBytes: 128, L2LineBytes: 128}
}

// alike lists n SMs of one kind, with four schedulers that issue two instructions.
func alike(n int, c occupancy.Capacity) (list []dispatcher.SM) {
	for range n {
		list = append(list, dispatcher.SM{Capacity: c, Schedulers: 4, IssueWidth: 2, Takes: takes})
	}
	return list
}

// byArrival completes a scenario with tenants in the order of arrival.
func byArrival(s scenario, tenants ...application) scenario {
	s.tenants = tenants
	for i := range tenants {
		s.arrival = append(s.arrival, i)
	}
	return s
}
