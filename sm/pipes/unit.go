package pipes

import (
	"maps"
	"slices"

	"cotenant/sm/warps"
	"cotenant/tenant"
	"cotenant/workload"
)

// Unit is an execution unit of an SM that executes the kinds of instructions that name
// it in the preset (UnitSpec.Unit). A file of its own registers it.
//
// The contract: an instruction is executed once, when it issues; the unit decides when.
// The SM asks CanTake for ready warps, at every edge until the unit takes an
// instruction, and calls Take only behind a CanTake that was true at the same edge.
// CanTake changes nothing.
type Unit interface {
	// CanTake reports whether the unit takes an instruction of a scheduler at a cycle.
	CanTake(scheduler int, cycle uint64) bool
	// Take takes an instruction. An instruction that depends on it can issue latency
	// cycles later, 1 to 1023.
	Take(scheduler int, inst *workload.Inst, cycle uint64) (latency uint64)
	// Flush: a tenant's kernel is another from here on, and so is what its instructions
	// have left in the unit. Results in flight still arrive.
	Flush(t tenant.ID)
}

// units make the registered units, given the number of schedulers, and the interval and
// latency of the preset.
var units = map[string]func(schedulers int, interval, latency uint64) Unit{}

// registerUnit adds a unit. The unit's file does so.
func registerUnit(name string, make func(schedulers int, interval, latency uint64) Unit) {
	units[name] = make
}

// unitNames lists the names that UnitSpec.Unit can have.
func unitNames() []string {
	return append([]string{"alu", "int", "fp64", "sfu"}, slices.Sorted(maps.Keys(units))...)
}

// unitNamed is the unit of a name.
func unitNamed(name string) warps.Unit {
	if u, ok := detours[name]; ok {
		return u
	}
	return warps.Extra
}

// add puts a registered unit into the SM, with the timing of the first kind of
// instructions that names it.
func (p *Pipes) add(u Unit) {
	if p.extra == nil {
		p.extra = u
	}
}

// Flush tells the registered unit that a tenant's kernel is another from here on.
func (p *Pipes) Flush(t tenant.ID) {
	if p.extra != nil {
		p.extra.Flush(t)
	}
}
