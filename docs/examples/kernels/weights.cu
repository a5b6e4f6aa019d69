#include "cotenant.h"

__device__ int calls = 0;
static __constant__ float weights[4] = {1, 0.5f, 0.25f, 0.125f};

__device__ float weight(int i) { return weights[i & 3]; }
