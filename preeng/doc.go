// Package preeng is the preemption engine: one beside each SM, it takes thread
// blocks off and brings them back on the SM driver's orders (SMK 5.1, Figure 3).
//
// To save a thread block, the engine tells the SM to stop issuing from it. Once
// everything that the thread block has in flight has arrived, loads included,
// the SM hands its state over, and the engine sends the context as stores of one
// line each through the SM's port of the request crossbar and past the L2 to the
// memory controllers. When the last has left, what the thread block took of the
// SM is free; when all have been acknowledged, its context can be loaded. The SM
// goes on with its other thread blocks meanwhile: a partial context switch. If
// the order says so, the whole SM halts instead, which is the context switch of
// thesis 5.2.2.
//
// To load a context is the same the other way round: loads are sent, and once
// the last has been answered, the thread block goes on where it was.
//
// The context is the thread block's registers and shared memory, and for each
// warp the pointer to its reconvergence stack and its barrier state (thesis
// 5.2.2). Several contexts can be on their way at once; their packets are sent
// one after another, in the order in which the thread blocks have drained or
// the orders to load have come.
package preeng
