// Forces between the particles of a box in space: of those in the same cell and in
// the 26 cells around it, beyond which the potential is too small to count.
#include "cotenant.h"

enum { most = 100, threads = 128 }; // particles of a cell, threads of a TB

// A particle's half square of the distance from the origin and its place; the
// potential at it and the force on it.
struct __attribute__((aligned(8))) double4 { double v, x, y, z; };

// e to the x, for x from -700 to 0: a power of two, and a polynomial for what is
// left, half of ln 2 at most.
INLINE double exponential(double x) {
  double twos = __nvvm_floor_d(x * 1.4426950408889634 + 0.5);
  double r = x - twos * 0.6931471805599453;
  double sum = 1.0 / 39916800;
  const double terms[] = {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120,
                          1.0 / 24,      1.0 / 6,      1.0 / 2,     1.0,        1.0};
#pragma unroll
  for (int i = 0; i < 11; i++) sum = sum * r + terms[i];
  return sum * __nvvm_bitcast_ll2d((long long)(1023 + (int)twos) << 52);
}

// One TB for each cell, x fastest; block 128, of which as many threads work as a
// cell has particles. A thread adds what a neighbour does to its particle to the
// sums in memory, one neighbour after another: volatile keeps them there.
extern "C" __global__ void kernel_gpu_cuda(const double4 *__restrict__ places, const double *__restrict__ charges,
                                           volatile double4 *forces, int width, int height, int depth, int particles,
                                           double alpha) {
  __shared__ double4 home[most], near[most];
  __shared__ double charge[most];
  int thread = threadIdx.x, cell = blockIdx.x;
  int x0 = cell % width, y0 = cell / width % height, z0 = cell / width / height;
  bool busy = thread < particles;
  if (busy) home[thread] = places[cell * particles + thread];
  volatile double4 *own = forces + cell * particles + thread;
  double reach = 2 * alpha * alpha;

  for (int around = 0; around < 27; around++) {
    int x = x0 + around % 3 - 1, y = y0 + around / 3 % 3 - 1, z = z0 + around / 9 - 1;
    if (x < 0 || y < 0 || z < 0 || x >= width || y >= height || z >= depth) continue;
    int from = ((z * height + y) * width + x) * particles;
    if (busy) {
      near[thread] = places[from + thread];
      charge[thread] = charges[from + thread];
    }
    __syncthreads();
    if (busy) {
      double4 a = home[thread];
#pragma unroll 1
      for (int j = 0; j < particles; j++) {
        double4 b = near[j];
        double square = a.v + b.v - (a.x * b.x + a.y * b.y + a.z * b.z);
        double potential = exponential(-reach * square);
        double force = 2 * potential;
        own->v += charge[j] * potential;
        own->x += charge[j] * (force * (a.x - b.x));
        own->y += charge[j] * (force * (a.y - b.y));
        own->z += charge[j] * (force * (a.z - b.z));
      }
    }
    __syncthreads();
  }
}
