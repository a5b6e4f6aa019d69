// Breadth-first search on a ring of 256 nodes with chords, a launch for each level, checked on the CPU.
#include "check.h"

enum { NODES = 256, DEGREE = 3 };

extern "C" __global__ void expand(const int *edges, int *level, int *more, int depth) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (level[node] != depth)
    return;
  for (int i = 0; i < DEGREE; i++) {
    int to = edges[node * DEGREE + i];
    if (level[to] < 0) {
      level[to] = depth + 1;
      *more = 1;
    }
  }
}

static int edges[NODES * DEGREE], level[NODES], want[NODES];

int main() {
  for (int i = 0; i < NODES; i++) {
    edges[i * DEGREE] = (i + 1) % NODES;
    edges[i * DEGREE + 1] = (i + NODES - 1) % NODES;
    edges[i * DEGREE + 2] = (i * 5 + 1) % NODES;
    level[i] = want[i] = i == 0 ? 0 : -1;
  }
  int *dedges, *dlevel, *dmore, more = 1;
  OK(cudaMalloc(&dedges, sizeof edges));
  OK(cudaMalloc(&dlevel, sizeof level));
  OK(cudaMalloc(&dmore, sizeof more));
  OK(cudaMemcpy(dedges, edges, sizeof edges, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dlevel, level, sizeof level, cudaMemcpyHostToDevice));
  for (int depth = 0; more; depth++) {
    more = 0;
    OK(cudaMemcpy(dmore, &more, sizeof more, cudaMemcpyHostToDevice));
    expand<<<NODES / 64, 64>>>(dedges, dlevel, dmore, depth);
    OK(cudaMemcpy(&more, dmore, sizeof more, cudaMemcpyDeviceToHost));
  }
  OK(cudaMemcpy(level, dlevel, sizeof level, cudaMemcpyDeviceToHost));
  for (int depth = 0, found = 1; found; depth++) {
    found = 0;
    for (int i = 0; i < NODES; i++)
      for (int e = 0; want[i] == depth && e < DEGREE; e++)
        if (want[edges[i * DEGREE + e]] < 0) {
          want[edges[i * DEGREE + e]] = depth + 1;
          found = 1;
        }
  }
  for (int i = 0; i < NODES; i++)
    CHECK(level[i] == want[i]);
  printf("PASSED\n");
  return 0;
}
