package policy

import (
	"reflect"
	"slices"

	"cotenant/protocol"
)

// Needs describes a policy's needs of the GPU and of a run, and the figures that it offers.
// The zero value asks for nothing: Decide at the events of kernels and thread blocks.
//
// A policy that wraps another returns the inner policy's Needs, with its changes.
type Needs struct {
	// Concurrent lets kernels of several CUDA streams of one tenant be active at once, as
	// Hyper-Q does. Otherwise a tenant has one active kernel at a time, as in the papers'
	// frameworks.
	Concurrent bool
	// Clusters says that the policy lets kernels with clusters run: it preempts nothing, and allows a cluster on
	// all SMs of a GPC. Otherwise the launch of such a kernel is an error.
	Clusters bool
	// Loads asks for ContextsLoaded events. Contexts that take no time (Ideal) have
	// none.
	Loads bool
	// Epoch is the time from one Epoch event to the next in core cycles; 0: none.
	Epoch uint64
	// Units are the kinds of units that an Epoch's window counts; nil: the SMs.
	Units []string
	// Sends lists the controls that the policy may send. Building a GPU without a unit that
	// takes them fails.
	Sends []Sent
	// Alone names the figures of isolated runs that the policy needs.
	Alone Alone
	// Goals: the policy works for the tenants' goals (Attributes.Goal). Otherwise results only
	// report whether they were reached.
	Goals bool

	// Check returns an error if the policy does not fit the GPU of a View from before the run;
	// nil: it fits any GPU.
	Check func(v *View) error
	// Registers lists registers for an architect to watch, as of the last Decide: always the
	// same names and tenants in the same order. The result is valid until the next Decide.
	// Nil: there are none.
	Registers func() []RegisterValue
	// Explain returns tables of the policy's findings and decisions, of the forms in its
	// Descriptor; none while there is nothing to tell. Nil: the policy explains nothing.
	Explain func() []Table
	// Rehearsal is a run before the run to learn from; nil: none is wanted.
	Rehearsal *Rehearsing
}

// Rehearsal is the outcome of a run before the run.
type Rehearsal struct {
	Cycles  uint64 // core cycles
	Settled bool   // false: the rehearsal was cut off before the policy had settled
}

// Alone names figures of tenants' isolated runs, which then come before the run: the fields
// IsolatedIPC and IsolatedWIPC of Attributes.
type Alone struct {
	IPC, WIPC bool
}

// Sent is a type of protocol.Control that goes to units of a kind.
type Sent struct {
	Kind    string
	Control reflect.Type
	Needs   string // such units' hardware, for the error on a GPU without; optional
}

// Sending is the Sent of a type of control.
func Sending[C protocol.Control](kind, needs string) Sent {
	return Sent{Kind: kind, Control: reflect.TypeFor[C](), Needs: needs}
}

// Sends reports whether a policy may send a type of control.
func Sends[C protocol.Control](p Policy) bool {
	return slices.ContainsFunc(p.Needs().Sends, func(c Sent) bool { return c.Control == reflect.TypeFor[C]() })
}

// RegisterValue is one register of a policy.
type RegisterValue struct {
	Name   string // such as alpha
	Tenant int    // its tenant, -1 for none
	Value  float64
}

// Rehearsing lets a policy learn from a run of the same mix before the run: the same
// applications on the same GPU, with the same arrivals, restarted when they end. A mix of one
// application is not rehearsed; the policy then works without.
type Rehearsing struct {
	// Begin makes the policy of a rehearsal with a number of tenants. The rehearsal ends when
	// settled reports that nothing is left to learn from the sets seen so far, or after most
	// core cycles.
	Begin func(tenants int) (p Policy, settled func() bool, most uint64)
	// Learn takes over the findings of that policy, which nothing else uses afterwards. Learn
	// comes before the first Decide.
	Learn func(from Policy, was Rehearsal)
}
