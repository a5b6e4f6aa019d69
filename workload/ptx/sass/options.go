package sass

import (
	"fmt"
	"strings"

	"cotenant/workload"
)

// Options switch the rules off one by one. The zero value has all on.
type Options struct {
	// KeepParams counts reading and passing parameters as an instruction each.
	// Machine code has kernel parameters as operands, in the constant bank, and
	// functions' parameters in registers.
	KeepParams bool
	// KeepMoves counts register copies, moves of constants and cvta as an
	// instruction each. A compiler's register allocation leaves none.
	KeepMoves bool
	// KeepAddresses counts a shift or widening product apart from the addition
	// that alone uses it. Machines have instructions for the two together.
	KeepAddresses bool
	// Narrow64 counts 64-bit integer operations as one instruction.
	Narrow64 bool
	// KeepDivisions counts div, rem, sqrt, rcp and rsqrt as one instruction.
	KeepDivisions bool
	// KeepBranches counts short forward branches, which a compiler turns into
	// predication.
	KeepBranches bool
	// KeepModifiers counts what machine code does within another instruction:
	// negation and absolute value of floating-point operands, and the widening
	// of what a load brings.
	KeepModifiers bool
	// KeepLoads leaves loads of neighbouring words of shared memory apart. A
	// compiler makes them vector loads, as flow.Merge does.
	KeepLoads bool
	// KeepOrder leaves instructions where the PTX has them. A compiler
	// schedules them, as flow.Schedule does.
	KeepOrder bool
	// PackRegisters gives a value the first register that is free, as LLVM's allocators do,
	// so that a program takes few of them and soon writes again what it has read. Otherwise
	// they are handed out in turn, a few more than that.
	PackRegisters bool
	// Unit is the number of registers that a thread is given at a time; 0: 1.
	Unit int
}

// Units is a number of registers in whole units.
func (o *Options) Units(registers int) int {
	unit := max(1, o.Unit)
	return (registers + unit - 1) / unit * unit
}

// rules are the rules by the names that ParseOptions takes.
var rules = []struct {
	name string
	off  func(*Options) *bool
}{
	{"params", func(o *Options) *bool { return &o.KeepParams }},
	{"moves", func(o *Options) *bool { return &o.KeepMoves }},
	{"addresses", func(o *Options) *bool { return &o.KeepAddresses }},
	{"wide", func(o *Options) *bool { return &o.Narrow64 }},
	{"div", func(o *Options) *bool { return &o.KeepDivisions }},
	{"modifiers", func(o *Options) *bool { return &o.KeepModifiers }},
	{"merge", func(o *Options) *bool { return &o.KeepLoads }},
	{"order", func(o *Options) *bool { return &o.KeepOrder }},
	{"branches", func(o *Options) *bool { return &o.KeepBranches }},
	{"registers", func(o *Options) *bool { return &o.PackRegisters }},
}

// RuleNames lists the names of the rules, for messages.
func RuleNames() string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return strings.Join(names, ", ")
}

// For is what a GPU does with PTX: all rules on for machine code, all off for PTX itself, and
// registers in units of the GPU's.
func For(target workload.Target) (o Options) {
	o.Unit = target.RegisterUnit
	for i := range rules {
		*rules[i].off(&o) = target.ISA == workload.PTX
	}
	return o
}

// ParseOptions reads a list of changes to the rules that are on at first: -div switches one
// off, +div on, and all stands for every rule. The error lists what would be valid.
func ParseOptions(list string, o Options) (Options, error) {
	for item := range strings.SplitSeq(list, ",") {
		name, off := strings.CutPrefix(item, "-")
		name, on := strings.CutPrefix(name, "+")
		found := false
		for i := range rules {
			if name == rules[i].name || name == "all" {
				*rules[i].off(&o) = off
				found = off != on
			}
		}
		if !found {
			return o, fmt.Errorf("%q is no change of a lowering rule; valid: - (off) or + (on) before all, %s", item, RuleNames())
		}
	}
	return o, nil
}

// predicated is the length up to which a compiler predicates the instructions
// that a forward branch jumps over.
const predicated = 7
