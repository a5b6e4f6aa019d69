package contract

import (
	"fmt"

	"cotenant/components"
	"cotenant/components/occupancy"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/stub"
	"cotenant/protocol"
	"cotenant/tenant"
)

// trial is the SM driver running a scenario under a policy.
type trial struct {
	scenario
	engine  *components.Engine
	clock   *components.Domain
	host    *host
	driver  *dispatcher.Driver
	gpu     stub.GPU
	referee *referee
	slots   slots
	// slotsOwned watches the slots of SMs that switch thread blocks on faults; nil: none.
	slotsOwned *owners
	until      int // last simulated cycle
	moves      int // contexts moved so far; the next delay follows
	faulted    int // faults taken

	// finished counts the finished thread blocks of a launch, and placed its thread blocks
	// placed at least once.
	finished, placed map[launch]int
	// loading has the thread blocks with contexts on the way to an SM.
	loading map[block]bool
	// log has a line for each thread block that was placed for the first time,
	// and finishes one for each that finished, in order.
	log, finishes []placement
	// total counts by kind of action.
	total totals
	// fault is the first breach of the contract.
	fault error
	// watch is told of events and actions, for transcripts; it may be nil.
	watch *transcript
}

// block is a thread block of a launch.
type block struct {
	tenant int
	launch uint64
	number int
}

// loadingOf counts a tenant's thread blocks that are being loaded.
func (t *trial) loadingOf(tenant int) (n int) {
	for b := range t.loading {
		if b.tenant == tenant {
			n++
		}
	}
	return n
}

// launch numbers a launch of a tenant.
type launch struct {
	tenant int
	number uint64
}

type totals struct{ preemptions, relocations, quotas, rates int }

// placement says that a thread block went to an SM at a time.
type placement struct{ tenant, kernel, id, sm, at int }

// contextBytes is the size of a context.
func contextBytes(d occupancy.Demand) int { return 4*d.Registers + d.SharedBytes + 32 }

// begin builds a scenario's GPU, with a referee. The error is the SM driver's.
func begin(s scenario, p policy.Policy, w *transcript) (*trial, error) {
	t := &trial{scenario: s, watch: w, finished: map[launch]int{}, placed: map[launch]int{}, loading: map[block]bool{}}
	t.referee = newReferee(t, p)
	return t, t.build(t.referee, t.listener())
}

// build makes SM driver, stub SMs and host.
func (t *trial) build(p policy.Policy, l dispatcher.Listener) (err error) {
	t.engine = components.NewEngine()
	if t.clock, err = t.engine.AddDomain("core", 1_000_000_000); err != nil {
		return err
	}
	var names []string
	for i := range t.tenants {
		names = append(names, t.tenants[i].name)
	}
	placements, reports := &components.Pool[protocol.PlaceTB]{}, &components.Pool[protocol.TBFinished]{}
	t.driver, err = dispatcher.Builder{}.WithDomain(t.clock).WithPolicy(p).WithSMs(t.sms).WithMachine(t.machine()).WithTenants(names).
		WithMessages(placements, reports).WithContexts(contextBytes).WithListener(l).WithSpec(t.driverSpec).Build("Driver")
	if err != nil {
		return err
	}
	var capacities []occupancy.Capacity
	for _, sm := range t.sms {
		capacities = append(capacities, sm.Capacity)
	}
	t.gpu = stub.GPU{
		Times:        stub.Times{Run: t.duration, Save: t.delay, Acknowledge: func() uint64 { return t.delay() / 2 }, Load: t.delay},
		Kernel:       func(id tenant.ID, number uint64) stub.Kernel { return t.kernel(launch{int(id), number}).Kernel },
		ContextBytes: contextBytes, Saving: t.saving,
	}
	if len(t.faults) > 0 {
		t.gpu.Faults = t.nextFault
	}
	if err := t.gpu.Build(t.clock, t.driver.SMs, t.driver.PreEngs, capacities, placements, reports); err != nil {
		return err
	}
	t.host = newHost(&t.scenario, t.clock, p.Needs().Concurrent)
	t.watchSlots()
	_, err = components.Connect(t.host.driver, t.driver.Host, 1)
	return err
}

func (t *trial) duration(id tenant.ID, number uint64, tb int) uint64 {
	return uint64(t.kernel(launch{int(id), number}).duration(tb))
}

// kernel is the kernel of a launch.
func (t *trial) kernel(l launch) *kernel {
	return &t.tenants[l.tenant].kernels[t.host.tenants[l.tenant].launched[l.number]]
}

// delay is the time to move the next context.
func (t *trial) delay() uint64 {
	t.moves++
	if len(t.delays) == 0 {
		return 0
	}
	return uint64(t.delays[t.moves%len(t.delays)])
}

// nextFault is a thread block's next fault.
func (t *trial) nextFault(tenant.ID, uint64, int) stub.Fault {
	t.faulted++
	return t.faults[t.faulted%len(t.faults)]
}

// now is the present cycle.
func (t *trial) now() int { return int(t.engine.Now() / t.clock.Period()) }

// fail notes a breach of the contract, the first one only.
func (t *trial) fail(format string, args ...any) {
	if t.fault == nil {
		t.fault = fmt.Errorf("at %d %s", t.now(), fmt.Sprintf(format, args...))
	}
}

