// Package observe holds what the ways to look at a run share: timeline, wave
// and page.
package observe

import (
	"fmt"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// MechanismName is the name of a way to take thread blocks off an SM, as
// reports show it.
func MechanismName(m policy.Mechanism) string {
	switch m {
	case policy.Switch:
		return "switch"
	case policy.Ideal:
		return "ideal"
	case policy.Drain:
		return "drain"
	case policy.Flush:
		return "flush"
	}
	return fmt.Sprintf("mechanism %d", m)
}

// PreemptionName is the name of a way to take thread blocks off an SM, and says so if
// one left because it waited for page faults.
func PreemptionName(m policy.Mechanism, fault bool) string {
	if fault {
		return MechanismName(m) + " on a fault"
	}
	return MechanismName(m)
}

// Join makes one listener that tells several, in their order.
func Join(list ...dispatcher.Listener) (joined dispatcher.Listener) {
	for _, l := range list {
		joined.KernelStarted = both(joined.KernelStarted, l.KernelStarted)
		joined.KernelFinished = both(joined.KernelFinished, l.KernelFinished)
		joined.TBPlaced = both(joined.TBPlaced, l.TBPlaced)
		joined.TBFinished = both(joined.TBFinished, l.TBFinished)
		joined.TBLeaving = both(joined.TBLeaving, l.TBLeaving)
		joined.TBPreempted = both(joined.TBPreempted, l.TBPreempted)
		joined.TBReturning = both(joined.TBReturning, l.TBReturning)
		joined.TBRestored = both(joined.TBRestored, l.TBRestored)
		joined.SMReserved = both(joined.SMReserved, l.SMReserved)
		joined.SMFreed = both(joined.SMFreed, l.SMFreed)
		joined.Control = bothControl(joined.Control, l.Control)
		joined.Registers = bothRegisters(joined.Registers, l.Registers)
	}
	return joined
}

func both[E any](first, second func(E)) func(E) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(e E) {
		first(e)
		second(e)
	}
}

func bothControl(first, second func(uint64, protocol.Unit, protocol.Control)) func(uint64, protocol.Unit, protocol.Control) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(cycle uint64, u protocol.Unit, c protocol.Control) {
		first(cycle, u, c)
		second(cycle, u, c)
	}
}

func bothRegisters(first, second func(uint64, []policy.RegisterValue)) func(uint64, []policy.RegisterValue) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(cycle uint64, list []policy.RegisterValue) {
		first(cycle, list)
		second(cycle, list)
	}
}
