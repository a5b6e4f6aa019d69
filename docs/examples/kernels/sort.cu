#include "cotenant.h"

__global__ void count(const unsigned *keys, int n, int *counts)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		atomicAdd(&counts[keys[i]], 1);
}

__global__ void scatter(const unsigned *keys, int n, int *next, unsigned *sorted)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		sorted[atomicAdd(&next[keys[i]], 1)] = keys[i];
}
