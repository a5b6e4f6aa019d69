// Package flow analyses PTX functions without running them, and rewrites them. Its facts:
//
//   - where the paths of a branch meet again, the immediate post-dominator (Reconvergence);
//   - which registers hold values at the same time, and so cannot share a machine register
//     (Interference, ShareSlots, MaxLive);
//   - from which instructions every path reaches a barrier before it writes shared memory
//     (QuietFrom);
//   - which arrays the accesses to global memory address (GlobalAccesses).
//
// Rename, Merge and Schedule turn a function into an equivalent one, closer to a compiler's:
// with fresh registers, with neighbouring loads merged, with instructions reordered.
package flow
