// Calls that are not supported say so, and the device works on.
#include "check.h"

int main() {
  cudaGraph_t graph;
  for (int i = 0; i < 2; i++) {
    CHECK(cudaGraphCreate(&graph, 0) == cudaErrorNotSupported);
    CHECK(cudaGetLastError() == cudaErrorNotSupported);
  }
  CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorNotSupported);
  cudaGetLastError();
  int *p;
  OK(cudaMalloc(&p, 4));
  printf("PASSED\n");
  return 0;
}
