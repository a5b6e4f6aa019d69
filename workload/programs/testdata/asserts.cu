// A failed assertion ends the kernel, and the next call that waits tells it.
#include "check.h"

__global__ void positive(const int *p) { assert(p[threadIdx.x] > 0); }

int main() {
  int *p, one[32];
  for (int i = 0; i < 32; i++)
    one[i] = 1;
  OK(cudaMalloc(&p, sizeof one));
  OK(cudaMemcpy(p, one, sizeof one, cudaMemcpyHostToDevice));
  positive<<<1, 32>>>(p);
  OK(cudaDeviceSynchronize());
  OK(cudaMemset(p, 0, 4));
  positive<<<1, 32>>>(p);
  CHECK(cudaDeviceSynchronize() == cudaErrorAssert);
  CHECK(strcmp(cudaGetErrorString(cudaGetLastError()), "device-side assert triggered") == 0);
  printf("PASSED\n");
  return 0;
}
