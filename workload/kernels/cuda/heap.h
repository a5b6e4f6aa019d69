// An allocator for kernels. Of the heap, which the loader lays out, three
// quarters are slabs. A slab serves chunks of one size at a time, which it has a
// bitmap of. Nothing waits for another thread, so that a thread block can be taken
// off its SM at any point; what makes that so is that a chunk is reserved, in the
// slab's count, before it is looked for in the bitmap.
#pragma once

#include "cotenant.h"

typedef unsigned long long address_t;

// The parameters. heap.go, which lays the heap out, has those up to slab_shift too.
enum : unsigned {
  heap_mbytes = 512,       // of the heap, if nobody says otherwise, in 2^20 bytes
  slab_quarters = 3,       // of the heap in slabs
  heap_classes = 16,       // sizes of chunks: 16, 24, 32, 48 and so on up to 3,072 bytes
  slab_shift = 22,         // a slab has 4 MB
  busy_permille = 835,     // of its chunks, above which a slab gives no more
  spread = 11,             // chunks between two allocations that follow one another
  run_of_smallest = 4,     // chunks of 16 bytes that stay together
  collision_step = 1009,   // chunks to the next that is tried: a prime that divides no slab's number of them
  heap_count_bits = 24,    // of a slab's state, the size's number above them
};
enum : unsigned {
  slab_bytes = 1u << slab_shift,
  bitmap_words = slab_bytes / 16 / 32, // of a slab, for the smallest chunks
  heap_header_words = 2 * heap_classes, // counters and heads, before the slabs' states
  heap_count_mask = (1u << heap_count_bits) - 1,
};

// Where the heap is. A slab's state is 0 if it serves no size, and else the size's
// number from 1 and how many chunks are taken.
struct Heap {
  char *slabs;
  // Of each size how many chunks have been asked for, and its head, the slab from 1
  // that chunks come from now; then the state of each slab.
  unsigned *tables;
  unsigned *bitmaps;
  unsigned count; // of slabs
  unsigned unused;
};
extern "C" {
__constant__ __attribute__((weak)) Heap cotenant_heap;
}

INLINE unsigned lane_number() {
  unsigned lane;
  __asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// The lanes that have come here, and that have a predicate.
INLINE unsigned ballot(bool here) {
  unsigned lanes;
  __asm__ volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.ballot.b32 %0, p; }" : "=r"(lanes) : "r"((unsigned)here));
  return lanes;
}

// The value of a lane.
INLINE unsigned from_lane(unsigned value, unsigned lane) {
  unsigned result;
  __asm__ volatile("shfl.idx.b32 %0, %1, %2, 0x1f;" : "=r"(result) : "r"(value), "r"(lane));
  return result;
}

INLINE unsigned now(const unsigned *p) { return *(const volatile unsigned *)p; }
INLINE unsigned atomicOr(unsigned *p, unsigned v) { return __nvvm_atom_or_gen_i((int *)p, v); }
INLINE unsigned atomicAnd(unsigned *p, unsigned v) { return __nvvm_atom_and_gen_i((int *)p, v); }

// The number of the smallest size for so many bytes, from 1 to 3,072.
INLINE unsigned size_class(unsigned bytes) {
  if (bytes <= 16) return 0;
  unsigned power = 31 - __builtin_clz(bytes - 1);
  return 2 * (power - 4) + 1 + (bytes > 3u << (power - 1));
}

// The size of a number: two for each power of two.
INLINE unsigned class_bytes(unsigned c) { return (c & 1 ? 24u : 16u) << (c >> 1); }
INLINE unsigned chunks_of(unsigned c) { return slab_bytes / class_bytes(c); }
INLINE unsigned limit_of(unsigned c) { return (unsigned)((address_t)chunks_of(c) * busy_permille / 1000); }

INLINE unsigned *slab_state(unsigned slab) { return cotenant_heap.tables + heap_header_words + slab; }

// A slab that can give n chunks of a size, none of them taken yet by the caller: one
// that serves the size and is less than half full, else one that serves none, else
// any of the size. It looks behind the head, so that all that come at the same time
// find the same. Returns it from 1, 0 if there is none.
INLINE unsigned find_slab(unsigned c, unsigned n, unsigned head) {
  unsigned some = 0, slabs = cotenant_heap.count, slab = head;
  for (unsigned tried = 0; tried < slabs; tried++) {
    if (slab >= slabs) slab = 0;
    unsigned *state = slab_state(slab++);
    unsigned seen = now(state);
    if (seen == 0) {
      seen = atomicCAS(state, 0, (c + 1) << heap_count_bits);
      if (seen == 0) return slab;
    }
    if (seen >> heap_count_bits != c + 1) continue;
    unsigned taken = (seen & heap_count_mask) + n, limit = limit_of(c);
    if (taken <= limit / 2) return slab;
    if (taken <= limit) some = slab;
  }
  return some;
}

