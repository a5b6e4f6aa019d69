// printf and assert in a kernel, templates and launches of all shapes on the host.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <vector>
using namespace std;
template <class T> __global__ void print(T *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < n);
  printf("%d: %f\n", i, (double)data[i]);
  data[i] = max(data[i], (T)i) + std::min(i, 3);
}
__constant__ float table[4];
__device__ int counter;
__global__ void __launch_bounds__(64, 2) plain(int *out) { out[threadIdx.x] = counter + table[0]; }
int main() {
  float *data = 0;
  cudaMalloc(&data, 1024);
  cudaMemcpyToSymbol(table, data, sizeof table);
  dim3 grid(2, 2), block = dim3(16);
  print<<<grid, block>>>(data, 64);
  print<float><<<4, 16, 0, (cudaStream_t)0>>>(data, 64);
  plain<<<1, 64>>>((int *)data);
  float4 f = make_float4(1, 2, 3, 4);
  return (int)f.x + abs(-2) + min(3, 4) + (int)std::max(1.0, sqrt(2.0)) + (cudaGetLastError() != cudaSuccess);
}
template __global__ void print(double *, int);
