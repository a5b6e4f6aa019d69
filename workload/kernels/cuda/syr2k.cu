// A symmetric matrix updated by the product of two matrices, one transposed, and
// by that with their parts exchanged: all of it, one thread for each element,
// straight from global memory.
#include "cotenant.h"

// C = alpha (A B^T + B A^T) + beta C; A and B have n rows of m, C n rows of n. The
// sum grows in C itself: volatile keeps it there. Block 32x8.
extern "C" __global__ void syr2k_kernel(const float *__restrict__ a, const float *__restrict__ b, volatile float *c,
                                        int n, int m, float alpha, float beta) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n) return;
  volatile float *sum = c + row * n + column;
  int left = row * m, right = column * m;
  *sum *= beta;
#pragma unroll 1
  for (int k = 0; k < m; k++)
    *sum += alpha * a[left + k] * b[right + k] + alpha * b[left + k] * a[right + k];
}
