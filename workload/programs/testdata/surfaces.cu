// Surface references: bound to arrays, read, written, bound anew.
#include "check.h"

surface<void, cudaSurfaceType2D> from;
static surface<void, 2> to;

__global__ void turn(int n) {
  int x = threadIdx.x, y = threadIdx.y;
  float v;
  surf2Dread(&v, from, x * 4, y);
  float w = surf2Dread<float>(from, (n - 1 - x) * 4, y, cudaBoundaryModeZero);
  surf2Dwrite(v + 100 * w, to, y * 4, x);
}

int main() {
  const int n = 8;
  float host[n][n];
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      host[y][x] = y * n + x;
  cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaArray_t a, b, c;
  OK(cudaMallocArray(&a, &one, n, n, cudaArraySurfaceLoadStore));
  OK(cudaMallocArray(&b, &one, n, n, cudaArraySurfaceLoadStore));
  OK(cudaMallocArray(&c, &one, n, n, cudaArraySurfaceLoadStore));
  OK(cudaMemcpy2DToArray(a, 0, 0, host, sizeof host[0], sizeof host[0], n, cudaMemcpyHostToDevice));
  OK(cudaBindSurfaceToArray(from, a));
  OK(cudaBindSurfaceToArray(to, c, one));
  OK(cudaBindSurfaceToArray(to, b));
  turn<<<1, dim3(n, n)>>>(n);
  OK(cudaMemcpy2DFromArray(host, sizeof host[0], b, 0, 0, sizeof host[0], n, cudaMemcpyDeviceToHost));
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++)
      CHECK(host[x][y] == (y * n + x) + 100 * (y * n + n - 1 - x));
  CHECK(cudaBindSurfaceToArray(to, (cudaArray_t)0) == cudaErrorInvalidValue);
  printf("PASSED\n");
  return 0;
}
