// Sums numbers in two ways, by a tree in shared memory and by atomics, and compares with the CPU's sum. In the
// manner of Rodinia: arguments, its own clock, cudaThreadSynchronize.
#include <sys/time.h>

#include "check.h"

#define THREADS 128

static double seconds() {
  struct timeval t;
  gettimeofday(&t, NULL);
  return t.tv_sec + t.tv_usec * 1e-6;
}

__device__ int total;

__global__ void tree(const int *in, int *out, int n) {
  __shared__ int part[THREADS];
  int i = blockIdx.x * THREADS + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  for (int half = THREADS / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = part[0];
    atomicAdd(&total, part[0]);
  }
}

template <int Factor> __global__ void scale(int *data, int n) {
  extern __shared__ int stage[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  stage[threadIdx.x] = i < n ? data[i] : 0;
  __syncthreads();
  if (i < n)
    data[i] = Factor * stage[threadIdx.x];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 10000, blocks = (n + THREADS - 1) / THREADS;
  int *in = (int *)malloc(n * sizeof(int)), *out = (int *)malloc(blocks * sizeof(int));
  int sum = 0, zero = 0, atomics;
  for (int i = 0; i < n; i++)
    sum += in[i] = i % 17 - 3;
  int *din, *dout;
  OK(cudaMalloc((void **)&din, n * sizeof(int)));
  OK(cudaMalloc((void **)&dout, blocks * sizeof(int)));
  double start = seconds();
  OK(cudaMemcpy(din, in, n * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemcpyToSymbol(total, &zero, sizeof zero));
  dim3 grid(blocks), block(THREADS);
  tree<<<grid, block>>>(din, dout, n);
  scale<3><<<blocks, THREADS, THREADS * sizeof(int)>>>(din, n);
  OK(cudaThreadSynchronize());
  OK(cudaMemcpy(out, dout, blocks * sizeof(int), cudaMemcpyDeviceToHost));
  OK(cudaMemcpyFromSymbol(&atomics, total, sizeof atomics));
  double took = seconds() - start;
  int tree = 0;
  for (int i = 0; i < blocks; i++)
    tree += out[i];
  CHECK(tree == sum);
  CHECK(atomics == sum);
  OK(cudaMemcpy(in, din, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    CHECK(in[i] == 3 * (i % 17 - 3));
  OK(cudaFree(din));
  OK(cudaFree(dout));
  fprintf(stderr, "took %.3f s\n", took);
  printf("PASSED\n");
  return 0;
}
