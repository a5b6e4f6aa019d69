// Has the fault that the first argument names, or none.
#include <string.h>

#include "check.h"

__global__ void sum(const int *in, int *out) {
  __shared__ int part[64];
  part[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 32)
    out[blockIdx.x * 32 + threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 32];
}

__global__ void hasty(const int *in, int *out) {
  __shared__ int part[64];
  part[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32)
    out[threadIdx.x] = part[threadIdx.x] + part[threadIdx.x + 32];
}

__global__ void overlapping(int *out) { out[blockIdx.x * 32 + threadIdx.x] = blockIdx.x; }

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "none";
  int host[128] = {1}, *in, *out, *copy, *pinned;
  OK(cudaMalloc(&in, sizeof host));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMalloc(&copy, sizeof host));
  OK(cudaMallocHost(&pinned, sizeof host));
  memset(pinned, 0, sizeof host);
  OK(cudaMemcpy(in, host, strcmp(what, "uninitialized") == 0 ? 100 * sizeof(int) : sizeof host, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(copy, in, sizeof host, cudaMemcpyDeviceToDevice)); // and what is not written
  sum<<<2, 64>>>(copy, out);
  sum<<<1, 64>>>(pinned, out);
  OK(cudaMemset(out, 0, sizeof host));
  sum<<<1, 64>>>(out, in);
  if (strcmp(what, "shared-race") == 0)
    hasty<<<1, 64>>>(in, out);
  if (strcmp(what, "race") == 0)
    overlapping<<<2, 64>>>(out);
  overlapping<<<2, 32>>>(out);
  OK(cudaDeviceSynchronize());
  printf("PASSED\n");
  return 0;
}
