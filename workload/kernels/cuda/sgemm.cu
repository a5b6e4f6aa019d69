// C = alpha * A * transpose(B) + beta * C, single precision, column-major.
//
// A TB makes a tile of 128 rows and 16 columns. A thread makes one row of it:
// it keeps 16 sums in registers, reads its row of A straight from memory
// (neighbouring threads read neighbouring elements), and shares with the TB's
// threads a slice of B, 8 deep and 16 wide.
//
// As in Parboil's source (sgemm/src/cuda) no pointer is __restrict__, so loads are
// plain ones, and a word of the slice is loaded at a time. The K20c's published time
// is that of these loads, at one warp a cycle. The loop over the slice stays a loop.
#include "cotenant.h"

enum { rows = 128, cols = 16, depth = 8 };

// Block 16x8. m = gridDim.x * 128, n = gridDim.y * 16, k a multiple of 8.
extern "C" __global__ void mysgemmNT(const float *a, int lda, const float *b, int ldb, float *c, int ldc, int k,
                                     float alpha, float beta) {
  __shared__ float slice[depth][cols];
  int thread = threadIdx.y * cols + threadIdx.x;
  int row = blockIdx.x * rows + thread;
  int col = blockIdx.y * cols;

  float sum[cols];
#pragma unroll
  for (int j = 0; j < cols; j++) sum[j] = 0;

  for (int step = 0; step < k; step += depth) {
    slice[threadIdx.y][threadIdx.x] = b[col + threadIdx.x + (step + threadIdx.y) * ldb];
    __syncthreads();
    int i = 0;
    do { // with its test at the end clang makes one branch a turn, not two
      float left = a[row + (step + i) * lda];
#pragma unroll
      for (int j = 0; j < cols; j++) sum[j] += left * slice[i][j];
    } while (++i < depth);
    __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < cols; j++) {
    int at = row + (col + j) * ldc;
    c[at] = beta * c[at] + alpha * sum[j];
  }
}
