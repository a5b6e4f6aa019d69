package dispatcher

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/cta_dispatcher/tbtable"
	"cotenant/protocol"
	"cotenant/tenant"
	"cotenant/workload"
)

// Listener follows kernels and thread blocks for timelines, waves and reports. Any
// function may be nil. The driver calls the functions in the order of events, at the
// edge of the core clock at which it acts or receives the report.
type Listener struct {
	// KernelStarted: a tenant's kernel has become active.
	KernelStarted func(KernelEvent)
	// KernelFinished: the last thread block of a kernel has finished.
	KernelFinished func(KernelEvent)
	// TBPlaced: a thread block that has not run before goes to an SM.
	TBPlaced func(TBEvent)
	// TBFinished: a thread block has finished on an SM.
	TBFinished func(TBEvent)
	// TBLeaving: a thread block is told to leave its SM.
	TBLeaving func(TBEvent)
	// TBPreempted: a thread block has left its SM; ContextBytes have been saved.
	TBPreempted func(TBEvent)
	// TBReturning: a preempted thread block goes to an SM; ContextBytes will be loaded.
	TBReturning func(TBEvent)
	// TBRestored: a preempted thread block runs again.
	TBRestored func(TBEvent)
	// SMReserved: all of an SM's thread blocks are told to leave it.
	SMReserved func(SMEvent)
	// SMFreed: the last thread block of a preempted SM has left.
	SMFreed func(SMEvent)
	// Control: a policy has sent a unit a control. The function must not keep the control.
	Control func(cycle uint64, u protocol.Unit, c protocol.Control)
	// Registers: a policy with registers has decided at the end of a window. The function
	// must not keep the list.
	Registers func(cycle uint64, list []policy.RegisterValue)
}

// KernelEvent reports the start or the end of a kernel.
type KernelEvent struct {
	Cycle   uint64 // of the core clock
	Tenant  int
	Account tenant.Account // that the kernel is counted under
	Launch  uint64         // of the tenant's launches, from 0
	First   bool           // the launch belongs to the first run of its application
	Kernel  string
	TBs     int // of its grid
	// L2 is what the launch asks of the L2; nil: nothing.
	L2 *workload.Residency
}

// TBEvent reports a step of a thread block.
type TBEvent struct {
	Cycle        uint64 // of the core clock
	Tenant       int
	Launch       uint64 // of the tenant's launches, from 0
	TB           int    // number in the kernel's grid
	SM           int
	Mechanism    policy.Mechanism // of a preemption
	Fault        bool             // the thread block is preempted because it waits for page faults
	ContextBytes int              // moved
}

// SMEvent reports the preemption of a whole SM.
type SMEvent struct {
	Cycle     uint64 // of the core clock
	SM        int
	Mechanism policy.Mechanism
}

// notifyTB tells a listener's function, which may be nil, about a thread block.
func (d *Driver) notifyTB(f func(TBEvent), b *tbtable.Entry, bytes int) {
	if f != nil {
		f(TBEvent{Cycle: d.cycle, Tenant: b.Kernel.Tenant, Launch: b.Kernel.Launch, TB: b.TB.ID, SM: b.SM, Mechanism: b.Mechanism, Fault: b.Fault, ContextBytes: bytes})
	}
}

func (d *Driver) notifySM(f func(SMEvent), sm int) {
	if f != nil {
		f(SMEvent{Cycle: d.cycle, SM: sm, Mechanism: d.ledger.reserved[sm]})
	}
}

func (d *Driver) kernelEvent(k *tbtable.Kernel) KernelEvent {
	return KernelEvent{Cycle: d.cycle, Tenant: k.Tenant, Account: k.Account, Launch: k.Launch, First: k.Record >= 0, Kernel: k.Shape.Name, TBs: k.Shape.TBs(), L2: k.Shape.L2}
}
