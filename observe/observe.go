// Package observe holds the common parts of the views of a run: timeline, wave and page.
package observe

import (
	"fmt"
	"reflect"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"
)

// MechanismName is the name in reports of a way to take thread blocks off an SM.
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

// PreemptionName is the name of a way to take thread blocks off an SM, with a note if a
// thread block left because it waited for page faults.
func PreemptionName(m policy.Mechanism, fault bool) string {
	if fault {
		return MechanismName(m) + " on a fault"
	}
	return MechanismName(m)
}

// Launch identifies a kernel launch of the whole run.
type Launch struct {
	Tenant int
	Number uint64
}

// TB identifies a thread block of the whole run.
type TB struct {
	Launch
	Number int // in the kernel's grid
}

// TBOf is the thread block of an event.
func TBOf(e dispatcher.TBEvent) TB { return TB{Launch{e.Tenant, e.Launch}, e.TB} }

// Join makes one listener that calls several, in their order.
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
		control, registers := joined.Control, joined.Registers
		joined.Control = chain(control, l.Control, func(cycle uint64, u protocol.Unit, c protocol.Control) {
			control(cycle, u, c)
			l.Control(cycle, u, c)
		})
		joined.Registers = chain(registers, l.Registers, func(cycle uint64, list []policy.RegisterValue) {
			registers(cycle, list)
			l.Registers(cycle, list)
		})
	}
	return joined
}

func both[E any](first, second func(E)) func(E) {
	return chain(first, second, func(e E) {
		first(e)
		second(e)
	})
}

// chain returns both, which calls two functions, or a function alone if the other is
// nil.
func chain[F any](first, second, both F) F {
	switch {
	case reflect.ValueOf(first).IsNil():
		return second
	case reflect.ValueOf(second).IsNil():
		return first
	}
	return both
}
