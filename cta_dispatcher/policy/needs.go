package policy

import (
	"reflect"
	"slices"

	"cotenant/protocol"
)

// Needs says what a policy needs of the GPU and of a run, and what it can tell. The zero
// value asks for nothing: Decide at the events of kernels and thread blocks.
//
// A policy that wraps another returns the other's Needs, with its changes.
type Needs struct {
	// Concurrent has kernels of several CUDA streams of one tenant be active at once,
	// as Hyper-Q allows. Otherwise a tenant has one active kernel at a time, as the
	// papers' frameworks have it.
	Concurrent bool
	// Loads asks for ContextsLoaded events. Contexts that take no time (Ideal) have
	// none.
	Loads bool
	// Epoch is the time from one Epoch event to the next in core cycles; 0: none.
	Epoch uint64
	// Units are the kinds of units whose windows an Epoch ends; nil: the SMs.
	Units []string
	// Sends lists the controls that it may send. Building a GPU without a unit that
	// takes them fails.
	Sends []Sent
	// Alone is what it wants to know of tenants' isolated runs.
	Alone Alone
	// Goals says that it works for the goals of tenants, the field Goal of their
	// Attributes. Otherwise it is only reported whether they were reached.
	Goals bool

	// Check returns an error if the policy does not go with the GPU of a View, which is
	// as it is before anything runs; nil: it goes with any.
	Check func(v *View) error
	// Registers lists registers that an architect may want to watch, as they are after
	// the last Decide: always the same names and tenants in the same order. The result
	// is valid until the next Decide. Nil: there are none.
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

// Alone names what of tenants' isolated runs a policy wants to know, which come before
// the run then: the fields IsolatedIPC and IsolatedWIPC of their Attributes.
type Alone struct {
	IPC, WIPC bool
}

// Sent is a type of protocol.Control that goes to units of a kind.
type Sent struct {
	Kind    string
	Control reflect.Type
	Needs   string // what units that take it have, for the error on a GPU without; optional
}

// Sending is the Sent of a type of control.
func Sending[C protocol.Control](kind, needs string) Sent {
	return Sent{Kind: kind, Control: reflect.TypeFor[C](), Needs: needs}
}

// Sends reports whether a policy may send a type of control.
func Sends[C protocol.Control](p Policy) bool {
	return slices.ContainsFunc(p.Needs().Sends, func(c Sent) bool { return c.Control == reflect.TypeFor[C]() })
}

// RegisterValue is a value that a policy keeps.
type RegisterValue struct {
	Name   string // such as alpha
	Tenant int    // that it is of, -1 for none
	Value  float64
}

// Rehearsing is how a policy learns from a run of the same mix before the run: the same
// applications on the same GPU, which arrive when they do in the run, and start again
// when they end. A mix of one application is not rehearsed. Without a rehearsal the
// policy does what it can.
type Rehearsing struct {
	// Begin makes the policy of a rehearsal with a number of tenants, which ends when
	// settled reports that it has found out what there is to find out of what it has
	// seen, or after most core cycles.
	Begin func(tenants int) (p Policy, settled func() bool, most uint64)
	// Learn takes what that policy has found out, which is of no use to anything else
	// from then on. It comes before the first Decide.
	Learn func(from Policy, was Rehearsal)
}
