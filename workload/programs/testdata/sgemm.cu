// A tiled product of matrices of single precision, checked on the CPU.
#include "check.h"

#define TILE 16

__global__ void sgemm(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += TILE) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < TILE; i++)
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 64;
  CHECK(n > 0 && n % TILE == 0);
  size_t bytes = (size_t)n * n * sizeof(float);
  float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes), *da, *db, *dc;
  for (int i = 0; i < n * n; i++) {
    a[i] = (float)(i % 13 - 6);
    b[i] = (float)(i % 7 - 3);
  }
  OK(cudaMalloc(&da, bytes));
  OK(cudaMalloc(&db, bytes));
  OK(cudaMalloc(&dc, bytes));
  OK(cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice));
  sgemm<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(da, db, dc, n);
  OK(cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost));
  // Whole numbers below 2^24 make exact sums. Large products are checked in some rows.
  for (int row = 0; row < n; row += n > 256 ? n / 16 : 1)
    for (int column = 0; column < n; column++) {
      float sum = 0;
      for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
      CHECK(c[row * n + column] == sum);
    }
  printf("PASSED\n");
  return 0;
}
