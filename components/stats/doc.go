// Package stats adds up, names and lists the counters of Stats structs, so that
// a block counts in a struct of its own and nothing else knows the struct's
// fields.
//
// A counter is an exported field of type uint64, in the struct or in structs,
// arrays and slices of structs inside it. Its name is the field's in snake case,
// WaitCycles as wait_cycles, or that of its json tag; one with the tag "-" is
// for the code alone. What a tenant has had of a block is in a field named
// Tenants, an array or slice with a struct for each, or in one named Accounts,
// which is Grouped.
//
// A counter of cycles in which something was busy has the tag percycle: by how much
// it grows at most in a cycle of its module's clock, all tenants together. That is a
// number, or the yaml key of the module's parameter that says it. tests/conservation
// checks it.
//
// Where the counters of a type lie is found once, by reflection. What adds and fills
// counters takes nanoseconds for each; what names and lists them is for the end of a
// run and for samples, not for a clock edge.
package stats
