#include "cotenant.h"

extern "C" __device__ void *malloc(unsigned long bytes);
extern "C" __device__ void free(void *memory);

// Fills an array of its own with the divisors of its number, and counts them.
__global__ void divisors(int n, int *counts)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
	if (i >= n)
		return;
	int *list = (int *)malloc((i + 1) * sizeof(int));
	if (!list)
		return;
	for (int d = 1; d <= i; d++)
		if (i % d == 0)
			list[count++] = d;
	counts[i] = count > 0 && list[count - 1] == i ? count : 0;
	free(list);
}