// Reserves n chunks of a size in its head, or makes another slab the head.
// Returns the slab from 1, 0 if the heap has no room.
INLINE unsigned reserve_chunks(unsigned c, unsigned n) {
  unsigned *head_of = cotenant_heap.tables + heap_classes + c;
  for (;;) {
    unsigned head = now(head_of);
    if (head != 0) {
      unsigned *state = slab_state(head - 1);
      unsigned before = atomicAdd(state, n);
      if (before >> heap_count_bits == c + 1 && (before & heap_count_mask) + n <= limit_of(c)) return head;
      atomicAdd(state, -n);
    }
    unsigned next = find_slab(c, n, head);
    if (next == 0) return 0;
    atomicCAS(head_of, head, next);
  }
}

// Takes a chunk of a slab in which one is reserved, and begins to look for it where
// an allocation's number says.
INLINE char *take_chunk(unsigned c, unsigned slab, unsigned number) {
  unsigned chunks = chunks_of(c), chunk;
  if (c == 0) {
    chunk = (number / run_of_smallest % (chunks / run_of_smallest) * spread * run_of_smallest + number % run_of_smallest) % chunks;
  } else {
    chunk = number % chunks * spread % chunks;
  }
  unsigned *bitmap = cotenant_heap.bitmaps + slab * bitmap_words;
  for (;;) {
    unsigned bit = 1u << (chunk & 31);
    if (!(atomicOr(bitmap + (chunk >> 5), bit) & bit)) break;
    chunk += collision_step;
    if (chunk >= chunks) chunk %= chunks;
  }
  return cotenant_heap.slabs + ((address_t)slab << slab_shift) + chunk * class_bytes(c);
}

// Allocates a chunk of a size for each lane that comes here, the same size for all;
// null if the heap has no room.
INLINE char *allocate_class(unsigned c) {
  unsigned lanes = ballot(true), lane = lane_number();
  unsigned leader = __builtin_ctz(lanes), n = __builtin_popcount(lanes);
  unsigned number = 0, slab = 0;
  if (lane == leader) {
    number = atomicAdd(cotenant_heap.tables + c, n);
    slab = reserve_chunks(c, n);
  }
  slab = from_lane(slab, leader);
  number = from_lane(number, leader) + __builtin_popcount(lanes & ((1u << lane) - 1));
  return slab == 0 ? nullptr : take_chunk(c, slab - 1, number);
}

// Allocates memory of a size that is known to the compiler.
template <unsigned bytes>
INLINE char *allocate() { return allocate_class(size_class(bytes)); }

// Allocates memory: each size that lanes ask for in turn. Null for none, for more
// than a chunk can be, and if the heap has no room.
INLINE char *allocate(address_t bytes) {
  char *chunk = nullptr;
  if (bytes == 0 || bytes > class_bytes(heap_classes - 1)) return chunk;
  unsigned c = size_class(bytes);
  if (c == 1) c = 2; // what malloc gives lies at a multiple of 16
  for (bool waits = true; waits;) {
    unsigned first = from_lane(c, __builtin_ctz(ballot(true)));
    if (c == first) {
      chunk = allocate_class(c);
      waits = false;
    }
  }
  return chunk;
}

// Gives a chunk back, and a slab without chunks to all sizes. Null is nothing to
// free; what is not a chunk, or free already, ends the kernel.
INLINE void deallocate(char *chunk) {
  if (chunk == nullptr) return;
  address_t offset = chunk - cotenant_heap.slabs;
  unsigned slab = offset >> slab_shift, within = offset & (slab_bytes - 1);
  if (offset >> slab_shift >= cotenant_heap.count) __builtin_trap();
  unsigned *state = slab_state(slab);
  unsigned c = (now(state) >> heap_count_bits) - 1;
  if (c >= heap_classes || within % class_bytes(c) != 0) __builtin_trap();
  unsigned at = within / class_bytes(c), bit = 1u << (at & 31);
  if (!(atomicAnd(cotenant_heap.bitmaps + slab * bitmap_words + (at >> 5), ~bit) & bit)) __builtin_trap();
  unsigned left = (atomicAdd(state, -1u) & heap_count_mask) - 1;
  if (left == 0 && now(cotenant_heap.tables + heap_classes + c) != slab + 1) atomicCAS(state, (c + 1) << heap_count_bits, 0);
}
