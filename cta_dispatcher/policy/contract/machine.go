// Package contract is the test suite that every sharing policy passes. It runs
// a policy on a machine of its own, which knows thread blocks, capacities and
// durations and nothing else, and watches what the policy asks for.
package contract

import (
	"fmt"

	"cotenant/components/occupancy"
	"cotenant/cta_dispatcher/policy"
)

// kernel is one launch of a tenant: its thread blocks' demand and durations.
type kernel struct {
	demand     occupancy.Demand
	tbs        int
	durations  []int // of its thread blocks, one after the other and again from the first
	pause      int   // time from the kernel before, or from the application's arrival
	idempotent bool
	ipc        int // instructions that a thread block issues in 1,000 cycles
}

// duration is how long a thread block runs.
func (k *kernel) duration(id int) int { return k.durations[id%len(k.durations)] }

// application is a tenant.
type application struct {
	arrival  int // time
	priority int
	kernels  []kernel
}

// scenario is what a machine runs.
type scenario struct {
	capacity occupancy.Capacity
	sms      int
	tenants  []application
	// arrival lists tenant numbers in order of arrival.
	arrival []int
	// delays are how long it takes to move one context, one after the other and
	// again from the first; none: no time at all.
	delays []int
	// batched has kernels that arrive at one time arrive in one event.
	batched bool
	// separate has the last thread block that leaves a reserved SM be an event
	// before the SM is free.
	separate bool
}

// block is a thread block on an SM.
type block struct {
	placement
	from    int // time from which it runs
	end     int // time at which it finishes, or has left if it leaves
	left    int // what it has to run yet then
	leaving bool
	saved   bool // its context is moved when it has left
	moving  bool // it is or was relocated; until from it is not on the SM, but holds its place
}

// placement says that a thread block went to an SM at a time.
type placement struct{ tenant, kernel, id, sm, at int }

// context is a preempted thread block: what it has to run yet, and whether
// there is something to load before.
type context struct {
	id, left int
	saved    bool
}

// save is a context on its way to memory.
type save struct {
	tenant, at int
	context    context
}

// machine runs a scenario under a policy.
type machine struct {
	scenario
	view   policy.View
	policy policy.Policy
	epoch  int // cycles, 0 if the policy is not periodic
	epochs int // that have ended
	now    int

	kernel    []int       // by tenant: active kernel or the next
	launch    []int       // by tenant: time at which its next kernel arrives, -1 while one is active and after the last
	next      []int       // by tenant: thread block to place next that never ran
	preempted [][]context // by tenant: PTBQ
	blocks    []block     // on SMs, in the order in which they were placed
	saves     []save      // of thread blocks that have left their SM, in that order
	moves     int         // contexts moved, of which the next delay is taken
	finished  int

	finishedOf []int // by tenant: thread blocks of its active kernel

	// evictions counts preemptions since the last event that is not the end of
	// one.
	evictions int
	// total counts by kind of action.
	total struct{ preemptions, relocations, quotas int }

	// log has a line for each thread block that was placed for the first time,
	// and finishes one for each that finished, in order.
	log, finishes []placement
	// fault is the first breach of the contract.
	fault error
	// watch is told of events and actions, for transcripts; it may be nil.
	watch *transcript
}

func newMachine(s scenario, p policy.Policy) *machine {
	n := len(s.tenants)
	m := &machine{scenario: s, policy: p, kernel: make([]int, n), launch: make([]int, n), next: make([]int, n), preempted: make([][]context, n), finishedOf: make([]int, n)}
	if periodic, ok := p.(policy.Periodic); ok {
		m.epoch = int(periodic.EpochCycles())
	}
	m.view.Tenants = make([]policy.Tenant, n)
	for range s.sms {
		m.view.SMs = append(m.view.SMs, policy.SM{Capacity: &m.capacity, TBs: make([]int, n), Leaving: make([]int, n),
			Tenants: make([]occupancy.Demand, n), Issued: make([]uint64, n), Schedulers: 4})
	}
	for tenant, app := range s.tenants {
		m.launch[tenant] = app.arrival + app.kernels[0].pause
		m.view.Tenants[tenant].Priority = app.priority
	}
	return m
}

// run runs a scenario to its end, and returns the machine, which has the first
// breach of the contract.
func run(s scenario, p policy.Policy) *machine { return runWatched(s, p, nil) }

