// Two kernels that fill four SMs several times over, the second in a stream of the priority that the
// argument says. Prints which ends first.
#include <stdlib.h>

#include "check.h"

__global__ void slow(int *out, int rounds) {
  int v = threadIdx.x;
  for (int i = 0; i < rounds; i++)
    v = v * 3 + 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main(int argc, char **argv) {
  const int blocks = 128;
  int least, greatest, asked = atoi(argv[1]), priority, *out;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(least == 0 && greatest < least);
  cudaDeviceProp p;
  int supported;
  OK(cudaGetDeviceProperties(&p, 0));
  OK(cudaDeviceGetAttribute(&supported, cudaDevAttrStreamPrioritiesSupported, 0));
  CHECK(supported == 1 && p.streamPrioritiesSupported == 1);
  cudaStream_t first, second;
  OK(cudaStreamCreate(&first));
  OK(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, asked));
  OK(cudaStreamGetPriority(first, &priority));
  CHECK(priority == 0);
  OK(cudaStreamGetPriority(second, &priority));
  CHECK(priority == (asked < greatest ? greatest : asked > least ? least : asked));
  OK(cudaMalloc(&out, blocks * 256 * sizeof(int)));
  cudaEvent_t begun, ends[2];
  OK(cudaEventCreate(&begun));
  OK(cudaEventRecord(begun));
  slow<<<blocks, 256, 0, first>>>(out, 100);
  slow<<<blocks, 256, 0, second>>>(out, 100);
  float ms[2];
  for (int i = 0; i < 2; i++) {
    OK(cudaEventCreate(&ends[i]));
    OK(cudaEventRecord(ends[i], i ? second : first));
  }
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 2; i++)
    OK(cudaEventElapsedTime(&ms[i], begun, ends[i]));
  printf("%s\n", ms[0] < ms[1] ? "first" : "second");
  return 0;
}
