// Package policy defines the interface between a sharing policy and the GPU. A policy is a pure
// state machine: at defined moments the SM driver shows it a View, and it answers with
// Actions. It imports no block and holds no clock. Each policy is a folder of this package and
// registers itself by name.
package policy

import (
	"cmp"
	"slices"

	"cotenant/components/occupancy"
	"cotenant/protocol"
	"cotenant/tenant"
)

// Event is the reason for a Decide.
type Event uint8

// The moments.
const (
	KernelArrived  Event = iota // kernels became active, or a tenant's next kernel is another one
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
	// Ideal is Switch without time and traffic for contexts (SMK 6.5).
	Ideal
	// Drain lets the TBs finish (thesis 5.2.2).
	Drain
	// Flush drops TBs, which restart from their beginning; only for idempotent kernels
	// (Chimera).
	Flush
)

// View shows the GPU to a policy. The SM driver keeps it up to date; a policy must not change
// it.
type View struct {
	Event   Event
	Tenants []Tenant // by tenant number
	SMs     []SM     // by SM number
	// Kernels are the active kernels, the entries of the kernel status table, by the priority
	// of their streams, and in the order of arrival where that is equal. A tenant has several
	// only if Needs.Concurrent.
	Kernels []*Kernel
	// Active lists the tenants with an active kernel, in the order of their next kernels.
	Active []int
	// Windows has the last window of each unit, the SMs first. A unit without a window yet has
	// no Counters.
	Windows []protocol.Window
	// Ended is the last window that has ended: windows of Actions.Window count from 1 in the
	// order in which they were opened.
	Ended uint64
	// Machine is the rest of the GPU's configuration.
	Machine Machine

	first int   // SM of the GPU that is the View's first
	ranks []int // of a part: ranks on the GPU of its tenants' arrivals, ascending
}

// Range is a range of SMs, from First to End - 1; all SMs if End is 0.
type Range struct{ First, End int }

// Has reports whether an SM is in the range.
func (r Range) Has(sm int) bool { return r.End == 0 || sm >= r.First && sm < r.End }

// Kernel is an active kernel.
type Kernel struct {
	Tenant int   // that launched it
	SMs    Range // on which its TBs may be placed
	// Launch numbers the tenant's kernel launches, so that a policy can tell a
	// new kernel from the one before.
	Launch uint64
	// Code numbers the executed code: launches of one tenant with equal code have the same
	// number.
	Code uint32
	// Run numbers the runs of the application, from 0: an application that ends before the
	// window does starts again.
	Run uint64
	// Priority is that of the kernel's CUDA stream: the smaller goes first.
	Priority   int
	Demand     occupancy.Demand // of one TB
	ClusterTBs int              // TBs that are placed together, on SMs of one GPC; 1: it has no clusters
	Idempotent bool             // its TBs can be flushed
	Waiting    int              // TBs to place: preempted TBs, which go first, and new ones
	Saving     int              // preempted TBs with their contexts on the way to memory: neither Waiting nor Running
	Running    int              // TBs on an SM, leaving ones included
}

// Tenant is one application and its active kernels.
//
// "The kernel" of a tenant with several is its next kernel: the first of Kernels among its
// kernels with waiting TBs. The next kernel stays the same while the policy decides. Once its
// last TB is placed, the driver asks the policy again, with another kernel.
type Tenant struct {
	Name string // of the application
	// Present: the application has arrived and not ended. It has an active kernel or will
	// launch another.
	Present bool
	// Rank of the application's arrival, 0 for the first; in a View of a part, among its own.
	Rank int
	// SMs are those on which TBs of the kernel may be placed: Fits and Holds are false elsewhere.
	SMs Range
	// Since is the core cycle of its arrival, on the clock of Windows.
	Since uint64
	// Attributes are the user's words about the tenant, from its arrival on.
	tenant.Attributes
	// Kernels is the number of its active kernels.
	Kernels    int
	Launch     uint64           // of the kernel
	Code       uint32           // of the kernel
	Run        uint64           // of the kernel
	Demand     occupancy.Demand // of one TB of the kernel
	ClusterTBs int              // TBs of the kernel that are placed together, 1 at least
	Idempotent bool             // the TBs of all its kernels can be flushed
	Waiting    int              // TBs of the kernel to place: preempted TBs, which go first, and new ones
	Saving     int              // preempted TBs of all its kernels with their contexts on the way to memory: neither Waiting nor Running
	Running    int              // TBs of all its kernels on an SM, leaving ones included
	Loading    int              // running TBs with their contexts on the way back
	Finished   uint64           // finished TBs of all its kernels since the start
}

