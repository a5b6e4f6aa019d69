// Graphs, captured from streams and made of nodes: each launch does what the commands would have done.
#include "check.h"

__global__ void add(float *to, const float *from, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] += from[i] * by;
}

static int called;
static void call(void *data) { called += *(int *)data; }

const int n = 1000;
static float *a, *b, host[n], *pinned;

// captured captures a fork and a join over two streams.
static void captured() {
  cudaStream_t s, t;
  cudaEvent_t fork, join;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  cudaGetLastError();
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(s, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  OK(cudaMemcpyAsync(a, pinned, n * sizeof *a, cudaMemcpyHostToDevice, s));
  OK(cudaEventRecord(fork, s));
  OK(cudaStreamWaitEvent(t, fork, 0));
  OK(cudaMemsetAsync(b, 0, n * sizeof *b, t));
  add<<<4, 256, 0, t>>>(b, a, n, 2);
  OK(cudaEventRecord(join, t));
  add<<<4, 256, 0, s>>>(a, a, n, 3);
  OK(cudaStreamWaitEvent(s, join, 0));
  add<<<4, 256, 0, s>>>(a, b, n, 1);
  OK(cudaMemcpyAsync(host, a, n * sizeof *a, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
  cudaGetLastError();
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(s, &graph));
  size_t count;
  OK(cudaGraphGetNodes(graph, NULL, &count));
  CHECK(count == 6);
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
  OK(cudaGraphDestroy(graph));
  for (int round = 1; round <= 3; round++) {
    for (int i = 0; i < n; i++)
      pinned[i] = (float)(i * round);
    OK(cudaGraphLaunch(exec, round == 2 ? 0 : s));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
      CHECK(host[i] == (float)(6 * i * round));
  }
  OK(cudaGraphExecDestroy(exec));
  add<<<4, 256, 0, s>>>(a, a, n, 1); // the stream runs again
  OK(cudaStreamSynchronize(s));
}

// built makes a graph of nodes, one added before what it waits for.
static void built() {
  cudaGraph_t graph, clone;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams zero = {a, 0, 0x3f800000, 4, (size_t)n, 1}; // 1.0
  cudaGraphNode_t set, first, second, back, host_node, empty, child;
  float by = 2;
  int length = n, two = 2;
  void *args[] = {&b, &a, &length, &by};
  cudaKernelNodeParams kernel = {(void *)add, dim3(4), dim3(256), 0, args, NULL};
  OK(cudaGraphAddKernelNode(&second, graph, NULL, 0, &kernel));
  by = 5;
  OK(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &zero));
  OK(cudaGraphAddKernelNode(&first, graph, &set, 1, &kernel));
  OK(cudaGraphAddDependencies(graph, &first, &second, 1));
  OK(cudaGraphAddMemcpyNode1D(&back, graph, &second, 1, host, b, sizeof host, cudaMemcpyDeviceToHost));
  cudaHostNodeParams fn = {call, &two};
  OK(cudaGraphAddHostNode(&host_node, graph, &back, 1, &fn));
  OK(cudaGraphAddEmptyNode(&empty, graph, &host_node, 1));
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphAddChildGraphNode(&child, graph, &empty, 1, clone));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(child, &type));
  CHECK(type == cudaGraphNodeTypeGraph);
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph));
  OK(cudaMemset(b, 0, n * sizeof *b));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaDeviceSynchronize());
  CHECK(host[n - 1] == 14 && called == 4);
  by = 1;
  OK(cudaGraphExecKernelNodeSetParams(exec, first, &kernel));
  OK(cudaGraphLaunch(exec, 0));
  OK(cudaDeviceSynchronize());
  CHECK(host[0] == 14 + 3 + 7 && called == 8);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphAddDependencies(graph, &second, &set, 1)); // a circle
  CHECK(cudaGraphInstantiate(&exec, graph) == cudaErrorInvalidValue);
  cudaGetLastError();
}

// A graph of a single kernel, which an executable graph takes over, and one that has another form.
static void updated() {
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  cudaGraphExec_t exec = NULL;
  float last = 1;
  OK(cudaMemcpy(b + n - 1, &last, sizeof last, cudaMemcpyHostToDevice));
  for (int i = 1; i <= 4; i++) {
    cudaGraph_t graph;
    cudaGraphExecUpdateResult result;
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    add<<<4, 256, 0, s>>>(b, b, n, i);
    if (i == 4) add<<<4, 256, 0, s>>>(b, b, n, i);
    OK(cudaStreamEndCapture(s, &graph));
    if (i == 1) {
      OK(cudaGraphInstantiate(&exec, graph));
    } else if (i < 4) {
      OK(cudaGraphExecUpdate(exec, graph, NULL, &result));
      CHECK(result == cudaGraphExecUpdateSuccess);
    } else {
      cudaGraphExecUpdateResultInfo info;
      CHECK(cudaGraphExecUpdate(exec, graph, &info) == cudaErrorGraphExecUpdateFailure);
      CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged && cudaGetLastError() != cudaSuccess);
    }
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphLaunch(exec, s));
  }
  OK(cudaMemcpyAsync(&last, b + n - 1, sizeof last, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamSynchronize(s));
  CHECK(last == 2 * 3 * 4 * 4);
  OK(cudaGraphExecDestroy(exec));
}

int main() {
  OK(cudaMalloc(&a, sizeof host));
  OK(cudaMalloc(&b, sizeof host));
  OK(cudaMallocHost(&pinned, sizeof host));
  captured();
  built();
  updated();
  printf("PASSED\n");
  return 0;
}
