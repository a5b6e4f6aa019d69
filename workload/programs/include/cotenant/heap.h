// malloc, free, new and delete in kernels (programming guide: dynamic global memory allocation). The runtime
// library gives a program that uses them a heap of cudaLimitMallocHeapSize. Blocks have sizes of powers of
// two; those that have been freed are in lists by their size. clang's header new makes new and delete of malloc
// and free.
#pragma once

#include "define.h"

namespace __ct {
// What the runtime library sets: the heap begins with the offset of what has never been given out, and the
// heads of the lists.
struct heap_area {
  unsigned long long base, bytes;
};
} // namespace __ct
static __device__ volatile __ct::heap_area __ct_heap; // volatile, as no code that the compiler sees writes it

namespace __ct {
// A head holds an offset and, above it, the number of changes, so that a list that has changed in between
// is told apart.
static const int offset_bits = 40;
static const unsigned long long offset_mask = (1ull << offset_bits) - 1;

__CT_FN unsigned long long moved(unsigned long long head, unsigned long long to) {
  return ((head >> offset_bits) + 1) << offset_bits | to;
}

static __inline__ __device__ void *take(unsigned long long bytes) {
  unsigned long long room = __ct_heap.bytes;
  char *base = (char *)__ct_heap.base;
  if (bytes == 0 || bytes > room || base == 0)
    return 0;
  int size = bytes <= 16 ? 5 : 64 - __clzll((long long)(bytes + 15)); // with 16 bytes for the block's own
  unsigned long long *list = (unsigned long long *)base + size;
  unsigned long long head = *(volatile unsigned long long *)list;
  while ((head & offset_mask) != 0) {
    unsigned long long *block = (unsigned long long *)(base + (head & offset_mask));
    unsigned long long seen = atomicCAS(list, head, moved(head, ((volatile unsigned long long *)block)[1]));
    if (seen == head)
      return block + 2;
    head = seen;
  }
  unsigned long long whole = 1ull << size, at = atomicAdd((unsigned long long *)base, whole);
  if (at + whole > room) {
    atomicAdd((unsigned long long *)base, 0 - whole);
    return 0;
  }
  unsigned long long *block = (unsigned long long *)(base + at);
  block[0] = (unsigned long long)size;
  return block + 2;
}

static __inline__ __device__ void give(void *p) {
  if (p == 0)
    return;
  unsigned long long base = __ct_heap.base;
  unsigned long long *block = (unsigned long long *)p - 2, *list = (unsigned long long *)base + block[0];
  unsigned long long at = (unsigned long long)block - base, head = *(volatile unsigned long long *)list, seen;
  for (;; head = seen) {
    ((volatile unsigned long long *)block)[1] = head & offset_mask;
    __threadfence();
    seen = atomicCAS(list, head, moved(head, at));
    if (seen == head)
      return;
  }
}
} // namespace __ct

extern "C" {
__device__ static __inline__ void *malloc(__SIZE_TYPE__ bytes) { return __ct::take(bytes); }
__device__ static __inline__ void free(void *p) { __ct::give(p); }
}
