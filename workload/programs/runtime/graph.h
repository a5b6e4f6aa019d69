// Graphs: what graph.c and capture.c share.
#ifndef COTENANT_GRAPH_H
#define COTENANT_GRAPH_H

#include "runtime.h"

// A node: a command, and the nodes that come before it.
struct CUgraphNode_st {
  enum cudaGraphNodeType type;
  struct CUgraphNode_st **before;
  size_t befores;
  const struct CUgraphNode_st *origin; // of a graph's copy: the node that it copies
  union {
    struct {
      struct cotenant_kernel *kernel;
      dim3 grid, block;
      size_t shared;
      uint64_t flags;
      void *parameters;
    } launch;
    struct cudaMemcpy3DParms copy;
    struct cudaMemsetParams fill;
    struct cudaHostNodeParams call;
    struct CUgraph_st *child;
  };
};

struct CUgraph_st {
  struct CUgraphNode_st **nodes; // each behind those that it waits for
  size_t count;
};

// cotenant_node adds a node to a graph, behind others.
struct CUgraphNode_st *cotenant_node(struct CUgraph_st *graph, enum cudaGraphNodeType type,
                                     struct CUgraphNode_st *const *before, size_t count);

// cotenant_precede lets a node come before another.
void cotenant_precede(struct CUgraphNode_st *node, struct CUgraphNode_st *before);

#endif
