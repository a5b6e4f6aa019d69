// A histogram of 1,024 bins over floating-point numbers, without atomic operations
// on shared memory.
#include "tagged.h"
#include "work.h"

enum { bins = 1024, warps = 3 };

// Counts into one histogram for each of a TB's three warps, 12,288 bytes in all,
// which are added to the result at the end. Block 96.
extern "C" __global__ void histogram1024(const float *__restrict__ data, int length, float low, float per_bin,
                                               unsigned *result, int turns) {
  __shared__ unsigned counts[warps * bins];
  for (int i = threadIdx.x; i < warps * bins; i += warps * 32) counts[i] = 0;
  __syncthreads();

  unsigned *own = counts + threadIdx.x / 32 * bins;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += blockDim.x * gridDim.x) {
    int bin = min(max((int)((data[i + work(turns)] - low) * per_bin), 0), bins - 1);
    count(own, bin);
  }
  __syncthreads();

  for (int bin = threadIdx.x; bin < bins; bin += warps * 32) {
    unsigned sum = 0;
    for (int warp = 0; warp < warps; warp++) sum += counts[warp * bins + bin] & count_mask;
    atomicAdd(&result[bin], sum);
  }
}
