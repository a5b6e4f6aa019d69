// Adds two vectors and checks the sum on the CPU, in the manner of the CUDA samples. It prints PASSED and
// exits with 0, or says what is wrong and exits with 1.
#include <stdio.h>
#include <stdlib.h>

__global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 50000;
  size_t bytes = n * sizeof(float);
  float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
  for (int i = 0; i < n; i++) {
    a[i] = rand() / (float)RAND_MAX;
    b[i] = rand() / (float)RAND_MAX;
  }
  float *da, *db, *dc;
  if (cudaMalloc((void **)&da, bytes) != cudaSuccess || cudaMalloc(&db, bytes) != cudaSuccess ||
      cudaMalloc(&dc, bytes) != cudaSuccess) {
    fprintf(stderr, "no memory: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  if (cudaGetLastError() != cudaSuccess)
    return 1;
  cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    if (c[i] != a[i] + b[i]) {
      fprintf(stderr, "element %d is %g, not %g\n", i, c[i], a[i] + b[i]);
      return 1;
    }
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  printf("PASSED\n");
  return 0;
}
