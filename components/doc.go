// Package components provides what hardware blocks are built from: an engine
// with exact clock domains, the module base, ports with register semantics,
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
// A receiver sees a message at its next edge after the instant at which the port got
// it, never at the same instant. A sender can use room only after the instant at which
// the receiver made it. Modules that meet at ports alone therefore give the same
// results in every order of ticks, and Engine.Shuffle draws another order for tests.
// Modules that share other state rely on the normal order: at an edge, a clock's
// modules tick in the order of their Module.Init. A tick without progress must leave
// its module unchanged, because how often a waiting module ticks is not part of the
// model.
//
// # Fewer ticks
//
// A module need not tick for what is known beforehand. An Outlet sends messages at edges
// that are known when they are queued. A Laggard does its work behind the engine's time,
// many edges at once, before anyone can see that it has not been done. When Run or
// RunUntil returns, both show the state that they have at that instant.
package components
