// Breadth-first search, one launch for each level: the threads expand the nodes
// of the frontier, and what they find is the next frontier.
#include "cotenant.h"

enum { unseen = -1, queue_entries = 2048 };

// Expands frontier[0..count-1] into next[0..*next_count-1]. offset[v] to
// offset[v+1] are the edges of node v. A TB collects what it finds in shared
// memory, so that the global counter is touched once for each TB.
extern "C" __global__ void BFS_kernel(const int *frontier, int count, int *next,
                                      int *next_count, const int *offset, const int *edges,
                                      int *level, int depth) {
  __shared__ int found[queue_entries];
  __shared__ int found_count, base;
  if (threadIdx.x == 0) found_count = 0;
  __syncthreads();

  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    int node = frontier[i];
    int end = offset[node + 1];
#pragma unroll 1
    for (int e = offset[node]; e < end; e++) {
      int to = edges[e];
      if (level[to] != unseen) continue;
      // Several threads may find a node at once; one of them queues it.
      if (atomicExch(&level[to], depth) != unseen) continue;
      int at = atomicAdd(&found_count, 1);
      if (at < queue_entries)
        found[at] = to;
      else
        next[atomicAdd(next_count, 1)] = to;
    }
  }
  __syncthreads();

  int n = min(found_count, (int)queue_entries);
  if (threadIdx.x == 0) base = atomicAdd(next_count, n);
  __syncthreads();
  for (int at = threadIdx.x; at < n; at += blockDim.x) next[base + at] = found[at];
}
