// C = alpha * A * transpose(B) + beta * C, single precision, column-major.
//
// A TB makes a tile of 128 rows and 16 columns. A thread makes one row of it:
// it keeps 16 sums in registers, reads its row of A straight from memory
// (neighbouring threads read neighbouring elements), and shares with the others
// a slice of B, 8 deep and 16 wide.
#include "cotenant.h"

enum { rows = 128, cols = 16, depth = 8 };

// Block 16x8. m = gridDim.x * 128, n = gridDim.y * 16, k a multiple of 8.
extern "C" __global__ void mysgemmNT(const float *__restrict__ a, int lda, const float *__restrict__ b, int ldb,
                                     float *__restrict__ c, int ldc, int k, float alpha, float beta) {
  __shared__ float4 slice[depth][cols / 4];
  int thread = threadIdx.y * cols + threadIdx.x;
  int row = blockIdx.x * rows + thread;
  int col = blockIdx.y * cols;

  float sum[cols];
#pragma unroll
  for (int j = 0; j < cols; j++) sum[j] = 0;

  for (int step = 0; step < k; step += depth) {
    ((float *)slice)[thread] = b[col + threadIdx.x + (step + threadIdx.y) * ldb];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < depth; i++) {
      float left = a[row + (step + i) * lda];
#pragma unroll
      for (int j = 0; j < cols / 4; j++) {
        float4 right = slice[i][j];
        sum[4 * j] += left * right.x;
        sum[4 * j + 1] += left * right.y;
        sum[4 * j + 2] += left * right.z;
        sum[4 * j + 3] += left * right.w;
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < cols; j++) {
    int at = row + (col + j) * ldc;
    c[at] = beta * c[at] + alpha * sum[j];
  }
}
