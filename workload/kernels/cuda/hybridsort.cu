// The bucket sort of a hybrid sort: numbers are put into 1,024 buckets by pivots,
// which another sort would then sort each.
#include "tagged.h"

enum { buckets = 1024, levels = 10, threads = 32 };

// Counts each TB's part of the list in shared memory and notes, for each number,
// how many of its bucket came before it, in the upper bits, and the bucket. pivots
// is a texture: bucket b is from pivot b - 1 up to below pivot b. A thread looks for
// the buckets of two numbers at a time. Block 32.
extern "C" __global__ void bucketcount(const float *__restrict__ list, int *places, unsigned *counts, int length,
                                       texture_t pivots) {
  __shared__ unsigned counted[buckets];
  for (int i = threadIdx.x; i < buckets; i += threads) counted[i] = 0;
  __syncthreads();

  int step = gridDim.x * threads;
  for (int i = blockIdx.x * threads + threadIdx.x; i < length; i += 2 * step) {
    int other = min(i + step, length - 1);
    float number[] = {list[i], list[other]};
    int bucket[] = {0, 0};
#pragma unroll
    for (int half = buckets / 2; half > 0; half /= 2)
#pragma unroll
      for (int n = 0; n < 2; n++)
        if (number[n] >= texel(pivots, bucket[n] + half - 1)) bucket[n] += half;
    places[i] = count(counted, bucket[0]) << levels | bucket[0];
    if (i + step < length) places[other] = count(counted, bucket[1]) << levels | bucket[1];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < buckets; i += threads) counts[blockIdx.x * buckets + i] = counted[i] & count_mask;
}

// Replaces the TBs' counts of each bucket by those of the TBs before, and gets the
// size of the bucket. One thread for each, block 128.
extern "C" __global__ void bucketprefix(unsigned *counts, unsigned *sizes, int tbs) {
  int bucket = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = 0;
  for (int tb = 0; tb < tbs; tb++) {
    unsigned count = counts[tb * buckets + bucket];
    counts[tb * buckets + bucket] = sum;
    sum += count;
  }
  sizes[bucket] = sum;
}

// Puts every number into its bucket. Grid and block are bucketcount's.
extern "C" __global__ void bucketsort(const float *__restrict__ list, const int *__restrict__ places, float *sorted,
                                      const unsigned *__restrict__ counts, const unsigned *__restrict__ starts, int length) {
  __shared__ unsigned from[buckets];
  for (int i = threadIdx.x; i < buckets; i += threads) from[i] = starts[i] + counts[blockIdx.x * buckets + i];
  __syncthreads();
  for (int i = blockIdx.x * threads + threadIdx.x; i < length; i += gridDim.x * threads) {
    unsigned place = places[i];
    sorted[from[place % buckets] + (place >> levels)] = list[i];
  }
}
