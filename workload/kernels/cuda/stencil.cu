// One Jacobi step of a 7-point stencil on a nx * ny * nz grid, x fastest.
//
// A thread walks one column along z with three of its values in registers, so
// that each is read once; the four neighbours in the plane come from memory,
// where the caches hold what the TB's other threads read.
#include "cotenant.h"

// Block 32x32, one thread for each column. Points of the boundary stay.
extern "C" __global__ void block2Dregtiling(float c0, float c1, const float *from, float *to,
                                            int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1) return;

  int plane = nx * ny;
  int at = y * nx + x;
  float below = from[at];
  float here = from[at + plane];
  for (int z = 1; z < nz - 1; z++) {
    at += plane;
    float above = from[at + plane];
    to[at] = (below + above + from[at - 1] + from[at + 1] + from[at - nx] + from[at + nx]) * c1 - here * c0;
    below = here;
    here = above;
  }
}
