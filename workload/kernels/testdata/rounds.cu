// Threads that allocate memory of mixed sizes and give it back in rounds, by the
// functions of CUDA.
#include "cotenant.h"

extern "C" __device__ void *malloc(unsigned long bytes);
extern "C" __device__ void free(void *memory);

enum { slots = 4 };

INLINE unsigned mix(unsigned x) {
  x = (x ^ x >> 16) * 0x21f0aaadu;
  x = (x ^ x >> 15) * 0x735a2d97u;
  return x ^ x >> 15;
}

INLINE bool holds(const unsigned *memory, unsigned words, unsigned mark) {
  return memory[0] == mark && memory[words / 2] == mark && memory[words - 1] == mark;
}

// In each round a thread gives back what is in one of its slots, if that still holds
// what it wrote there, and allocates from least to most bytes, or only up to few.
extern "C" __global__ void rounds(unsigned **held, unsigned *sizes, int count, unsigned least, unsigned few, unsigned most, unsigned *wrong, unsigned *none) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned random = mix(thread + 1);
#pragma unroll 1
  for (int round = 0; round < count; round++) {
    random = mix(random + round);
    unsigned at = thread * slots + random % slots;
    if (held[at] != nullptr) {
      if (!holds(held[at], sizes[at] / 4, at)) atomicAdd(wrong, 1u);
      free(held[at]);
    }
    unsigned words = least / 4 + (random >> 8) % (((random & 16 ? most : few) - least) / 4 + 1);
    unsigned *memory = (unsigned *)malloc(4 * words);
    held[at] = memory;
    sizes[at] = 4 * words;
    if (memory == nullptr) {
      atomicAdd(none, 1u);
      continue;
    }
    memory[0] = memory[words / 2] = memory[words - 1] = at;
  }
}

// Gives all back.
extern "C" __global__ void release(unsigned **held, unsigned *sizes, unsigned *wrong) {
  unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (held[at] != nullptr && !holds(held[at], sizes[at] / 4, at)) atomicAdd(wrong, 1u);
  free(held[at]);
  held[at] = nullptr;
}
