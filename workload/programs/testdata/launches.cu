// Launches a small kernel as often as the first argument says, and checks the sum. With a second argument it
// ends with status 3 after that many launches.
#include "check.h"

__global__ void add(int *out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] += value; }

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 3000, end = argc > 2 ? atoi(argv[2]) : n;
  int *sums, host[256], want = 0;
  OK(cudaMalloc(&sums, sizeof host));
  OK(cudaMemset(sums, 0, sizeof host));
  for (int i = 0; i < n; i++) {
    add<<<2, 128>>>(sums, i & 7);
    OK(cudaGetLastError());
    want += i & 7;
    if (i == end) {
      fprintf(stderr, "enough\n");
      return 3;
    }
  }
  OK(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; i++)
    CHECK(host[i] == want);
  OK(cudaFree(sums));
  printf("PASSED\n");
  return 0;
}
