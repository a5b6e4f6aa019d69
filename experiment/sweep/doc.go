// Package sweep runs many mixes: every combination of GPUs, policies, mixes,
// windows and seeds. Each run is a process of its own, the program's run
// command, so that one that fails takes no other with it. What each
// application gets alone is measured once and stored as a run like any other.
//
// Results go to a store under a hash of everything that determines them: a
// sweep that is repeated, or that was ended at any moment, does only what is
// missing.
package sweep
