// Kernels allocate and free; host and device share managed variables.
#include "check.h"

struct node {
  int value;
  node *next;
};

__device__ int total, failed;
__device__ char *blocks[32];
__managed__ int sum = 5, list[3];
__managed__ double factor;

__global__ void make(node **out) {
  node *last = (node *)malloc(sizeof(node));
  last->value = threadIdx.x;
  last->next = 0;
  node *first = new node;
  first->value = 1;
  first->next = last;
  out[blockIdx.x * blockDim.x + threadIdx.x] = first;
}

__global__ void take(node **in) {
  node *n = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&total, n->value + n->next->value);
  free(n->next);
  delete n;
}

__global__ void fill(int bytes) {
  char *p = blocks[threadIdx.x] = (char *)malloc(bytes);
  if (p == 0) {
    atomicAdd(&failed, 1);
    return;
  }
  for (int i = 0; i < bytes; i += 64)
    p[i] = 1;
  if (threadIdx.x % 2)
    free(p);
}

__global__ void shared_with_host(int n) {
  atomicAdd(&sum, n);
  list[threadIdx.x] *= factor;
}

int main() {
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 10)); // before the first launch
  CHECK(sum == 5);
  sum = 10;
  list[2] = 7;
  factor = 3;
  shared_with_host<<<1, 3>>>(2);
  OK(cudaDeviceSynchronize());
  CHECK(sum == 16 && list[2] == 21 && list[0] == 0);
  sum++;
  shared_with_host<<<1, 1>>>(3);
  OK(cudaDeviceSynchronize());
  CHECK(sum == 20);

  node **nodes;
  const int threads = 4 * 64;
  OK(cudaMalloc(&nodes, threads * sizeof *nodes));
  int got;
  for (int round = 1; round <= 10; round++) { // 16 KiB each: without frees the third would fail
    make<<<4, 64>>>(nodes);
    take<<<4, 64>>>(nodes);
    OK(cudaMemcpyFromSymbol(&got, total, sizeof got));
    CHECK(got == round * (threads + 4 * 64 * 63 / 2));
  }
  fill<<<1, 32>>>(4000); // of which there is room for fewer
  OK(cudaMemcpyFromSymbol(&got, failed, sizeof got));
  CHECK(got > 10 && got < 32);
  printf("PASSED\n");
  return 0;
}
