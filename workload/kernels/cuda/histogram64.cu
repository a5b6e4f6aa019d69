// A histogram of 64 bins over bytes: a thread counts in bytes of its own, and what
// they hold is added up before any can overflow.
#include "cotenant.h"

enum { threads = 64, bins = 64, words = 63 }; // 252 bytes for each thread

// Counts 63 words for each of a TB's threads into the result. Lanes 16 apart share a
// word of shared memory, and others none. Block 64.
extern "C" __global__ void histogram64Kernel(const unsigned *__restrict__ data, int length, unsigned *result) {
  __shared__ __attribute__((aligned(16))) unsigned char counts[bins * threads];
  int thread = threadIdx.x;
  unsigned *all = (unsigned *)counts;
#pragma unroll
  for (int i = 0; i < bins * threads / 4 / threads; i++) all[i * threads + thread] = 0;
  __syncthreads();

  unsigned char *own = counts + (thread % 16 * 4 + thread / 16);
  int end = min((blockIdx.x + 1) * (threads * words), length);
#pragma unroll 3
  for (int i = blockIdx.x * (threads * words) + thread; i < end; i += threads) {
    unsigned four = data[i];
    own[(four >> 2 & 63) * threads]++;
    own[(four >> 10 & 63) * threads]++;
    own[(four >> 18 & 63) * threads]++;
    own[(four >> 26 & 63) * threads]++;
  }
  __syncthreads();

  // A thread for each bin; neighbours begin in different banks.
  unsigned sum = 0;
#pragma unroll 4
  for (int i = 0; i < threads / 4; i++) {
    unsigned four = all[thread * (threads / 4) + (i + thread / 2) % (threads / 4)];
    sum += (four & 255) + (four >> 8 & 255) + (four >> 16 & 255) + (four >> 24);
  }
  atomicAdd(&result[thread], sum);
}
