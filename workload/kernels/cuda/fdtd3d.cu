// A step of finite differences in three dimensions: a star of four points to every
// side.
#include "cotenant.h"

enum { radius = 4, tile_x = 32, tile_y = 16 };

// The weights of the point itself and of those one to four steps away.
extern "C" {
__constant__ float weights[radius + 1];
}

// A volume of nx by ny by nz points with radius more on every side, x fastest; from
// and to point to the first of all. A TB takes a tile of a plane through all planes,
// the nearest planes' points of a thread in its registers. Block 32x16.
extern "C" __global__ void FiniteDifferences(float *__restrict__ to, const float *__restrict__ from, int nx, int ny,
                                                   int nz) {
  __shared__ float tile[tile_y + 2 * radius][tile_x + 2 * radius];
  int thread_x = threadIdx.x, thread_y = threadIdx.y;
  int x = blockIdx.x * tile_x + thread_x, y = blockIdx.y * tile_y + thread_y;
  int row = nx + 2 * radius, plane = row * (ny + 2 * radius);
  bool reads = x < nx + radius && y < ny + radius, writes = x < nx && y < ny;
  bool above = thread_y < radius && x < nx, below = above && y + tile_y < ny + radius;
  bool left = thread_x < radius && y < ny, right = left && x + tile_x < nx + radius;

  int at = (y + radius) * row + x + radius;
  float behind[radius], here = 0, ahead[radius];
#pragma unroll
  for (int i = radius - 1; i >= 0; i--, at += plane) behind[i] = reads ? from[at] : 0;
  if (reads) here = from[at];
#pragma unroll
  for (int i = 0; i < radius; i++) ahead[i] = reads ? from[at + (i + 1) * plane] : 0;

  float *middle = &tile[thread_y + radius][thread_x + radius];
#pragma unroll 1
  for (int z = 0; z < nz; z++, at += plane) {
    *middle = here;
    if (above) middle[-radius * (tile_x + 2 * radius)] = from[at - radius * row];
    if (below) middle[tile_y * (tile_x + 2 * radius)] = from[at + tile_y * row];
    if (left) middle[-radius] = from[at - radius];
    if (right) middle[tile_x] = from[at + tile_x];
    __syncthreads();
    float sum = weights[0] * here;
#pragma unroll
    for (int i = 1; i <= radius; i++)
      sum += weights[i] * (ahead[i - 1] + behind[i - 1] + middle[-i * (tile_x + 2 * radius)] +
                           middle[i * (tile_x + 2 * radius)] + middle[-i] + middle[i]);
    if (writes) to[at] = sum;
    __syncthreads();
#pragma unroll
    for (int i = radius - 1; i > 0; i--) behind[i] = behind[i - 1];
    behind[0] = here;
    here = ahead[0];
#pragma unroll
    for (int i = 0; i < radius - 1; i++) ahead[i] = ahead[i + 1];
    if (reads && z < nz - 1) ahead[radius - 1] = from[at + (radius + 1) * plane];
  }
}
