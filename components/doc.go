// Package components is what every hardware block is made of: an engine with
// exact clock domains, the module base, ports with register semantics,
// point-to-point links, FIFOs and message pools.
//
// It implements the interfaces of Akita v3 (sim.Engine, sim.Component,
// sim.Port, sim.Connection), so stock Akita components, hooks and the monitor
// page run on it unchanged, and its modules run beside them.
//
// # Time
//
// Time is an integer number of units of 1/base second, where base is a common
// multiple of all clock frequencies: every edge of every domain falls on a
// whole unit, and edges of different domains that coincide do so exactly.
//
// # Register semantics
//
// What a port is given at one instant can be seen by its receiver at the
// receiver's next edge after that instant, never at the same one, and room
// that a receiver makes can be used by the sender after that instant, never at
// the same one. The order in which modules tick at an instant therefore cannot
// change a result, and Engine.Shuffle draws another one for tests. What modules
// share beside ports they reach in a fixed order: those of a clock tick in the
// order in which they were made. A tick that makes no progress must leave its
// module as it was, because how often a waiting module is ticked is not part of
// the model.
package components
