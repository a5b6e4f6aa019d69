// The cheapest way through a grid from its first row to its last: a step goes
// down one row, straight or to either side, and costs what the cell holds.
#include "work.h"

enum { block = 256 };

// Adds rows of the grid to the costs of the row before them, block 256. A TB
// does them all in shared memory: with each row one column at each end of its
// own is no longer known, so it starts from halo more on both sides than it
// writes, halo being the most rows of a launch.
extern "C" __global__ void dynproc_kernel(const int *__restrict__ wall, const int *__restrict__ from,
                                          int *__restrict__ to, int columns, int rows, int halo, int turns) {
  __shared__ int above[block], here[block];
  int thread = threadIdx.x;
  int column = blockIdx.x * (block - 2 * halo) - halo + thread;
  bool inside = column >= 0 && column < columns;
  int left = column == 0 ? thread : thread - 1;
  int right = column == columns - 1 ? thread : thread + 1;

  if (inside) above[thread] = from[column];
  __syncthreads();
  int cost = above[thread];
  for (int row = 0; row < rows; row++) {
    bool known = inside && thread > row && thread < block - 1 - row;
    if (known) {
      int cheapest = min(min(above[left], above[thread]), above[right]);
      cost = cheapest + wall[row * columns + column + work(turns)];
      here[thread] = cost;
    }
    __syncthreads();
    if (known) above[thread] = here[thread];
    __syncthreads();
  }
  if (inside && thread >= halo && thread < block - halo) to[column] = cost;
}
