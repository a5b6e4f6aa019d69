// A kernel writes behind an array: the next call that waits tells cudaErrorIllegalAddress, and so do all after
// it. The program exits with 0 if it is so.
#include "check.h"

__global__ void outside(int *p) { p[threadIdx.x + 1000] = 1; }

int main() {
  int *p;
  OK(cudaMalloc(&p, 128));
  outside<<<1, 32>>>(p);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
  CHECK(cudaMalloc(&p, 128) == cudaErrorIllegalAddress);
  printf("PASSED\n");
  return 0;
}