// SM is one SM's thread blocks.
type SM struct {
	Capacity *occupancy.Capacity
	// Kind numbers the kinds of SM of the GPU, from 0; SMs of one kind are alike.
	Kind    int
	GPC     int // number of the SM's GPC; 0 if GPCs are not told apart
	Usage   occupancy.Usage
	TBs     []int              // by tenant, leaving ones included
	Leaving []int              // by tenant: TBs told to leave, draining ones excluded; they hold their resources until TBPreempted
	Tenants []occupancy.Demand // by tenant: demand of its TBs
	// Reserved: the SM was preempted as a whole and is not yet empty. Nothing can be placed on
	// it.
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

// Newcomers lists the present tenants that are not known, in the order of arrival.
func (v *View) Newcomers(known func(tenant int) bool) (list []int) {
	for tenant := range v.Tenants {
		if v.Tenants[tenant].Present && !known(tenant) {
			list = append(list, tenant)
		}
	}
	slices.SortFunc(list, func(a, b int) int { return v.Tenants[a].Rank - v.Tenants[b].Rank })
	return list
}

// Returning counts the tenant's preempted TBs without a context in memory yet: they will be
// Waiting.
func (v *View) Returning(tenant int) int {
	n := v.Tenants[tenant].Saving
	for i := range v.SMs {
		n += v.SMs[i].Leaving[tenant]
	}
	return n
}

// Fits reports whether one more TB of a tenant's kernel can be placed on an SM, or a cluster of its TBs on the SMs
// of its GPC with at least one there.
func (v *View) Fits(tenant, sm int) bool {
	return v.FitsTB(tenant, sm) && (v.Tenants[tenant].ClusterTBs <= 1 || v.fitsCluster(tenant, v.SMs[sm].GPC))
}

// fitsCluster reports whether the SMs of a GPC have room for a cluster of a tenant's kernel.
func (v *View) fitsCluster(tenant, gpc int) bool {
	t := &v.Tenants[tenant]
	room := 0
	for i := range v.SMs {
		if s := &v.SMs[i]; s.GPC == gpc && v.FitsTB(tenant, i) {
			for n := 1; n <= t.ClusterTBs && s.Capacity.Fits(&s.Usage, t.Demand.Times(n)); n++ {
				room++
			}
		}
	}
	return room >= t.ClusterTBs
}

// FitsTB is Fits for a single TB, also of a cluster.
func (v *View) FitsTB(tenant, sm int) bool {
	s := &v.SMs[sm]
	t := &v.Tenants[tenant]
	return t.Waiting > 0 && !s.Reserved && t.SMs.Has(v.first+sm) && s.Capacity.Fits(&s.Usage, t.Demand)
}

// Counters returns the counters of a unit's last window and its cycles, 0 before the first
// window.
func Counters[C protocol.Counters](v *View, u protocol.Unit) (c C, cycles uint64) {
	for i := range v.Windows {
		if w := &v.Windows[i]; w.Unit == u && w.Counters != nil {
			return w.Counters.(C), w.Cycles()
		}
	}
	return c, 0
}

// SMWindow returns the counters of an SM's last window and its cycles.
func (v *View) SMWindow(i int) (protocol.SMCounters, uint64) {
	return Counters[protocol.SMCounters](v, protocol.Unit{Kind: protocol.KindSM, Index: i})
}

// Waits reports whether any kernel of a tenant has waiting TBs.
func (v *View) Waits(tenant int) bool {
	return v.Tenants[tenant].Waiting > 0 ||
		slices.ContainsFunc(v.Kernels, func(k *Kernel) bool { return k.Tenant == tenant && k.Waiting > 0 })
}

// Holds reports whether an SM has room for a TB of a tenant's kernel when it is
// empty: on a GPU with SMs of several kinds it may not, nor if the kernel is bound to other SMs.
func (v *View) Holds(tenant, sm int) bool {
	return v.Tenants[tenant].SMs.Has(v.first+sm) && v.SMs[sm].Capacity.Fits(&occupancy.Usage{}, v.Tenants[tenant].Demand)
}

// Mixed reports whether the GPU has SMs of several kinds.
func (v *View) Mixed() bool {
	return slices.ContainsFunc(v.SMs, func(s SM) bool { return s.Kind != v.SMs[0].Kind })
}

// Emptying reports whether an SM is reserved and not empty yet.
func (v *View) Emptying() bool {
	return slices.ContainsFunc(v.SMs, func(s SM) bool { return s.Reserved })
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

// Staying counts a tenant's TBs on an SM that have not been told to leave.
func (s *SM) Staying(tenant int) int { return s.TBs[tenant] - s.Leaving[tenant] }

// Actions carries out a policy's decisions. The View shows the effect of each action at once.
// An action never asks the policy: even TBs that leave at once, under Ideal, are an event
// after Decide has returned. A TB told to leave may finish first; then it is a TBFinished, and
// SM.Leaving drops it.
type Actions interface {
	// Place puts the next waiting TB of a tenant's kernel on an SM, where it must fit. Of a kernel with clusters it
	// puts the next cluster there and on further SMs of the GPC. A
	// preempted TB goes first; its context is loaded before it runs.
	Place(tenant, sm int)
	// Preempt tells n TBs of a tenant, of any kernel, to leave an SM, the last placed first.
	// The SM goes on with its other TBs. Staying must be at least n, the mechanism Switch,
	// Ideal or Flush.
	Preempt(tenant, sm, n int, m Mechanism)
	// PreemptSM reserves an SM with a TB that stays, and makes all its TBs leave. With Switch
	// the SM halts while contexts are saved, and again while they are loaded.
	PreemptSM(sm int, m Mechanism)
	// Relocate moves n of a tenant's TBs to another place in the same SM's
	// register file and shared memory: their contexts are saved and loaded
	// back, and their resources stay taken meanwhile.
	Relocate(tenant, sm, n int, m Mechanism)
	// Send steers a unit. The unit must take controls of that type, and Needs.Sends must list
	// the type.
	Send(u protocol.Unit, c protocol.Control)
	// Window counts units of the named kinds, or the SMs, from now on for a number of cycles,
	// 1 at least. Any number of windows may be open. At the end of each the driver asks the
	// policy with WindowEnded, and View.Windows has the counts.
	Window(cycles uint64, kinds ...string)
}

// Policy decides about placement, preemption and limits.
type Policy interface {
	// Decide is called at each Event. It may act any number of times. TBs that it leaves
	// waiting appear again at the next event.
	Decide(v *View, a Actions)
	// Needs returns the same at each call.
	Needs() Needs
}

// Least returns the number below n with the smallest measure, the first among equals, of those
// that count; -1 if none does.
func Least[T cmp.Ordered](n int, measure func(i int) (value T, counts bool)) int {
	best, least := -1, *new(T)
	for i := range n {
		if value, counts := measure(i); counts && (best < 0 || value < least) {
			best, least = i, value
		}
	}
	return best
}

// LeastOf is Least for the entries of a list.
func LeastOf[T cmp.Ordered](list []int, measure func(entry int) (value T, counts bool)) int {
	if i := Least(len(list), func(i int) (T, bool) { return measure(list[i]) }); i >= 0 {
		return list[i]
	}
	return -1
}

// Breadth places TBs of a tenant one by one until none waits or fits. Each goes to the allowed
// SM with the fewest TBs, the lowest number among equals.
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
