// Calls that are not supported say so, and the device works on.
#include "check.h"

int main() {
  cudaIpcMemHandle_t handle;
  int *p;
  OK(cudaMalloc(&p, 4));
  for (int i = 0; i < 2; i++) {
    CHECK(cudaIpcGetMemHandle(&handle, p) == cudaErrorNotSupported);
    CHECK(cudaGetLastError() == cudaErrorNotSupported);
  }
  CHECK(cudaIpcCloseMemHandle(p) == cudaErrorNotSupported);
  cudaGetLastError();
  OK(cudaFree(p));
  printf("PASSED\n");
  return 0;
}
