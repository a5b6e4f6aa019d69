// Package gate decides which warps may issue. A gate keeps warps of an SM's schedulers from
// issuing anything, or from issuing instructions of global memory: because of tenants'
// quotas, or of limits on active thread blocks or memory instructions in flight. Each gate
// is a file.
package gate

import (
	"reflect"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// Gate may hold warps back.
//
// The contract: Masks says which slots of a scheduler may not issue now; bits of slots
// without a warp do not matter. The masks are registers, which Control and Edge write.
// Placed, Ended and Issued report events since then: Placed and Ended for every warp,
// Issued for every issue while the gate is Active. The Issued of a warp's last
// instruction comes behind its Ended. An SM looks at Masks when Control or Edge has
// returned. It calls Edge of an Active gate once at an edge, the last thing: when all of
// its schedulers have issued, and orders have placed and evicted thread blocks. So no
// scheduler sees another scheduler's issue of the same edge, and the order in which they
// issue must not matter. A gate that is not Active holds no warp back, and costs
// nothing. A Memory may close in between.
type Gate interface {
	// Takes lists the types of control message that the gate takes.
	Takes() []reflect.Type
	// Control takes a control message and reports whether it is the gate's.
	Control(c protocol.Control) bool
	// Active reports whether the gate may hold a warp back. It changes by
	// Control only.
	Active() bool
	// Placed: a tenant's warp, of thread block tb, has taken a slot of a scheduler. The
	// numbers grow with every thread block that is placed on the SM; a thread block that
	// comes back gets a new number.
	Placed(scheduler, slot int, t tenant.ID, tb uint64)
	// Ended: the warp of a slot has no instruction left, or has left.
	Ended(scheduler, slot int)
	// Issued: a scheduler's cycle has gone to the warp of a slot, which has issued
	// insts, one or two, with known lanes. They are only valid during the call. A second
	// instruction that waits for its turn at a pipe has a call of its own, behind the
	// calls for other schedulers.
	Issued(scheduler, slot int, insts []workload.Inst)
	// Edge ends an edge: it makes the masks anew by what has been told since it
	// was called last, and reports whether any may differ.
	Edge() (changed bool)
	// Masks are the slots of a scheduler that may not issue at all, and the slots that
	// may not issue loads, stores and atomics of global memory.
	Masks(scheduler int) (all, memory warps.Mask)
}

// makers make the gates that every SM has.
var makers []func(schedulers int) Gate

// register gives every SM a gate, which is not Active before a control message
// says so. The gate's file does so.
func register(make func(schedulers int) Gate) { makers = append(makers, make) }

// All makes each gate once, for an SM with a number of schedulers.
func All(schedulers int) []Gate {
	var list []Gate
	for _, make := range makers {
		list = append(list, make(schedulers))
	}
	return list
}

// Freeing is a gate that hears when warps leave their slots: a warp that has ended does so
// when its results and accesses have arrived.
type Freeing interface {
	Gate
	// Freed: the slot of a scheduler has no warp. It comes behind Ended.
	Freed(scheduler, slot int)
}

// Metered is a gate that counts something off, which one may want to watch.
type Metered interface {
	Gate
	// Left is what a tenant may still issue on the SM, in the unit that the gate
	// counts in, below 0 if it has had more than it was given. It means something
	// while the gate is Active.
	Left(t tenant.ID) int64
}
