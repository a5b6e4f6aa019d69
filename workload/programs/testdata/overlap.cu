// Copies in one stream, from memory as the first argument says (pinned or pageable), and computes in another.
#include <string.h>

#include "check.h"

__global__ void work(int *out, int rounds) {
  int x = threadIdx.x;
  for (int i = 0; i < rounds; i++)
    x = x * 1664525 + 1013904223;
  out[threadIdx.x] = x;
}

int main(int argc, char **argv) {
  const size_t bytes = 1 << 20;
  int *out, *host, *device;
  cudaStream_t copies, kernels;
  OK(cudaStreamCreate(&copies));
  OK(cudaStreamCreate(&kernels));
  OK(cudaMalloc(&out, 128));
  OK(cudaMalloc(&device, bytes));
  if (argc > 1 && strcmp(argv[1], "pinned") == 0)
    OK(cudaMallocHost(&host, bytes));
  else
    host = (int *)calloc(1, bytes);
  for (int i = 0; i < 4; i++) {
    OK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, copies));
    work<<<1, 32, 0, kernels>>>(out, 1000);
    OK(cudaStreamSynchronize(kernels));
  }
  OK(cudaDeviceSynchronize());
  return 0;
}
