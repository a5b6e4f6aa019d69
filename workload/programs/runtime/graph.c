// Graphs of commands (CUDA Runtime API, graph management). A launch puts the nodes into streams: a node
// goes on in the stream of one that it waits for, and into another stream if that has gone on already.
#include <stdlib.h>

#include "graph.h"

// An executable graph is a copy, and what its launches need.
struct CUgraphExec_st {
  struct CUgraph_st *graph;
  cudaStream_t *streams; // the first is the one of the launch
  cudaEvent_t *events;   // by node; NULL where nothing waits for one
  size_t *lanes;         // by node: index of its stream
  size_t stream_count;
  cudaEvent_t begin;
};

static void *allocated(size_t count, size_t size) {
  void *p = calloc(count > 0 ? count : 1, size);
  if (p == NULL)
    abort();
  return p;
}

void cotenant_precede(struct CUgraphNode_st *node, struct CUgraphNode_st *before) {
  node->before = realloc(node->before, (node->befores + 1) * sizeof *node->before);
  if (node->before == NULL)
    abort();
  node->before[node->befores++] = before;
}

struct CUgraphNode_st *cotenant_node(struct CUgraph_st *graph, enum cudaGraphNodeType type,
                                     struct CUgraphNode_st *const *before, size_t count) {
  struct CUgraphNode_st *node = allocated(1, sizeof *node);
  node->type = type;
  for (size_t i = 0; i < count; i++)
    cotenant_precede(node, before[i]);
  graph->nodes = realloc(graph->nodes, (graph->count + 1) * sizeof *graph->nodes);
  if (graph->nodes == NULL)
    abort();
  graph->nodes[graph->count++] = node;
  return node;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags) {
  (void)flags;
  *graph = allocated(1, sizeof **graph);
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (graph == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  for (size_t i = 0; i < graph->count; i++) {
    struct CUgraphNode_st *n = graph->nodes[i];
    if (n->type == cudaGraphNodeTypeKernel)
      free(n->launch.parameters);
    if (n->type == cudaGraphNodeTypeGraph)
      cudaGraphDestroy(n->child);
    free(n->before);
    free(n);
  }
  free(graph->nodes);
  free(graph);
  return cudaSuccess;
}

// parameters sets a kernel node's launch.
static cudaError_t parameters(struct CUgraphNode_st *node, const struct cudaKernelNodeParams *p) {
  struct cotenant_kernel *k;
  cudaError_t error = cotenant_kernel(p->func, &k);
  if (error != cudaSuccess)
    return error;
  if (p->extra != NULL || (p->kernelParams == NULL && k->is.parameters > 0))
    return cotenant_note(cudaErrorInvalidValue);
  free(node->launch.parameters);
  node->launch.kernel = k;
  node->launch.grid = p->gridDim;
  node->launch.block = p->blockDim;
  node->launch.shared = p->sharedMemBytes;
  node->launch.parameters = allocated(1, k->is.parameter_bytes);
  cotenant_pack(k, p->kernelParams, node->launch.parameters);
  return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaKernelNodeParams *p) {
  struct CUgraphNode_st first = {0};
  cudaError_t error = parameters(&first, p);
  if (error != cudaSuccess)
    return error;
  *node = cotenant_node(graph, cudaGraphNodeTypeKernel, before, count);
  (*node)->launch = first.launch;
  return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaMemcpy3DParms *p) {
  *node = cotenant_node(graph, cudaGraphNodeTypeMemcpy, before, count);
  (*node)->copy = *p;
  return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     size_t count, void *dst, const void *src, size_t bytes,
                                     enum cudaMemcpyKind kind) {
  struct cudaMemcpy3DParms p = {0};
  p.dstPtr.ptr = dst;
  p.srcPtr.ptr = (void *)src;
  p.dstPtr.pitch = p.srcPtr.pitch = p.extent.width = bytes;
  p.dstPtr.ysize = p.srcPtr.ysize = p.extent.height = p.extent.depth = 1;
  p.kind = kind;
  return cudaGraphAddMemcpyNode(node, graph, before, count, &p);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   size_t count, const struct cudaMemsetParams *p) {
  if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
    return cotenant_note(cudaErrorInvalidValue);
  *node = cotenant_node(graph, cudaGraphNodeTypeMemset, before, count);
  (*node)->fill = *p;
  return cudaSuccess;
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                 size_t count, const struct cudaHostNodeParams *p) {
  *node = cotenant_node(graph, cudaGraphNodeTypeHost, before, count);
  (*node)->call = *p;
  return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                  size_t count) {
  *node = cotenant_node(graph, cudaGraphNodeTypeEmpty, before, count);
  return cudaSuccess;
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       size_t count, cudaGraph_t child) {
  *node = cotenant_node(graph, cudaGraphNodeTypeGraph, before, count);
  return cudaGraphClone(&(*node)->child, child);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     size_t count) {
  (void)graph;
  for (size_t i = 0; i < count; i++)
    cotenant_precede(to[i], from[i]);
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  for (size_t i = 0; nodes != NULL && i < *count; i++)
    nodes[i] = i < graph->count ? graph->nodes[i] : NULL;
  *count = graph->count;
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  *type = node->type;
  return cudaSuccess;
}

// ready finds the first node whose predecessors have all been copied.
static struct CUgraphNode_st *ready(struct CUgraph_st *graph, struct CUgraphNode_st **copies) {
  for (size_t i = 0; i < graph->count; i++) {
    struct CUgraphNode_st *n = graph->nodes[i];
    size_t found = 0;
    if (copies[i] != NULL)
      continue;
    for (size_t b = 0; b < n->befores; b++)
      for (size_t j = 0; j < graph->count; j++)
        found += graph->nodes[j] == n->before[b] && copies[j] != NULL;
    if (found == n->befores)
      return n;
  }
  return NULL;
}

// cudaGraphClone copies a graph, each node behind those that it waits for.
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  struct CUgraphNode_st **copies = allocated(graph->count, sizeof *copies), *n;
  cudaGraphCreate(clone, 0);
  while ((n = ready(graph, copies)) != NULL) {
    struct CUgraphNode_st *c = cotenant_node(*clone, n->type, NULL, 0);
    struct CUgraphNode_st blank = *c;
    *c = *n;
    c->before = blank.before;
    c->befores = 0;
    c->origin = n;
    for (size_t i = 0; i < graph->count; i++) {
      if (graph->nodes[i] == n)
        copies[i] = c;
      for (size_t b = 0; b < n->befores; b++)
        if (graph->nodes[i] == n->before[b])
          cotenant_precede(c, copies[i]);
    }
    if (n->type == cudaGraphNodeTypeKernel) {
      c->launch.parameters = allocated(1, n->launch.kernel->is.parameter_bytes);
      memcpy(c->launch.parameters, n->launch.parameters, n->launch.kernel->is.parameter_bytes);
    }
    if (n->type == cudaGraphNodeTypeGraph)
      cudaGraphClone(&c->child, n->child);
  }
  free(copies);
  if ((*clone)->count == graph->count)
    return cudaSuccess;
  cudaGraphDestroy(*clone); // nodes wait for each other in a circle
  return cotenant_note(cudaErrorInvalidValue);
}

