package gate

import (
	"fmt"
	"reflect"
	"strings"

	"cotenant/protocol"
	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// Memory is a gate that follows loads, stores and atomics of global memory; it hears of
// no other instructions. It is Active from the start.
type Memory interface {
	Gate
	// Sent: a tenant's instruction has gone to the load-store unit, which splits it into
	// accesses of the L1, at least one. It comes before the Issued.
	Sent(t tenant.ID, accesses int)
	// Accessed: the L1 has taken a number of a tenant's accesses in a cycle, after it
	// had refused the first of them for refused cycles.
	Accessed(t tenant.ID, accesses int, refused uint64)
	// Done: the last access of an instruction has been performed.
	Done(t tenant.ID)
	// Closed reports whether Masks may have grown since it was asked last: a tenant
	// has sent as much as it may. It is asked behind each Issued, and the masks
	// count for the schedulers that are still to issue at the same edge, as a full
	// load-store unit does. So who comes first of them matters, which changes with
	// the cycle. Masks shrink at an Edge only, also of a cycle in which nothing has
	// issued.
	Closed() bool
}

// Order is a Memory that says which memory instruction goes first.
type Order interface {
	Memory
	// First selects from the ready slots of a scheduler, where memory instructions could
	// issue, the slots to be served first: at least one. A scheduler that gives its
	// cycle to a memory instruction gives it to such a slot. Like Masks, First is a
	// register, which Edge writes.
	First(scheduler int, ready warps.Mask) warps.Mask
}

// memories are the ways to issue memory instructions, by name.
var memories = []struct {
	name string
	make func(schedulers int) Memory
}{
	{"any", func(int) Memory { return nil }},
	{"mil", func(schedulers int) Memory { return NewMIL(schedulers) }},
	{"bmi", func(schedulers int) Memory { return NewBMI(schedulers) }},
}

// NewMemory makes the gate of a name; nil for any, which needs none. The error lists the
// valid names.
func NewMemory(name string, schedulers int) (Memory, error) {
	var names []string
	for _, m := range memories {
		if m.name == name {
			return m.make(schedulers), nil
		}
		names = append(names, m.name)
	}
	return nil, fmt.Errorf("memory_issue is %q, must be one of %s", name, strings.Join(names, ", "))
}

// present counts the tenants' warps on an SM. It holds what gates without Controls have
// in common.
type present struct {
	slots [][tenant.Max]warps.Mask // by scheduler
	owner [][warps.PerScheduler]tenant.ID
	count [tenant.Max]int // of warps
	stale bool            // Edge has something to do
}

func newPresent(schedulers int) present {
	return present{slots: make([][tenant.Max]warps.Mask, schedulers), owner: make([][warps.PerScheduler]tenant.ID, schedulers)}
}

// Takes lists nothing.
func (p *present) Takes() []reflect.Type { return nil }

// Control takes nothing.
func (p *present) Control(protocol.Control) bool { return false }

// Active is true.
func (p *present) Active() bool { return true }

// Placed counts a warp in.
func (p *present) Placed(scheduler, slot int, t tenant.ID, _ uint64) {
	p.owner[scheduler][slot] = t
	p.slots[scheduler][t] |= 1 << slot
	p.count[t]++
	p.stale = true
}

// Ended counts a warp out.
func (p *present) Ended(scheduler, slot int) {
	t := p.owner[scheduler][slot]
	p.slots[scheduler][t] &^= 1 << slot
	p.count[t]--
	p.stale = true
}

// Issued changes nothing: Sent tells.
func (p *present) Issued(scheduler, slot int, insts []workload.Inst) {}

// IsGlobal reports whether an instruction is a load, store or atomic of global memory.
func IsGlobal(inst *workload.Inst) bool {
	return inst.Class.IsMemory() && inst.Space == workload.Global
}
