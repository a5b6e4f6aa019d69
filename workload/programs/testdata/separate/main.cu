// A program of two files: a kernel calls a device function of the other file and reads its variable, and the
// host launches a kernel of the other file.
#include "../check.h"

#include "other.h"

static __device__ int own;

static __global__ void here(int *out) { out[threadIdx.x] = twice(threadIdx.x) + offset + own; }

int main() {
  int *p, host[32], three = 3, hundred = 100;
  OK(cudaMalloc(&p, sizeof host));
  OK(cudaMemcpyToSymbol(own, &three, sizeof three));
  setOffset(hundred);
  here<<<1, 32>>>(p);
  there<<<1, 32>>>(p);
  OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++)
    CHECK(host[i] == 10 * (2 * i + 100 + 3));
  printf("PASSED\n");
  return 0;
}