// step simulates some cycles and reports whether anything can happen after them.
func (t *trial) step(cycles int) (more bool) {
	t.until += cycles
	more = t.engine.RunUntil(t.clock.At(uint64(t.until)))
	if err := t.driver.Err(); err != nil {
		t.fail("the SM driver stops: %v", err)
	}
	if err := t.gpu.Err(); err != nil && t.fault == nil {
		t.fault = err
	}
	return more
}

// run goes on to the end of the scenario, or to the first breach of the
// contract.
func (t *trial) run() {
	for idle := 0; t.fault == nil && !t.host.done(); {
		before := len(t.log) + len(t.finishes) + t.moves
		more := t.step(max(1000, t.referee.epoch))
		if _, coming := t.host.next(t.now()); coming || t.gpu.Busy() || t.gpu.Waiting() || len(t.log)+len(t.finishes)+t.moves > before {
			idle = 0
		} else if idle++; !more || idle > 5 {
			if !t.host.done() {
				t.fail("the GPU is empty and the policy places nothing, though tenants have work")
			}
		}
	}
	if t.fault == nil {
		t.audit()
	}
}

// audit checks the sums at the end.
func (t *trial) audit() {
	for i := range t.driver.Stats().Tenants {
		s := &t.driver.Stats().Tenants[i]
		if s.ContextBytes != t.gpu.SavedBytes[i] || s.RestoredBytes != t.gpu.LoadedBytes[i] {
			t.fail("tenant %d has %d bytes of contexts saved and %d loaded, the engines moved %d and %d",
				i, s.ContextBytes, s.RestoredBytes, t.gpu.SavedBytes[i], t.gpu.LoadedBytes[i])
		}
	}
	if t.gpu.Busy() {
		t.fail("thread blocks are left over")
	}
}

// listener keeps the logs.
func (t *trial) listener() dispatcher.Listener {
	return dispatcher.Listener{
		KernelStarted: func(e dispatcher.KernelEvent) {
			t.slots.begin(launch{e.Tenant, e.Launch})
			t.watch.arrived(t, e.Tenant, e.TBs)
		},
		KernelFinished: func(e dispatcher.KernelEvent) { t.watch.retired(t, e.Tenant) },
		TBPlaced: func(e dispatcher.TBEvent) {
			l := launch{e.Tenant, e.Launch}
			if e.TB < t.placed[l] {
				return // it was flushed
			}
			t.placed[l]++
			t.log = append(t.log, t.placement(e))
		},
		TBReturning: func(e dispatcher.TBEvent) {
			if e.Mechanism == policy.Switch {
				t.loading[block{e.Tenant, e.Launch, e.TB}] = true
			}
		},
		TBPreempted: func(e dispatcher.TBEvent) { delete(t.loading, block{e.Tenant, e.Launch, e.TB}) },
		TBFinished: func(e dispatcher.TBEvent) {
			delete(t.loading, block{e.Tenant, e.Launch, e.TB})
			t.finished[launch{e.Tenant, e.Launch}]++
			t.finishes = append(t.finishes, t.placement(e))
		},
		TBLeaving: func(e dispatcher.TBEvent) {
			if e.Mechanism == policy.Switch {
				t.slots.taken(launch{e.Tenant, e.Launch})
			}
		},
		TBRestored: func(e dispatcher.TBEvent) {
			delete(t.loading, block{e.Tenant, e.Launch, e.TB})
			if e.ContextBytes > 0 { // Mechanism may be of an order to leave again
				t.slots.restored(launch{e.Tenant, e.Launch})
			}
		},
	}
}

// placement is an event as the logs have it.
func (t *trial) placement(e dispatcher.TBEvent) placement {
	return placement{e.Tenant, t.host.tenants[e.Tenant].launched[e.Launch], e.TB, e.SM, int(e.Cycle)}
}

// saving checks that no more memory is used for contexts than there were at
// once.
func (t *trial) saving(_ uint64, sm int, o *protocol.SaveTB, there bool) {
	if there && t.referee != nil && !o.Free && !t.slots.saved(int(o.Account.Tenant()), o.Addr) {
		t.fail("tenant %d has had %d contexts at once, but SM %d saves one to a further place", o.Account.Tenant(), t.slots.tenants[o.Account.Tenant()].most, sm)
	}
}

// slots counts the places in memory for contexts. A thread block occupies one from the order
// to leave until its context is back on an SM, or to the end of the kernel if it finishes
// instead; a second order to leave meanwhile takes a second place. Each kernel has places of
// its own, which the tenant's next kernel may use again.
type slots struct{ tenants [tenant.Max]tenantSlots }

type tenantSlots struct {
	now       map[uint64]int // by launch
	peak      map[uint64]int // the most of each, by launch
	most      int            // the sum of peak
	addresses map[uint64]bool
}

func (s *slots) begin(l launch) {
	k := &s.tenants[l.tenant]
	if k.now == nil {
		*k = tenantSlots{now: map[uint64]int{}, peak: map[uint64]int{}, addresses: map[uint64]bool{}}
	}
}

func (s *slots) taken(l launch) {
	k := &s.tenants[l.tenant]
	if k.now[l.number]++; k.now[l.number] > k.peak[l.number] {
		k.peak[l.number]++
		k.most++
	}
}

func (s *slots) restored(l launch) { s.tenants[l.tenant].now[l.number]-- }

func (s *slots) saved(tenant int, addr uint64) bool {
	k := &s.tenants[tenant]
	k.addresses[addr] = true
	return len(k.addresses) <= k.most
}
