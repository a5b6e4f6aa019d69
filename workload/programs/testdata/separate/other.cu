// The other file.
#include "../check.h"

#include "other.h"

__device__ int offset;
static __device__ int own;

__device__ int twice(int v) { return 2 * v; }

__global__ void there(int *out) { out[threadIdx.x] *= own; }

void setOffset(int value) {
  int ten = 10;
  OK(cudaMemcpyToSymbol(offset, &value, sizeof value));
  OK(cudaMemcpyToSymbol(own, &ten, sizeof ten));
}
