#include "cotenant.h"

// These are in weights.cu.
extern __device__ float weight(int i);
extern __device__ int calls;

__global__ void blend(const float *in, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[i] * weight(i);
	atomicAdd(&calls, 1);
}
