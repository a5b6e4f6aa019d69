// Package policy is how a sharing policy sees the GPU and what it can ask for.
// A policy is a pure state machine: at defined moments it is shown a View and
// asks for Actions. It imports no block and holds no clock. Each policy is a
// folder of this package and registers itself by name.
package policy

import (
	"slices"

	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Event is the moment at which a policy is asked.
type Event uint8

// The moments.
const (
	KernelArrived  Event = iota // one or more kernels became active, or another one of a tenant's is its next
	KernelFinished              // the last TB of a kernel finished
	TBFinished                  // a TB finished and left room on its SM
	TBPreempted                 // a TB that was told to leave its SM has left room on it
	ContextSaved                // a preempted TB can be placed again: it counts as Waiting from now on
	SMFreed                     // a reserved SM is empty and no longer reserved
	Epoch                       // an epoch of Needs.Epoch cycles has ended
	WindowEnded                 // a window that Actions.Window opened has ended
	ContextsLoaded              // the last context of a tenant that was on its way to an SM has arrived; only if Needs.Loads
)

// Mechanism is a way to take thread blocks off an SM.
type Mechanism uint8

const (
	// Switch saves a TB's context in memory and loads it back when the TB is
	// placed again (thesis 5.2.2, SMK 5.1).
	Switch Mechanism = iota
	// Ideal is Switch whose contexts take no time and make no traffic (SMK 6.5).
	Ideal
	// Drain lets the TBs finish (thesis 5.2.2).
	Drain
	// Flush drops TBs, which are restarted from their beginning; only for
	// kernels that are idempotent (Chimera).
	Flush
)

// View is what a policy sees. It belongs to the SM driver, which keeps it up to
// date; a policy must not change it.
type View struct {
	Event   Event
	Tenants []Tenant // by tenant number
	SMs     []SM     // by SM number
	// Kernels are the active kernels, the entries of the kernel status table, in
	// the order in which they arrived. A tenant has several only if
	// Needs.Concurrent.
	Kernels []*Kernel
	// Active lists the tenants that have an active kernel, in the order in
	// which the kernels arrived that are their Next.
	Active []int
	// Windows has the last window of each unit, the SMs first; one without
	// Counters before the first.
	Windows []protocol.Window
	// Machine is the rest of the GPU's configuration.
	Machine Machine
}

// Kernel is an active kernel.
type Kernel struct {
	Tenant int // that launched it
	// Launch numbers the tenant's kernel launches, so that a policy can tell a
	// new kernel from the one before.
	Launch uint64
	// Code numbers what it executes: launches of one tenant that execute the same
	// have the same.
	Code uint32
	// Run numbers the runs of the application, from 0: one that ended before the
	// window did is started again.
	Run        uint64
	Demand     occupancy.Demand // of one of its TBs
	Idempotent bool             // its TBs can be flushed
	Waiting    int              // TBs that can be placed: preempted ones, which go first, and new ones
	Saving     int              // preempted TBs whose contexts are on their way to memory: neither Waiting nor Running
	Running    int              // TBs that are on an SM, those that are leaving included
}

// Tenant is one application and its active kernels, if it has any.
//
// What is said of "the kernel" of a tenant with several is said of its next one:
// that whose TBs are placed next, which is the first to have arrived of those
// that have TBs waiting. It stays the same while the policy decides; when its
// last TB has been placed, the policy is asked again, with another kernel.
type Tenant struct {
	Name string // of the application
	// Present says that the application has arrived and has not ended: it has
	// an active kernel or will launch another.
	Present bool
	// Rank of the application's arrival, 0 for the first.
	Rank int
	// Since is the core cycle at which it arrived, on the clock of Windows.
	Since uint64
	// Attributes are what the user says of the tenant, from its arrival on.
	tenant.Attributes
	// Kernels is the number of its active kernels.
	Kernels    int
	Launch     uint64           // of the kernel
	Code       uint32           // of the kernel
	Run        uint64           // of the kernel
	Demand     occupancy.Demand // of one TB of the kernel
	Idempotent bool             // the TBs of all its kernels can be flushed
	Waiting    int              // TBs of the kernel that can be placed: preempted ones, which go first, and new ones
	Saving     int              // preempted TBs, of all its kernels, whose contexts are on their way to memory: neither Waiting nor Running
	Running    int              // TBs of all its kernels that are on an SM, those that are leaving included
	Loading    int              // of those, preempted ones whose contexts are on their way back
	Finished   uint64           // TBs of all its kernels that have finished since the start
}

// SM is one SM's thread blocks.
type SM struct {
	Capacity *occupancy.Capacity
	// Kind numbers the kinds of SM of the GPU, from 0; SMs of one kind are alike.
	Kind    int
	Usage   occupancy.Usage
	TBs     []int              // by tenant, those that are leaving included
	Leaving []int              // by tenant: TBs that have been told to leave, not those that drain; they hold their resources until TBPreempted
	Tenants []occupancy.Demand // by tenant: what its TBs take
	// Reserved says that the SM was preempted as a whole and is not yet empty.
	// Nothing can be placed on it meanwhile.
	Reserved   bool
	Schedulers int // warp schedulers
	IssueWidth int // instructions that each of them issues in a cycle at most
}

// Present counts the tenants that have arrived and not ended.
func (v *View) Present() int {
	n := 0
	for i := range v.Tenants {
		if v.Tenants[i].Present {
			n++
		}
	}
	return n
}

// Returning is the number of a tenant's TBs that will be Waiting, because they
// have been preempted and their contexts are not in memory yet.
func (v *View) Returning(tenant int) int {
	n := v.Tenants[tenant].Saving
	for i := range v.SMs {
		n += v.SMs[i].Leaving[tenant]
	}
	return n
}

// Fits reports whether one more TB of a tenant's kernel can be placed on an SM.
func (v *View) Fits(tenant, sm int) bool {
	s := &v.SMs[sm]
	return v.Tenants[tenant].Waiting > 0 && !s.Reserved && s.Capacity.Fits(&s.Usage, v.Tenants[tenant].Demand)
}

// Counters are what a unit counted in its last window, and how many cycles that
// took; 0 if it has had none.
func Counters[C protocol.Counters](v *View, u protocol.Unit) (c C, cycles uint64) {
	for i := range v.Windows {
		if w := &v.Windows[i]; w.Unit == u && w.Counters != nil {
			return w.Counters.(C), w.Cycles()
		}
	}
	return c, 0
}

// SMWindow is what an SM counted in its last window.
func (v *View) SMWindow(i int) (protocol.SMCounters, uint64) {
	return Counters[protocol.SMCounters](v, protocol.Unit{Kind: protocol.KindSM, Index: i})
}

// Waits reports whether TBs of a tenant wait to be placed, of its kernel or of
// another.
func (v *View) Waits(tenant int) bool {
	return v.Tenants[tenant].Waiting > 0 ||
		slices.ContainsFunc(v.Kernels, func(k *Kernel) bool { return k.Tenant == tenant && k.Waiting > 0 })
}

// Holds reports whether an SM has room for a TB of a tenant's kernel when it is
// empty: on a GPU with SMs of several kinds it may not.
func (v *View) Holds(tenant, sm int) bool {
	return v.SMs[sm].Capacity.Fits(&occupancy.Usage{}, v.Tenants[tenant].Demand)
}

// Mixed reports whether the GPU has SMs of several kinds.
func (v *View) Mixed() bool {
	for i := range v.SMs {
		if v.SMs[i].Kind != v.SMs[0].Kind {
			return true
		}
	}
	return false
}

// Kinds are the numbers of SMs of each kind.
func (v *View) Kinds() (sms []int) {
	for i := range v.SMs {
		for len(sms) <= v.SMs[i].Kind {
			sms = append(sms, 0)
		}
		sms[v.SMs[i].Kind]++
	}
	return sms
}

// Only reports whether an SM has no TB but the given tenant's; an empty one has
// none at all.
func (s *SM) Only(tenant int) bool { return s.TBs[tenant] == s.Usage.TBs }

// Staying is the number of a tenant's TBs on an SM that have not been told to
// leave.
func (s *SM) Staying(tenant int) int { return s.TBs[tenant] - s.Leaving[tenant] }

// Actions carries out what a policy decides, so that the View shows the effect
// of one action when the policy looks for the next. An action asks the policy
// nothing: even TBs that are gone at once, under Ideal, are an event of their
// own after Decide has returned. A TB that was told to leave may still finish
// instead; then it is a TBFinished that SM.Leaving no longer counts.
type Actions interface {
	// Place puts the next waiting TB of a tenant's kernel on an SM, where it must
	// fit. A preempted TB goes first, and its context is loaded before
	// it runs.
	Place(tenant, sm int)
	// Preempt tells n TBs of a tenant, of whichever kernel, to leave an SM, the last placed first,
	// while the SM goes on with the others; Staying must be at least n. The
	// mechanism is Switch, Ideal or Flush.
	Preempt(tenant, sm, n int, m Mechanism)
	// PreemptSM reserves an SM, which must have a TB that stays, and has all
	// its TBs leave it. With Switch the SM halts until all contexts are saved,
	// and again while they are loaded.
	PreemptSM(sm int, m Mechanism)
	// Relocate moves n of a tenant's TBs to another place in the same SM's
	// register file and shared memory: their contexts are saved and loaded
	// back, and their resources stay taken meanwhile.
	Relocate(tenant, sm, n int, m Mechanism)
	// Send steers a unit, which must take controls of that type, and Needs.Sends must
	// list it.
	Send(u protocol.Unit, c protocol.Control)
	// Window has the units of some kinds counted from now on, for so many cycles,
	// 1 at least; those of the SMs if no kind is named. Any number of windows may
	// be open. At the end of each the policy is asked: WindowEnded, when View.Windows
	// has it.
	Window(cycles uint64, kinds ...string)
}

// Policy decides who gets what.
type Policy interface {
	// Decide is called at each Event. It may act any number of times; a TB that
	// is not placed is looked at again at the next event.
	Decide(v *View, a Actions)
	// Needs is the same for a policy whenever it is asked.
	Needs() Needs
}

// Breadth places TBs of a tenant one by one, each on the SM with the fewest
// TBs among those that allowed admits and where it fits, the lowest number
// first, until none is left.
func Breadth(v *View, a Actions, tenant int, allowed func(sm int) bool) {
	for v.Tenants[tenant].Waiting > 0 {
		best := -1
		for i := range v.SMs {
			if (best < 0 || v.SMs[i].Usage.TBs < v.SMs[best].Usage.TBs) && allowed(i) && v.Fits(tenant, i) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		a.Place(tenant, best)
	}
}
