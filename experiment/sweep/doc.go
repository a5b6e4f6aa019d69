// Package sweep runs many mixes: every combination of GPUs, policies, mixes, windows,
// parameters and seeds. Each run is a process of its own, the program's run command, so a
// crash costs one run. Each application alone is measured once, as a run like any other.
//
// Results go to a store under a hash of everything that determines them. A repeated sweep
// makes only the missing runs, whenever the first was ended.
package sweep
