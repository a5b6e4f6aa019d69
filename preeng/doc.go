// Package preeng models the preemption engine. Each SM has an engine, which takes thread
// blocks off the SM and brings them back on the SM driver's orders (SMK 5.1, Figure 3).
//
// To save a thread block, the engine tells the SM to stop issuing from it. The thread
// block drains: the SM waits for everything in flight, loads included, and then hands the
// state over. The engine sends the context as stores of one line each through the SM's
// port of the request crossbar and past the L2 to the memory controllers. After the last
// store has left, the thread block's resources on the SM are free; after all stores have
// been acknowledged, the context can be loaded.
//
// To load a context, the engine sends loads, and after the last answer the thread block
// continues where it stopped.
//
// The SM runs its other thread blocks meanwhile: a partial context switch. An order with
// Halt stops the whole SM until the context is saved or loaded, which is the context
// switch of thesis 5.2.2.
//
// The context consists of the thread block's registers and shared memory, and for each
// warp the pointer to its reconvergence stack and its barrier state (thesis 5.2.2).
// Several contexts can be on their way at once. The engine sends their packets one
// context after another, in the order in which the thread blocks drained or the orders to
// load came.
package preeng
