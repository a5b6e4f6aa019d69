// Package stats adds up, names and lists the counters of Stats structs, so that a block
// counts in a struct of its own and no other code knows the struct's fields.
//
// A counter is an exported field of type uint64, in the struct or in structs, arrays
// and slices of structs inside it. Its name is the field's in snake case, WaitCycles as
// wait_cycles, or the name in its json tag; a counter with the tag "-" is for the code
// alone. A tenant's part of a block's counters is in a field named Tenants, an array or
// slice with a struct for each, or in a field named Accounts, which is Grouped.
//
// A counter of busy cycles has the tag percycle: its largest growth in a cycle of its
// module's clock, over all tenants. The tag is a number, or the yaml key of the
// module's parameter with the number. tests/conservation checks it.
//
// JSON leaves out counters that are 0 of a field with the tag optional, as of a part that few
// GPUs have.
//
// Reflection finds the counters of a type once. Adding and filling then take
// nanoseconds for each counter; naming and listing are for the end of a run and for
// samples, not for a clock edge.
package stats
