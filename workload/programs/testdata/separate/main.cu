// A program of three files: a kernel calls device functions of the others and reads a variable of one, and the
// host launches a kernel of that.
#include "../check.h"

#include "other.h"

static __device__ int own;

static __global__ void here(int *out) { out[threadIdx.x] = twice(threadIdx.x) + thrice(threadIdx.x) + offset + own; }

int main() {
  int *p, host[32], three = 3, hundred = 100;
  OK(cudaMalloc(&p, sizeof host));
  OK(cudaMemcpyToSymbol(own, &three, sizeof three));
  setOffset(hundred);
  here<<<1, 32>>>(p);
  there<<<1, 32>>>(p);
  OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++)
    CHECK(host[i] == 10 * (2 * i + thrice(i) + 100 + 3));
  printf("PASSED\n");
  return 0;
}
