// Package flow finds out what PTX functions do without running them: where the
// paths of a branch meet again (the immediate post-dominator), which registers
// hold values together and can share places, between which barriers nothing
// writes shared memory, and where the addresses of accesses to global memory come
// from. From that it makes functions that compute the same as a compiler would
// leave them: Rename, Merge and Schedule.
package flow