static size_t index_of(const struct CUgraph_st *graph, const struct CUgraphNode_st *node) {
  size_t i = 0;
  while (graph->nodes[i] != node)
    i++;
  return i;
}

// plan gives each node a stream, and events to nodes that are waited for from another stream.
static cudaError_t plan(struct CUgraphExec_st *e) {
  size_t n = e->graph->count;
  char *continued = allocated(n, 1), *awaited = allocated(n, 1);
  e->lanes = allocated(n, sizeof *e->lanes);
  e->events = allocated(n, sizeof *e->events);
  for (size_t i = 0; i < n; i++) {
    struct CUgraphNode_st *node = e->graph->nodes[i];
    size_t from = n;
    for (size_t b = 0; b < node->befores && from == n; b++) {
      size_t at = index_of(e->graph, node->before[b]);
      if (!continued[at])
        from = at;
    }
    if (from < n)
      continued[from] = 1;
    e->lanes[i] = from < n ? e->lanes[from] : e->stream_count++;
    for (size_t b = 0; b < node->befores; b++) {
      size_t at = index_of(e->graph, node->before[b]);
      awaited[at] |= e->lanes[at] != e->lanes[i];
    }
  }
  for (size_t i = 0; i < n; i++) // the launch's stream waits for the ends of the others
    awaited[i] |= !continued[i] && e->lanes[i] > 0;
  cudaError_t error = cudaSuccess;
  e->streams = allocated(e->stream_count, sizeof *e->streams);
  for (size_t i = 1; i < e->stream_count && error == cudaSuccess; i++)
    error = cudaStreamCreate(&e->streams[i]);
  for (size_t i = 0; i < n && error == cudaSuccess; i++)
    if (awaited[i])
      error = cudaEventCreateWithFlags(&e->events[i], cudaEventDisableTiming);
  if (e->stream_count > 1 && error == cudaSuccess)
    error = cudaEventCreateWithFlags(&e->begin, cudaEventDisableTiming);
  free(continued);
  free(awaited);
  return error;
}

// cudaGraphInstantiate makes an executable copy of a graph.
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *log,
                                 size_t bytes) {
  struct CUgraphExec_st *e = allocated(1, sizeof *e);
  if (node != NULL)
    *node = NULL;
  if (log != NULL && bytes > 0)
    *log = 0;
  cudaError_t error = cudaGraphClone(&e->graph, graph);
  if (error == cudaSuccess)
    error = plan(e);
  *exec = e;
  return error;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  (void)flags;
  return cudaGraphInstantiate(exec, graph, NULL, NULL, 0);
}

// cudaGraphExecKernelNodeSetParams changes a kernel of an executable graph, by the node of its graph.
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaKernelNodeParams *p) {
  for (size_t i = 0; i < exec->graph->count; i++)
    if (exec->graph->nodes[i]->origin == node && node->type == cudaGraphNodeTypeKernel)
      return parameters(exec->graph->nodes[i], p);
  return cotenant_note(cudaErrorInvalidValue);
}

