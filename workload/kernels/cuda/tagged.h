// Counters in shared memory without atomic operations: a thread marks what it
// stores as its own, and tries again if another thread's store took its place.
// Only threads of one warp may share them.
#pragma once

#include "cotenant.h"

enum { count_bits = 27, count_mask = (1 << count_bits) - 1 };

// Counts in a bin and returns what was there before.
INLINE unsigned count(volatile unsigned *counters, int bin) {
  unsigned before, marked, tag = threadIdx.x << count_bits;
  do {
    before = counters[bin] & count_mask;
    marked = tag | (before + 1);
    counters[bin] = marked;
  } while (counters[bin] != marked);
  return before;
}
