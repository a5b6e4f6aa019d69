// y = W x in half precision, with sums in single precision: what a layer does for one token. W
// lies in n rows of k. A warp makes two elements of y; a lane loads 16 bytes of each row at a time.
#include "half.h"

enum { warp_rows = 2 };

// Block 128, n = gridDim.x * 8, k a multiple of 8.
extern "C" __global__ void gemv_f16(const half *__restrict__ w, const half *__restrict__ x, half *__restrict__ y, int k) {
  unsigned thread = threadIdx.x, lane = thread % 32, row = (blockIdx.x * 4 + thread / 32) * warp_rows;
  const half *first = w + (long long)row * k, *second = first + k;
  float sum[warp_rows] = {0, 0};
  for (int at = lane * 8; at < k; at += 32 * 8) {
    float8 a = load8(first + at), b = load8(second + at), v = load8(x + at);
#pragma unroll
    for (int i = 0; i < 8; i++) {
      sum[0] += a.at[i] * v.at[i];
      sum[1] += b.at[i] * v.at[i];
    }
  }
  float a = sum_of(sum[0]), b = sum_of(sum[1]);
  if (lane == 0) *(unsigned *)&y[row] = pack(a, b);
}
