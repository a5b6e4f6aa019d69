#include "cotenant.h"

// tex1D<float>(line, x), for a texture object.
INLINE float between(texture_t line, float x)
{
	float v, unused;
	__asm__("tex.1d.v4.f32.f32 {%0, %1, %1, %1}, [%2, {%3}];" : "=f"(v), "=f"(unused) : "l"(line), "f"(x));
	return v;
}

__global__ void zoom(texture_t line, float *out)
{
	int i = threadIdx.x;
	out[i] = between(line, i * 0.5f);
}
