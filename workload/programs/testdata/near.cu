// Reads in front of an array and behind it, and expects zeroes. With an argument it writes there.
#include "check.h"

__global__ void blur(const int *in, int *out, int n) {
  int i = threadIdx.x;
  out[i] = in[i - 1] + in[i] + in[i + 1] + in[i - 10000] + in[i + 10000];
}

int main(int argc, char **argv) {
  int host[32], *in, *out;
  for (int i = 0; i < 32; i++)
    host[i] = i + 1;
  OK(cudaMalloc(&in, sizeof host));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  blur<<<1, 32>>>(in, argc > 1 ? out - 2 : out, 32);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[0] == 1 + 2 && host[1] == 1 + 2 + 3 && host[31] == 31 + 32);
  printf("PASSED\n");
  return 0;
}
