package dispatcher

import (
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Listener is told what happens to kernels and thread blocks, for timelines,
// waves and reports. Any function may be nil. They are called in the order of
// events, at the edge of the core clock at which the SM driver acts or learns
// of it.
type Listener struct {
	// KernelStarted: a tenant's kernel has become active.
	KernelStarted func(KernelEvent)
	// KernelFinished: its last thread block has finished.
	KernelFinished func(KernelEvent)
	// TBPlaced: a thread block that has not run before goes to an SM.
	TBPlaced func(TBEvent)
	// TBFinished: a thread block has finished on an SM.
	TBFinished func(TBEvent)
	// TBLeaving: a thread block is told to leave its SM.
	TBLeaving func(TBEvent)
	// TBPreempted: it has left it; ContextBytes have been saved.
	TBPreempted func(TBEvent)
	// TBReturning: a preempted thread block goes to an SM; ContextBytes are to
	// be loaded.
	TBReturning func(TBEvent)
	// TBRestored: it runs again.
	TBRestored func(TBEvent)
	// SMReserved: all of an SM's thread blocks are told to leave it.
	SMReserved func(SMEvent)
	// SMFreed: the last of them has left.
	SMFreed func(SMEvent)
	// Control: a policy has sent a unit a control, which the function must not
	// keep.
	Control func(cycle uint64, u protocol.Unit, c protocol.Control)
	// Registers: a policy with registers has decided at the end of a window; the
	// function must not keep the list.
	Registers func(cycle uint64, list []policy.RegisterValue)
}

// KernelEvent is something that happens to a kernel.
type KernelEvent struct {
	Cycle   uint64 // of the core clock
	Tenant  int
	Account tenant.Account // that what it does is counted under
	Launch  uint64         // of the tenant's launches, from 0
	First   bool           // it is of the first run of its application
	Kernel  string
	TBs     int // of its grid
}

// TBEvent is something that happens to a thread block.
type TBEvent struct {
	Cycle        uint64 // of the core clock
	Tenant       int
	Launch       uint64 // of the tenant's launches, from 0
	TB           int    // number in the kernel's grid
	SM           int
	Mechanism    policy.Mechanism // of a preemption
	Fault        bool             // it is one because the thread block waits for page faults
	ContextBytes int              // that are moved
}

// SMEvent is something that happens to a whole SM.
type SMEvent struct {
	Cycle     uint64 // of the core clock
	SM        int
	Mechanism policy.Mechanism
}

// notifyTB tells a listener's function, which may be nil, about a placement.
func (d *Driver) notifyTB(f func(TBEvent), p *placement, sm, bytes int) {
	if f != nil {
		f(TBEvent{Cycle: d.cycle, Tenant: p.kernel.Tenant, Launch: p.kernel.Launch, TB: p.tb.ID, SM: sm, Mechanism: p.mechanism, Fault: p.fault, ContextBytes: bytes})
	}
}

func (d *Driver) notifySM(f func(SMEvent), sm int) {
	if f != nil {
		f(SMEvent{Cycle: d.cycle, SM: sm, Mechanism: d.ledger.sms[sm].mechanism})
	}
}

func (d *Driver) kernelEvent(k *kernelStatus) KernelEvent {
	return KernelEvent{Cycle: d.cycle, Tenant: k.Tenant, Account: k.account, Launch: k.Launch, First: k.record >= 0, Kernel: k.shape.Name, TBs: k.shape.TBs()}
}
