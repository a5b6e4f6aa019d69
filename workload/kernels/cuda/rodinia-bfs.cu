// Breadth-first search over masks of all nodes, without a queue: two launches a
// level, in which most threads find nothing to do.
#include "work.h"

// Visits the neighbours of the nodes of the level, which mask marks: found is set
// of those that no level has had before. offset[v] to offset[v+1] are the edges of
// node v. One thread for each node, block 512.
extern "C" __global__ void Kernel(const int *__restrict__ offset, const int *__restrict__ edges, unsigned char *mask,
                                  unsigned char *found, const unsigned char *visited, int *cost, int nodes, int turns) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !mask[node + work(turns)]) return;
  mask[node] = 0;
  int end = offset[node + 1];
#pragma unroll 1
  for (int e = offset[node]; e < end; e++) {
    int to = edges[e];
    if (visited[to]) continue;
    cost[to] = cost[node] + 1;
    found[to] = 1;
  }
}

// Makes what was found the next level; more says that there is one.
extern "C" __global__ void Kernel2(unsigned char *mask, unsigned char *found, unsigned char *visited, int *more, int nodes,
                                   int turns) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || !found[node + work(turns)]) return;
  mask[node] = 1;
  visited[node] = 1;
  found[node] = 0;
  *more = 1;
}
