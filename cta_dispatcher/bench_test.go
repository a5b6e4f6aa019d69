package dispatcher

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"cotenant/components"
	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/cta_dispatcher/stub"
	"cotenant/host"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// small is an SM that holds two of the tests' thread blocks.
var small = occupancy.Capacity{TBs: 2, Threads: 256, Warps: 8, Registers: 1024, SharedOptions: []int{4096}}

// source is a kernel's source that counts its calls and can fail.
type source struct {
	name                           string
	failOpen, failClose            bool
	failNext                       int // number of the thread block that Next fails for, plus one
	opened, closed, next, recycled int
	out                            map[*workload.TB]int // thread blocks that are not recycled, by number
}

func (s *source) Open() (workload.Launch, error) {
	if s.failOpen {
		return nil, errors.New(s.name + ": cannot open")
	}
	s.opened++
	return &openLaunch{source: s}, nil
}

type openLaunch struct {
	*source
	id int
}

func (l *openLaunch) Next(tb *workload.TB) error {
	if l.failNext == l.id+1 {
		return fmt.Errorf("%s: thread block %d is malformed", l.name, l.id)
	}
	tb.ID = l.id
	l.id++
	l.next++
	l.out[tb] = tb.ID
	return nil
}

func (l *openLaunch) Recycle(tb *workload.TB) {
	if id, ok := l.out[tb]; !ok || id != tb.ID {
		panic("a thread block is recycled that is not out")
	}
	delete(l.out, tb)
	l.recycled++
}

func (l *openLaunch) Close() error {
	l.closed++
	if l.failClose {
		return errors.New(l.name + ": too much input")
	}
	return nil
}

// kernel makes a kernel of thread blocks of one warp.
func kernel(name string, tbs int) *workload.Kernel {
	return &workload.Kernel{Name: name, Grid: workload.Dim3{X: tbs, Y: 1, Z: 1}, Block: workload.Dim3{X: 32, Y: 1, Z: 1},
		Source: &source{name: name, out: map[*workload.TB]int{}}}
}

func app(kernels ...*workload.Kernel) *workload.App {
	a := &workload.App{Name: "app"}
	for _, k := range kernels {
		a.Ops = append(a.Ops, workload.Op{Kernel: k})
	}
	return a
}

// placed is a thread block that has reached an SM.
type placed struct {
	sm     int
	kernel tenant.ID
	id     int
	launch uint64
	at     uint64
}

// contextBytes is the size of a context: the registers.
func contextBytes(d occupancy.Demand) int { return 4 * d.Registers }

// bench drives an SM driver with stub SMs and an ideal host.
type bench struct {
	t        *testing.T
	engine   *components.Engine
	domain   *components.Domain
	driver   *Driver
	host     *host.Host
	duration uint64 // of a thread block, from its arrival on the SM to its report
	log      []placed
	codes    []uint32 // of the placements in the log
	gpu      stub.GPU
	saves    []*protocol.SaveTB // that reached a preemption engine
	loads    []*protocol.LoadTB
}

// setup holds the parameters that a test can change on a bench.
type setup struct {
	policy    policy.Policy
	capacity  occupancy.Capacity
	sms       int
	tenants   []host.Process
	units     []Units
	switching SwitchingSpec
	start     Spec           // TBInterval and TBLatency
	bounds    []policy.Range // by tenant; nil: all SMs
}

// ideal is a host that starts a kernel as soon as the kernel before it ends.
var ideal = host.Spec{Ideal: true, HardwareQueues: 32, QueueDepth: 64, CPUThreads: 8}

// tenants makes tenants that run each application once.
func tenants(apps ...*workload.App) (list []host.Process) {
	for _, a := range apps {
		list = append(list, host.Process{App: a})
	}
	return list
}

// build makes an SM driver on a fresh engine, by default fcfs on two small SMs.
func build(t *testing.T, s setup) (*bench, error) {
	t.Helper()
	if s.policy == nil {
		s.policy, _ = policy.Parse("fcfs")
	}
	if s.sms == 0 {
		s.sms = 2
	}
	if s.capacity.TBs == 0 {
		s.capacity = small
	}
	b := &bench{t: t, engine: components.NewEngine(), duration: 100}
	b.domain, _ = b.engine.AddDomain("core", 1_000_000_000)
	sms := slices.Repeat([]SM{{Capacity: s.capacity}}, s.sms)
	var names []string
	for _, p := range s.tenants {
		names = append(names, p.App.Name)
	}
	placements, reports := &components.Pool[protocol.PlaceTB]{}, &components.Pool[protocol.TBFinished]{}
	var err error
	b.driver, err = Builder{}.WithDomain(b.domain).WithPolicy(s.policy).WithSMs(sms).WithTenants(names).
		WithMessages(placements, reports).WithContexts(contextBytes).WithUnits(s.units...).WithSpec(Spec{BlockSwitching: s.switching, TBInterval: s.start.TBInterval, TBLatency: s.start.TBLatency}).WithBounds(s.bounds).Build("Driver")
	if err != nil {
		return nil, err
	}
	cycles := func(n uint64) func() uint64 { return func() uint64 { return n } }
	b.gpu = stub.GPU{
		Times:  stub.Times{Run: func(tenant.ID, uint64, int) uint64 { return b.duration }, Save: cycles(20), Acknowledge: cycles(10), Load: cycles(30)},
		Kernel: func(tenant.ID, uint64) stub.Kernel { return stub.Kernel{Rate: 10_000} }, ContextBytes: contextBytes,
		Placed: func(cycle uint64, sm int, p *protocol.PlaceTB) {
			b.log = append(b.log, placed{sm, p.Account.Tenant(), p.TB.ID, p.Launch, cycle})
			b.codes = append(b.codes, p.Code)
		},
		Saving:  func(_ uint64, _ int, o *protocol.SaveTB, _ bool) { b.saves = append(b.saves, o) },
		Loading: func(_ uint64, _ int, o *protocol.LoadTB) { b.loads = append(b.loads, o) },
	}
	require.NoError(t, b.gpu.Build(b.domain, b.driver.SMs, b.driver.PreEngs, slices.Repeat([]occupancy.Capacity{s.capacity}, s.sms), placements, reports))
	t.Cleanup(func() { require.NoError(t, b.gpu.Err()) })
	b.host, err = host.Builder{}.WithSpec(ideal).WithDomain(b.domain).WithProcesses(s.tenants).Build("Host")
	require.NoError(t, err)
	_, err = components.Connect(b.host.Driver, b.driver.Host, 1)
	require.NoError(t, err)
	return b, nil
}

func newBench(t *testing.T, s setup) *bench {
	t.Helper()
	b, err := build(t, s)
	require.NoError(t, err)
	return b
}

// run goes on until the host or the SM driver stops the engine, nothing is left to do, or
// the given cycle.
func (b *bench) run(until uint64) { b.engine.RunUntil(b.domain.At(until)) }

// ids lists the numbers of a tenant's thread blocks in the order in which they
// reached the SMs, by launch.
func (b *bench) ids(tenant tenant.ID) (list [][]int) {
	for _, p := range b.log {
		if p.kernel != tenant {
			continue
		}
		for uint64(len(list)) <= p.launch {
			list = append(list, nil)
		}
		list[p.launch] = append(list[p.launch], p.id)
	}
	return list
}