// same reports whether two graphs differ in what their nodes do alone.
static int same(const struct CUgraph_st *a, const struct CUgraph_st *b) {
  if (a->count != b->count)
    return 0;
  for (size_t i = 0; i < a->count; i++) {
    const struct CUgraphNode_st *x = a->nodes[i], *y = b->nodes[i];
    if (x->type != y->type || x->befores != y->befores)
      return 0;
    for (size_t k = 0; k < x->befores; k++)
      if (index_of(a, x->before[k]) != index_of(b, y->before[k]))
        return 0;
  }
  return 1;
}

// cudaGraphExecUpdate has an executable graph do what another graph of the same form does.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
                                enum cudaGraphExecUpdateResult *result) {
  struct CUgraph_st *copy;
  if (node != NULL)
    *node = NULL;
  *result = cudaGraphExecUpdateError;
  cudaError_t error = cudaGraphClone(&copy, graph);
  if (error != cudaSuccess)
    return error;
  if (!same(exec->graph, copy)) {
    cudaGraphDestroy(copy);
    *result = cudaGraphExecUpdateErrorTopologyChanged;
    return cotenant_note(cudaErrorGraphExecUpdateFailure);
  }
  for (size_t i = 0; i < copy->count; i++) // nodes are still known by those of the first graph
    copy->nodes[i]->origin = exec->graph->nodes[i]->origin;
  cudaGraphDestroy(exec->graph);
  exec->graph = copy;
  *result = cudaGraphExecUpdateSuccess;
  return cudaSuccess;
}

// issue puts the command of a node into a stream; waits: it waits for another of the graph.
static cudaError_t issue(const struct CUgraphNode_st *n, cudaStream_t stream, int waits) {
  switch (n->type) {
  case cudaGraphNodeTypeKernel:
    return cotenant_launch(n->launch.kernel, n->launch.grid, n->launch.block, NULL, n->launch.parameters,
                           n->launch.kernel->is.parameter_bytes, n->launch.shared, stream,
                           n->launch.flags | (waits ? COTENANT_IN_GRAPH : 0));
  case cudaGraphNodeTypeMemcpy:
    return cudaMemcpy3DAsync(&n->copy, stream);
  case cudaGraphNodeTypeMemset:
    return cotenant_fill(n->fill.dst, n->fill.pitch, n->fill.value, n->fill.elementSize, n->fill.width,
                         n->fill.height, stream);
  case cudaGraphNodeTypeHost:
    return cudaLaunchHostFunc(stream, n->call.fn, n->call.userData);
  case cudaGraphNodeTypeGraph: {
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < n->child->count && error == cudaSuccess; i++)
      error = issue(n->child->nodes[i], stream, waits || i > 0);
    return error;
  }
  default:
    return cudaSuccess;
  }
}

// cudaGraphLaunch puts all nodes into streams; the given one goes on when all have completed.
cudaError_t cudaGraphLaunch(cudaGraphExec_t e, cudaStream_t stream) {
  cudaError_t error = cudaSuccess;
  e->streams[0] = stream;
  if (e->stream_count > 1 && (error = cudaEventRecord(e->begin, stream)) != cudaSuccess)
    return error;
  for (size_t i = 1; i < e->stream_count && error == cudaSuccess; i++)
    error = cudaStreamWaitEvent(e->streams[i], e->begin, 0);
  for (size_t i = 0; i < e->graph->count && error == cudaSuccess; i++) {
    struct CUgraphNode_st *n = e->graph->nodes[i];
    cudaStream_t lane = e->streams[e->lanes[i]];
    for (size_t b = 0; b < n->befores && error == cudaSuccess; b++) {
      size_t at = index_of(e->graph, n->before[b]);
      if (e->lanes[at] != e->lanes[i])
        error = cudaStreamWaitEvent(lane, e->events[at], 0);
    }
    if (error == cudaSuccess)
      error = issue(n, lane, n->befores > 0);
    if (error == cudaSuccess && e->events[i] != NULL)
      error = cudaEventRecord(e->events[i], lane);
  }
  for (size_t i = 0; i < e->graph->count && error == cudaSuccess; i++)
    if (e->events[i] != NULL && e->lanes[i] > 0)
      error = cudaStreamWaitEvent(stream, e->events[i], 0);
  return error;
}

// cudaGraphUpload would bring a graph to the device ahead of its launch.
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  (void)stream;
  return exec != NULL ? cudaSuccess : cotenant_note(cudaErrorInvalidValue);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t e) {
  for (size_t i = 1; i < e->stream_count; i++)
    cudaStreamDestroy(e->streams[i]);
  for (size_t i = 0; i < e->graph->count; i++)
    if (e->events[i] != NULL)
      cudaEventDestroy(e->events[i]);
  if (e->begin != NULL)
    cudaEventDestroy(e->begin);
  free(e->lanes);
  free(e->events);
  free(e->streams);
  cudaGraphDestroy(e->graph);
  free(e);
  return cudaSuccess;
}
