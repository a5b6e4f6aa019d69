// Device memory up to a limit of 1 MiB, given back and taken again; other memory does not count.
#include "check.h"

__global__ void set(int *p, int v) { p[threadIdx.x] = v; }

int main() {
  int *first, *second, *pinned, host;
  OK(cudaMalloc(&first, 1 << 19));
  OK(cudaMallocHost(&pinned, 1 << 20));
  CHECK(cudaMalloc(&second, (1 << 19) + 1) == cudaErrorMemoryAllocation);
  OK(cudaMalloc(&second, 1 << 19));
  CHECK(cudaMalloc(&pinned, 1) == cudaErrorMemoryAllocation);
  OK(cudaFree(first));
  OK(cudaMalloc(&first, 1 << 19));
  set<<<1, 32>>>(first, 7);
  OK(cudaMemcpy(&host, first, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host == 7);
  printf("PASSED\n");
  return 0;
}
