// In how many ways queens can stand on the rows that are left of a chess board, none
// attacking another.
#include "cotenant.h"

enum { threads = 96, depth = 10 };

// A thread for each way to fill the first rows: which columns the queens there take,
// and which fields of the next row are attacked from the upper right and left. It
// goes through the rows that are left, depth at most, with stacks in shared memory;
// what a TB finds is summed up. Block 96.
extern "C" __global__ void solve_nqueen(int width, int rows, const unsigned *__restrict__ columns,
                                                    const unsigned *__restrict__ from_right,
                                                    const unsigned *__restrict__ from_left, int starts,
                                                    unsigned *found) {
  __shared__ unsigned column[threads][depth], right[threads][depth], left[threads][depth], open[threads][depth];
  __shared__ unsigned sums[threads];
  int thread = threadIdx.x, start = blockIdx.x * threads + thread;
  unsigned board = (1u << width) - 1, solutions = 0;
  if (start < starts) {
    int row = 0;
    column[thread][0] = columns[start];
    right[thread][0] = from_right[start];
    left[thread][0] = from_left[start];
    open[thread][0] = board & ~(columns[start] | from_right[start] | from_left[start]);
    while (row >= 0) {
      unsigned free = open[thread][row];
      if (free == 0) {
        row--;
        continue;
      }
      unsigned queen = free & -free;
      open[thread][row] = free & ~queen;
      if (row == rows - 1) {
        solutions++;
        continue;
      }
      unsigned taken = column[thread][row] | queen;
      unsigned down_right = (right[thread][row] | queen) >> 1, down_left = (left[thread][row] | queen) << 1;
      row++;
      column[thread][row] = taken;
      right[thread][row] = down_right;
      left[thread][row] = down_left;
      open[thread][row] = board & ~(taken | down_right | down_left);
    }
  }
  sums[thread] = solutions;
  __syncthreads();
  if (thread < 32) sums[thread] += sums[thread + 32] + sums[thread + 64];
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread == 0) found[blockIdx.x] = sums[0];
}