// runWatched writes a transcript of the run.
func runWatched(s scenario, p policy.Policy, w *transcript) *machine {
	m := newMachine(s, p)
	m.watch = w
	m.arrive()
	for idle := 0; m.fault == nil; {
		at, wait := m.nextTime()
		if !wait && m.pending() == 0 {
			return m
		}
		if wait {
			idle = 0
		} else if idle++; m.epoch == 0 || idle > 4 {
			m.fail("the machine is empty and the policy places nothing, though %d tenants have work", m.pending())
			return m
		}
		m.stepTo(at, wait)
	}
	return m
}

// fail notes a breach of the contract, the first one only.
func (m *machine) fail(format string, args ...any) {
	if m.fault == nil {
		m.fault = fmt.Errorf("at %d %s", m.now, fmt.Sprintf(format, args...))
	}
}

// pending counts applications that have not ended.
func (m *machine) pending() (n int) {
	for tenant := range m.tenants {
		if m.kernel[tenant] < len(m.tenants[tenant].kernels) {
			n++
		}
	}
	return n
}

// nextTime is the time of the next event but epochs, if there is one.
func (m *machine) nextTime() (at int, ok bool) {
	for _, b := range m.blocks {
		if !ok || b.end < at {
			at, ok = b.end, true
		}
	}
	for _, s := range m.saves {
		if !ok || s.at < at {
			at, ok = s.at, true
		}
	}
	for tenant, app := range m.tenants {
		for _, t := range []int{m.launch[tenant], app.arrival} {
			if t > m.now && (!ok || t < at) {
				at, ok = t, true
			}
		}
	}
	return at, ok
}

// stepTo goes on to a time and has everything happen that is due then; or to
// the end of the epoch if that comes first, or there is nothing else to wait
// for.
func (m *machine) stepTo(at int, wait bool) {
	if m.epoch > 0 {
		if next := (m.epochs + 1) * m.epoch; !wait || next < at {
			m.now = next
			m.endEpoch()
			return
		}
	}
	m.now = at
	for m.fault == nil && (m.offNext() || m.saveNext()) {
	}
	m.arrive()
	if m.epoch > 0 && m.now == (m.epochs+1)*m.epoch {
		m.endEpoch()
	}
}

// endEpoch counts what was issued as if the thread blocks that are there had
// been there all the time.
func (m *machine) endEpoch() {
	m.epochs++
	m.view.Window = uint64(m.epoch)
	for i := range m.view.SMs {
		for tenant, n := range m.view.SMs[i].TBs {
			m.view.SMs[i].Issued[tenant] = 0
			if n > 0 {
				ipc := m.tenants[tenant].kernels[m.kernel[tenant]].ipc
				m.view.SMs[i].Issued[tenant] = uint64(n * ipc * m.epoch / 1000)
			}
		}
	}
	m.ask(policy.Epoch)
}

// arrive has applications and kernels arrive that are due.
func (m *machine) arrive() {
	rank := 0
	for _, tenant := range m.arrival {
		t := &m.view.Tenants[tenant]
		if !t.Present && m.kernel[tenant] == 0 && m.tenants[tenant].arrival <= m.now {
			t.Present, t.Rank = true, rank
		}
		rank++
	}
	arrived := false
	for _, tenant := range m.arrival {
		if m.launch[tenant] < 0 || m.launch[tenant] > m.now {
			continue
		}
		m.launch[tenant] = -1
		m.next[tenant] = 0
		t, k := &m.view.Tenants[tenant], &m.tenants[tenant].kernels[m.kernel[tenant]]
		t.Demand, t.Waiting, t.Idempotent, t.Launch = k.demand, k.tbs, k.idempotent, uint64(m.kernel[tenant])
		m.view.Active = append(m.view.Active, tenant)
		m.watch.arrived(m, tenant)
		if arrived = true; !m.batched {
			m.ask(policy.KernelArrived)
		}
	}
	if arrived && m.batched {
		m.ask(policy.KernelArrived)
	}
}

// ask lets the policy act on an event.
func (m *machine) ask(e policy.Event) {
	if m.fault != nil {
		return
	}
	if e != policy.TBPreempted && e != policy.ContextSaved && e != policy.SMFreed {
		m.evictions = 0
	}
	m.view.Event = e
	m.watch.begin(e)
	m.policy.Decide(&m.view, m)
	m.watch.end(m)
}
