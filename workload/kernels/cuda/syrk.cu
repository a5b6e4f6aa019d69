// A symmetric matrix updated by the product of a matrix and its transpose: all of
// it, one thread for each element, straight from global memory.
#include "cotenant.h"

// C = alpha A A^T + beta C; A has n rows of m, C n rows of n. Threads side by side
// read the rows of A that are one below the other. The sum grows in C itself:
// volatile keeps it there. Block 32x8.
extern "C" __global__ void syrk_kernel(const float *__restrict__ a, volatile float *c, int n, int m, float alpha,
                                       float beta) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n) return;
  volatile float *sum = c + row * n + column;
  const float *left = a + row * m, *right = a + column * m;
  *sum *= beta;
#pragma unroll 1
  for (int k = 0; k < m; k++) *sum += alpha * left[k] * right[k];
}
