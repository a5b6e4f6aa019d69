// Launches a kernel 1,000 times in the way that the first argument says.
#include "check.h"

#include <unistd.h>

__global__ void add(int *sum, int value) { *sum += value; }

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  int *sum, host = 0, want = 0;
  if (strcmp(way, "pinned") == 0)
    OK(cudaHostAlloc(&sum, sizeof *sum, 0));
  else
    OK(cudaMalloc(&sum, sizeof *sum));
  cudaStream_t stream = 0;
  if (strcmp(way, "stream") == 0)
    OK(cudaStreamCreate(&stream));
  for (int i = 0; i < 1000; i++) {
    add<<<1, 1, 0, stream>>>(sum, i);
    OK(cudaGetLastError());
    want += i;
    if (strcmp(way, "wrong") == 0 && i % 100 == 99) {
      add<<<0, 1>>>(sum, i);
      CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    }
  }
  if (strcmp(way, "left") == 0)
    _exit(0); // without another call
  if (stream != 0) {
    OK(cudaStreamDestroy(stream));
    add<<<1, 1, 0, stream>>>(sum, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  }
  OK(cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDefault));
  CHECK(host == want);
  printf("PASSED\n");
  return 0;
}
