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
	"cotenant/host"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// small is an SM that holds two of the tests' thread blocks.
var small = occupancy.Capacity{TBs: 2, Threads: 256, Warps: 8, Registers: 1024, SharedOptions: []int{4096}}

// source is a kernel's source that counts what is asked of it, and fails where
// a test wants it to.
type source struct {
	name                           string
	failOpen, failClose            bool
	failNext                       int // thread block whose Next fails, plus one
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

// kernel is a kernel of so many thread blocks of one warp.
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

// mockSM runs each thread block for a fixed time.
type mockSM struct {
	components.Module
	b       *bench
	id      int
	port    *components.Port
	running []finish
}

type finish struct {
	report protocol.TBFinished
	at     uint64
}

func (m *mockSM) Tick(cycle uint64) (moved bool) {
	if len(m.running) > 0 && m.running[0].at <= cycle {
		r := m.running[0].report
		if m.port.Push(&r) {
			m.running = m.running[1:]
			moved = true
		}
	}
	if _, ok := m.port.Front().(*protocol.Sample); ok {
		m.port.Pop()
		w := &protocol.Window{SM: m.id}
		w.Issued[0] = 10 * cycle
		m.port.Push(w)
		moved = true
	} else if p, ok := m.port.Pop().(*protocol.PlaceTB); ok {
		m.b.log = append(m.b.log, placed{m.id, p.Tenant, p.TB.ID, p.Launch, cycle})
		m.running = append(m.running, finish{protocol.TBFinished{TB: p.TB, SM: m.id, Tenant: p.Tenant, Serial: p.Serial}, cycle + m.b.duration})
		moved = true
	}
	if !moved && len(m.running) > 0 {
		m.WakeAt(m.running[0].at)
	}
	return moved
}

// bench drives an SM driver with mock SMs and an ideal host.
type bench struct {
	t        *testing.T
	engine   *components.Engine
	domain   *components.Domain
	driver   *Driver
	host     *host.Host
	duration uint64 // of a thread block, from its arrival on the SM to its report
	log      []placed
	engines  []*mockEngine
}

// setup is what a test may change of a bench.
type setup struct {
	policy   policy.Policy
	capacity occupancy.Capacity
	sms      int
	tenants  []host.Process
}

// ideal is a host whose kernels follow one another at once.
var ideal = host.Spec{Ideal: true, HardwareQueues: 32, QueueDepth: 64, CPUThreads: 8}

// tenants makes tenants that run each application once.
func tenants(apps ...*workload.App) (list []host.Process) {
	for _, a := range apps {
		list = append(list, host.Process{App: a})
	}
	return list
}

// build makes an SM driver on a fresh engine: fcfs on two small SMs, unless the
// setup says otherwise.
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
	var err error
	b.driver, err = Builder{}.WithDomain(b.domain).WithPolicy(s.policy).WithSMs(sms).WithTenants(names).
		WithMessages(&components.Pool[protocol.PlaceTB]{}, &components.Pool[protocol.TBFinished]{}).
		WithContexts(func(d occupancy.Demand) int { return 4 * d.Registers }).Build("Driver")
	if err != nil {
		return nil, err
	}
	b.host, err = host.Builder{}.WithSpec(ideal).WithDomain(b.domain).WithProcesses(s.tenants).Build("Host")
	require.NoError(t, err)
	_, err = components.Connect(b.host.Driver, b.driver.Host, 1)
	require.NoError(t, err)
	for i, port := range b.driver.SMs {
		m := &mockSM{b: b, id: i}
		m.Init(fmt.Sprintf("SM[%d]", i), b.domain, m)
		m.port = m.NewPort("Driver", 4)
		_, err := components.Connect(port, m.port, 1)
		require.NoError(t, err)
		e := &mockEngine{sm: m}
		e.Init(fmt.Sprintf("PreEng[%d]", i), b.domain, e)
		e.port = e.NewPort("Driver", 4)
		_, err = components.Connect(b.driver.PreEngs[i], e.port, 1)
		require.NoError(t, err)
		b.engines = append(b.engines, e)
	}
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
