// Capture: commands of a stream become nodes of a graph instead of running. Events carry a capture from
// one stream to another.
#include <stdlib.h>

#include "graph.h"

// What a stream's, or an event's, next command waits for.
struct front {
  uint64_t number; // of the stream or the event
  int event;
  struct CUgraph_st *graph;
  struct CUgraphNode_st **nodes;
  size_t count;
};

static struct front *fronts; // of what takes part in captures
static size_t front_count;

static struct front *find(uint64_t number, int event) {
  for (size_t i = 0; i < front_count; i++)
    if (fronts[i].number == number && fronts[i].event == event)
      return &fronts[i];
  return NULL;
}

static struct front *front_of(uint64_t number, int event, struct CUgraph_st *graph) {
  struct front *f = find(number, event);
  if (f == NULL) {
    fronts = realloc(fronts, (front_count + 1) * sizeof *fronts);
    if (fronts == NULL)
      abort();
    f = &fronts[front_count++];
    memset(f, 0, sizeof *f);
    f->number = number;
    f->event = event;
  }
  f->graph = graph;
  return f;
}

static void add(struct front *f, struct CUgraphNode_st *node) {
  f->nodes = realloc(f->nodes, (f->count + 1) * sizeof *f->nodes);
  if (f->nodes == NULL)
    abort();
  f->nodes[f->count++] = node;
}

struct CUgraphNode_st *cotenant_captured(cudaStream_t stream, enum cudaGraphNodeType type) {
  struct front *f = front_count == 0 ? NULL : find(cotenant_stream(stream), 0);
  if (f == NULL)
    return NULL;
  struct CUgraphNode_st *node = cotenant_node(f->graph, type, f->nodes, f->count);
  f->count = 0;
  add(f, node);
  return node;
}

int cotenant_capture_event(uint64_t event, cudaStream_t stream) {
  struct front *s = front_count == 0 ? NULL : find(cotenant_stream(stream), 0);
  if (s == NULL)
    return 0;
  struct front *e = front_of(event, 1, s->graph);
  s = find(cotenant_stream(stream), 0); // the list has moved
  e->count = 0;
  for (size_t i = 0; i < s->count; i++)
    add(e, s->nodes[i]);
  return 1;
}

int cotenant_capture_wait(cudaStream_t stream, uint64_t event) {
  struct front *e = front_count == 0 ? NULL : find(event, 1);
  if (e == NULL)
    return 0;
  struct front *s = front_of(cotenant_stream(stream), 0, e->graph);
  e = find(event, 1);
  for (size_t i = 0; i < e->count; i++) {
    size_t known = 0;
    for (size_t j = 0; j < s->count; j++)
      known += s->nodes[j] == e->nodes[i];
    if (known == 0)
      add(s, e->nodes[i]);
  }
  return 1;
}

int cotenant_capturing(cudaStream_t stream) { return front_count > 0 && find(cotenant_stream(stream), 0) != NULL; }

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  cudaGraph_t graph;
  (void)mode;
  if (cotenant_stream(stream) == 0 || cotenant_capturing(stream))
    return cotenant_note(cotenant_stream(stream) == 0 ? cudaErrorStreamCaptureUnsupported : cudaErrorIllegalState);
  cudaGraphCreate(&graph, 0);
  front_of(cotenant_stream(stream), 0, graph);
  return cudaSuccess;
}

// cudaStreamEndCapture gives the graph. Streams that have joined must have been waited for.
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  struct front *f = find(cotenant_stream(stream), 0);
  *graph = NULL;
  if (f == NULL)
    return cotenant_note(cudaErrorIllegalState);
  struct CUgraph_st *whole = f->graph;
  size_t kept = 0;
  for (size_t i = 0; i < front_count; i++) {
    if (fronts[i].graph == whole)
      free(fronts[i].nodes);
    else
      fronts[kept++] = fronts[i];
  }
  front_count = kept;
  *graph = whole;
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  *status = cotenant_capturing(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
