// A step of finite differences in three dimensions: a star of four points to every
// side.
#include "cotenant.h"

enum { radius = 4, tile_x = 32, tile_y = 16, pitch = tile_x + 2 * radius };

// The loop over planes is unrolled so far, as in the SDK: then the registers of the
// nearest planes change roles and not places.
enum { planes_at_once = 2 * radius + 1 };

// The weights of the point itself and of those one to four steps away.
extern "C" {
__constant__ float weights[radius + 1];
}

// A volume of nx by ny by nz points with radius more on every side, x fastest; from
// and to begin with these. A TB takes a tile of a plane through all planes, the
// nearest planes' points of a thread in its registers. Threads beyond the volume read
// what lies behind a row or a plane, and write nothing. Block 32x16.
extern "C" __global__ void FiniteDifferences(float *to, const float *from, int nx, int ny, int nz) {
  __shared__ float tile[tile_y + 2 * radius][pitch];
  int thread_x = threadIdx.x, thread_y = threadIdx.y, width = blockDim.x, height = blockDim.y;
  int x = blockIdx.x * width + thread_x, y = blockIdx.y * height + thread_y;
  int row = nx + 2 * radius, plane = row * (ny + 2 * radius);
  bool reads = x < nx + radius && y < ny + radius, writes = x < nx && y < ny;

  int ahead_at = (y + radius) * row + x + radius;
  float behind[radius], here, ahead[radius];
#pragma unroll
  for (int i = radius - 2; i >= 0; i--, ahead_at += plane)
    if (reads) behind[i] = from[ahead_at];
  if (reads) here = from[ahead_at];
  int at = ahead_at;
  ahead_at += plane;
#pragma unroll
  for (int i = 0; i < radius; i++, ahead_at += plane)
    if (reads) ahead[i] = from[ahead_at];

  float *middle = &tile[thread_y + radius][thread_x + radius];
  auto step = [&] {
#pragma unroll
    for (int i = radius - 1; i > 0; i--) behind[i] = behind[i - 1];
    behind[0] = here;
    here = ahead[0];
#pragma unroll
    for (int i = 0; i < radius - 1; i++) ahead[i] = ahead[i + 1];
    if (reads) ahead[radius - 1] = from[ahead_at];
    ahead_at += plane;
    at += plane;
    __syncthreads();
    if (thread_y < radius) {
      middle[-radius * pitch] = from[at - radius * row];
      middle[height * pitch] = from[at + height * row];
    }
    if (thread_x < radius) {
      middle[-radius] = from[at - radius];
      middle[width] = from[at + width];
    }
    *middle = here;
    __syncthreads();
    float sum = weights[0] * here;
#pragma unroll
    for (int i = 1; i <= radius; i++)
      sum += weights[i] * (ahead[i - 1] + behind[i - 1] + middle[-i * pitch] + middle[i * pitch] + middle[-i] + middle[i]);
    if (writes) to[at] = sum;
  };
  int z = 0;
#pragma unroll 1
  for (; z <= nz - planes_at_once; z += planes_at_once)
#pragma unroll
    for (int i = 0; i < planes_at_once; i++) step();
#pragma unroll 1
  for (; z < nz; z++) step();
}
