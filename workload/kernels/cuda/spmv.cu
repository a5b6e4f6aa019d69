// y = A * x for a sparse matrix in padded, transposed jagged diagonals: rows
// sorted by length, groups of 32 rows padded to the longest of the group, the
// n-th nonzeros of all rows stored next to each other.
#include "cotenant.h"

enum { max_diagonals = 4096, max_groups = 8192 };

// diagonal_start[n] is where the n-th nonzeros begin; group_length[g] is the
// padded length of the rows of group g.
extern "C" {
__constant__ int diagonal_start[max_diagonals];
__constant__ int group_length[max_groups];
}

// One thread for each row, in sorted order; row_of[i] is the row's number.
extern "C" __global__ void spmvjds(float *y, const float *values,
                                   const int *columns, const int *row_of,
                                   const float *x, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int length = group_length[row / 32];
  float sum = 0;
  for (int n = 0; n < length; n++) {
    int at = diagonal_start[n] + row;
    sum += values[at] * x[columns[at]];
  }
  y[row_of[row]] = sum;
}
