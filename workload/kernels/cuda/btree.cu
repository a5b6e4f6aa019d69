// Queries to a B+ tree, one TB each: a thread for each key of a node.
#include "cotenant.h"

enum { order = 256, header = 2, keys_at = header, links_at = keys_at + order + 1, node_words = links_at + order + 1 };

// A node is header words, order + 1 keys and as many links. Thread t stands for
// the keys from its key up to below the next one: of an inner node they are in the
// node that its link names, and of a leaf its link is the record of its key.
// Behind a node's last key are keys larger than all.

// Finds the record of each query's key, -1 if there is none. current and next have
// the node that a query is at, and goes to. Block 256.
extern "C" __global__ void findK(int height, const int *__restrict__ nodes, const int *__restrict__ records, int *current,
                                 int *next, const int *__restrict__ keys, int *answers) {
  int thread = threadIdx.x, query = blockIdx.x;
  for (int level = 1; level < height; level++) {
    const int *node = nodes + current[query] * node_words;
    if (node[keys_at + thread] <= keys[query] && node[keys_at + thread + 1] > keys[query])
      next[query] = node[links_at + thread];
    __syncthreads();
    if (thread == 0) current[query] = next[query];
    __syncthreads();
  }
  const int *leaf = nodes + current[query] * node_words;
  if (leaf[keys_at + thread] == keys[query]) answers[query] = records[leaf[links_at + thread]];
}

// Finds the first record of each query's range of keys and the number of them;
// both ends are keys of the tree. The nodes of the ends are looked for at once.
// Block 256.
extern "C" __global__ void findRangeK(int height, const int *__restrict__ nodes, int *current, int *next, int *current_last,
                                      int *next_last, const int *__restrict__ first, const int *__restrict__ last,
                                      int *start, int *length) {
  int thread = threadIdx.x, query = blockIdx.x;
  for (int level = 1; level < height; level++) {
    const int *node = nodes + current[query] * node_words;
    if (node[keys_at + thread] <= first[query] && node[keys_at + thread + 1] > first[query])
      next[query] = node[links_at + thread];
    node = nodes + current_last[query] * node_words;
    if (node[keys_at + thread] <= last[query] && node[keys_at + thread + 1] > last[query])
      next_last[query] = node[links_at + thread];
    __syncthreads();
    if (thread == 0) {
      current[query] = next[query];
      current_last[query] = next_last[query];
    }
    __syncthreads();
  }
  const int *leaf = nodes + current[query] * node_words;
  if (leaf[keys_at + thread] == first[query]) start[query] = leaf[links_at + thread];
  __syncthreads();
  leaf = nodes + current_last[query] * node_words;
  if (leaf[keys_at + thread] == last[query]) length[query] = leaf[links_at + thread] - start[query] + 1;
}
