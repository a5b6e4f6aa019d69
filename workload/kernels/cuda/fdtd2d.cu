// The finite-difference time-domain method in a plane: the electric field in x
// and y and the magnetic one, which stand on it, in turn. A thread does one point,
// block 32x8.
#include "cotenant.h"

enum { none = -1 };

// The place of the thread's point in fields of width * height; none outside.
INLINE int place(int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  return x < width && y < height ? y * width + x : none;
}

// The electric field in y: its first row is the source's.
extern "C" __global__ void fdtd_step1_kernel(const float *__restrict__ source, float *ey, const float *__restrict__ hz,
                                             int step, int width, int height) {
  int at = place(width, height);
  if (at == none) return;
  if (at < width)
    ey[at] = source[step];
  else
    ey[at] -= 0.5f * (hz[at] - hz[at - width]);
}

// The electric field in x, whose first column stays.
extern "C" __global__ void fdtd_step2_kernel(float *ex, const float *__restrict__ hz, int width, int height) {
  int at = place(width, height);
  if (at == none || blockIdx.x * blockDim.x + threadIdx.x == 0) return;
  ex[at] -= 0.5f * (hz[at] - hz[at - 1]);
}

// The magnetic field, but for its last row and column, which stay.
extern "C" __global__ void fdtd_step3_kernel(const float *__restrict__ ex, const float *__restrict__ ey, float *hz,
                                             int width, int height) {
  int at = place(width - 1, height - 1);
  if (at == none) return;
  at += blockIdx.y * blockDim.y + threadIdx.y; // the columns that are left out
  hz[at] -= 0.7f * (ex[at + 1] - ex[at] + ey[at + width] - ey[at]);
}
