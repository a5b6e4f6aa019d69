// y = W x with weights of four bits. A block of 32 weights has 16 bytes and a scale of half
// precision: weight i is the scale times (q - 8), where q is the lower half of byte i, or from 16
// on the upper half of byte i - 16. x is quantized first, 32 numbers at a time, to signed bytes
// and a scale, so that dp4a multiplies four pairs at once.
#include "half.h"

enum { block_size = 32, warp_rows = 2 };

// Adds the products of four signed bytes.
INLINE int dot4(unsigned a, unsigned b, int sum) {
  __asm__("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
  return sum;
}

INLINE int nearest(float x) {
  int i;
  __asm__("cvt.rni.s32.f32 %0, %1;" : "=r"(i) : "f"(x));
  return i;
}

// A warp for each block of x: its scale, and 8 times the scale times the sum of its bytes, which
// is what the weights' offset takes away. Block 128, k = gridDim.x * 128.
extern "C" __global__ void quantize_q8(const half *x, signed char *q, float2 *scale) {
  unsigned at = blockIdx.x * 128 + threadIdx.x;
  float v = to_float(x[at]);
  float step = max_of(v < 0 ? -v : v) * (1 / 127.0f);
  int byte = step > 0 ? nearest(v / step) : 0;
  float sum = sum_of((float)byte);
  q[at] = (signed char)byte;
  if (at % block_size == 0) scale[at / block_size] = {step, 8 * step * sum};
}

// The 16 lower or upper halves of the bytes, as bytes.
INLINE int dot16(uint4 w, uint4 x, int sum) {
  const unsigned halves = 0x0f0f0f0f;
  return dot4(w.w & halves, x.w, dot4(w.z & halves, x.z, dot4(w.y & halves, x.y, dot4(w.x & halves, x.x, sum))));
}

// A warp makes two elements of y; a lane takes a block of both rows at a time.
// Block 128, n = gridDim.x * 8, k a multiple of 32.
extern "C" __global__ void gemv_q4(const uint4 *__restrict__ w, const half *__restrict__ w_scale, const signed char *__restrict__ q,
                                   const float2 *__restrict__ scale, half *__restrict__ y, int k) {
  unsigned thread = threadIdx.x, lane = thread % 32, row = (blockIdx.x * 4 + thread / 32) * warp_rows;
  int blocks = k / block_size;
  float sum[warp_rows] = {0, 0};
  for (int at = lane; at < blocks; at += 32) {
    uint4 lower = load16(q + at * block_size), upper = load16(q + at * block_size + 16);
    float2 x = scale[at];
#pragma unroll
    for (int i = 0; i < warp_rows; i++) {
      long long block = (long long)(row + i) * blocks + at;
      uint4 b = load16(w + block);
      int dot = dot16(b, lower, 0);
      dot = dot16({b.x >> 4, b.y >> 4, b.z >> 4, b.w >> 4}, upper, dot);
      sum[i] += to_float(w_scale[block]) * (x.x * (float)dot - x.y);
    }
  }
  float a = sum_of(sum[0]), b = sum_of(sum[1]);
  if (lane == 0) *(unsigned *)&y[row] = pack(a, b);
}
