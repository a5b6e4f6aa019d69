// Sums of absolute differences for the motion search of H.264: for every block
// of the current frame, in seven sizes, against every position of the reference
// frame up to 16 pixels away in each direction.
//
// A macroblock of 16x16 pixels has 41 blocks, each with its 1089 sums padded to
// 1096: first the one of 16x16, then two of 16x8, two of 8x16, four of 8x8,
// eight of 8x4, eight of 4x8 and sixteen of 4x4. The last three lie quadrant by
// quadrant, so that a quadrant's blocks are neighbours.
#include "cotenant.h"

enum {
  range = 16, side = 2 * range + 1, positions = side * side, padded = 1096, blocks = 41, per_thread = 18,
  of_16x8 = 1, of_8x16 = 3, of_8x8 = 5, of_8x4 = 9, of_4x8 = 17, of_4x4 = 25,
};

INLINE int difference(int a, int b) { return __builtin_elementwise_abs(a - b); }

// The 4x4 blocks, one TB each: the grid is a quarter of the frame's size.
// Block 61; a thread does 18 positions that follow one another, three at a time,
// so that a pixel it loads serves up to three. Neighbouring threads are 18
// positions apart, so a warp's fetches spread over 18 rows. The reference is a
// texture whose pixels outside are those of its border.
extern "C" __global__ void mbsadcalc(const unsigned short *current, texture_t reference, int width,
                                     unsigned short *out) {
  __shared__ __attribute__((aligned(8))) unsigned short sums[padded];
  __shared__ unsigned short pixels[16];
  int thread = threadIdx.x;
  int x0 = blockIdx.x * 4, y0 = blockIdx.y * 4;
  if (thread < 16) pixels[thread] = current[(y0 + thread / 4) * width + x0 + thread % 4];
  if (thread < padded - positions) sums[positions + thread] = 0;
  __syncthreads();

  int first = thread * per_thread, end = min(first + per_thread, (int)positions);
  int dx = first % side, top = y0 - range + first / side;
  for (int position = first; position < end; position += 3) {
    int left = x0 - range + dx;
    int sum0 = 0, sum1 = 0, sum2 = 0;
#pragma unroll
    for (int y = 0; y < 4; y++) {
      int near[6];
#pragma unroll
      for (int x = 0; x < 6; x++) near[x] = texel(reference, left + x, top + y);
#pragma unroll
      for (int x = 0; x < 4; x++) {
        int pixel = pixels[4 * y + x];
        sum0 += difference(pixel, near[x]);
        sum1 += difference(pixel, near[x + 1]);
        sum2 += difference(pixel, near[x + 2]);
      }
    }
    sums[position] = sum0;
    sums[position + 1] = sum1;
    sums[position + 2] = sum2;
    dx += 3;
    if (dx >= side) {
      dx -= side;
      top++;
    }
  }
  __syncthreads();

  // The first warp stores the sums, four at a time.
  int macroblock = (blockIdx.y / 4) * (gridDim.x / 4) + blockIdx.x / 4;
  int quadrant = blockIdx.y % 4 / 2 * 2 + blockIdx.x % 4 / 2;
  int block = of_4x4 + quadrant * 4 + blockIdx.y % 2 * 2 + blockIdx.x % 2;
  uint2 *to = (uint2 *)out + (macroblock * blocks + block) * (padded / 4);
  if (thread < 32)
    for (int i = thread; i < padded / 4; i += 32) to[i] = ((uint2 *)sums)[i];
}

// Four neighbouring sums: two words of two each. No sum exceeds 16 bits, so one
// addition adds two of them.
INLINE uint2 operator+(uint2 a, uint2 b) {
  a.x += b.x;
  a.y += b.y;
  return a;
}

// The 8x4, 4x8 and 8x8 blocks of a macroblock, one TB each. Block 32x4, y is
// the quadrant.
extern "C" __global__ void largersadcalc8(uint2 *sums) {
  const int stride = padded / 4;
  int quadrant = threadIdx.y;
  uint2 *of = sums + (blockIdx.y * gridDim.x + blockIdx.x) * blocks * stride;
  const uint2 *from = of + (of_4x4 + 4 * quadrant) * stride;
  for (int i = threadIdx.x; i < stride; i += 32) {
    uint2 a = from[i], b = from[stride + i], c = from[2 * stride + i], d = from[3 * stride + i];
    uint2 upper = a + b, lower = c + d;
    of[(of_8x4 + 2 * quadrant) * stride + i] = upper;
    of[(of_8x4 + 2 * quadrant + 1) * stride + i] = lower;
    of[(of_4x8 + 2 * quadrant) * stride + i] = a + c;
    of[(of_4x8 + 2 * quadrant + 1) * stride + i] = b + d;
    of[(of_8x8 + quadrant) * stride + i] = upper + lower;
  }
}

// The 16x8, 8x16 and 16x16 blocks of a macroblock, one TB each. Block 32.
extern "C" __global__ void largersadcalc16(uint2 *sums) {
  const int stride = padded / 4;
  uint2 *of = sums + (blockIdx.y * gridDim.x + blockIdx.x) * blocks * stride;
  const uint2 *from = of + of_8x8 * stride;
  for (int i = threadIdx.x; i < stride; i += 32) {
    uint2 a = from[i], b = from[stride + i], c = from[2 * stride + i], d = from[3 * stride + i];
    uint2 upper = a + b, lower = c + d;
    of[of_16x8 * stride + i] = upper;
    of[(of_16x8 + 1) * stride + i] = lower;
    of[of_8x16 * stride + i] = a + c;
    of[(of_8x16 + 1) * stride + i] = b + d;
    of[i] = upper + lower;
  }
}
