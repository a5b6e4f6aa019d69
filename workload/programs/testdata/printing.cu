// Kernels print: in the order of thread blocks, when the host synchronizes.
#include "check.h"

__global__ void hello(const char *unused, double scale) {
  if (threadIdx.x % 16 == 1)
    printf("block %d thread %2u: %s %.3f %5.1e|%c|%llx|%-4d|%%|%g\n", blockIdx.x, threadIdx.x, "of a kernel", scale * threadIdx.x, scale,
           'a' + (int)blockIdx.x, 0x123456789abcull, -5, 100000.0);
}

int main() {
  setvbuf(stdout, NULL, _IONBF, 0);
  printf("before\n");
  hello<<<2, 32>>>(NULL, 0.5);
  OK(cudaDeviceSynchronize());
  printf("PASSED\n");
  return 0;
}
