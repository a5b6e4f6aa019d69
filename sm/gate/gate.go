// Package gate is who may issue: a gate keeps warps of an SM's schedulers from
// issuing anything, or memory instructions, for reasons of its own: quotas of
// tenants, limits of memory instructions in flight, and the like. Each gate is a
// file.
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
// The contract: Masks says which slots of a scheduler may not issue now; bits of
// slots without a warp do not matter. It changes by what the gate is told only:
// by Placed and Ended, which it is told of every warp, by Issued, which follows
// each issue while the gate is Active, and by Control. The Issued of a warp's last
// instruction comes behind its Ended. A gate that is not Active holds nobody back,
// and costs nothing.
type Gate interface {
	// Takes lists the types of control message that the gate takes.
	Takes() []reflect.Type
	// Control takes a control message and reports whether it is the gate's.
	Control(c protocol.Control) bool
	// Active reports whether the gate may hold a warp back. It changes by
	// Control only.
	Active() bool
	// Placed: a tenant's warp has taken a slot of a scheduler.
	Placed(scheduler, slot int, t tenant.ID)
	// Ended: the warp of a slot has no instruction left, or has left.
	Ended(scheduler, slot int)
	// Issued: a scheduler's cycle has gone to the warp of a slot, which has issued
	// insts, one or two. They are only valid during the call.
	Issued(scheduler, slot int, insts []workload.Inst)
	// Masks are the slots of a scheduler that may not issue at all, and those
	// that may not issue memory instructions.
	Masks(scheduler int) (all, memory warps.Mask)
}

// makers make the gates that every SM has.
var makers []func(schedulers int) Gate

// register gives every SM a gate, which is not Active before a control message
// says so. The gate's file does so.
func register(make func(schedulers int) Gate) { makers = append(makers, make) }

// All makes one of each gate for an SM with so many schedulers.
func All(schedulers int) []Gate {
	var list []Gate
	for _, make := range makers {
		list = append(list, make(schedulers))
	}
	return list
}
