#include "cotenant.h"

struct Particle {
	char fixed;
	double mass;
	float4 position;
	float velocity[3];
};

__global__ void drift(Particle *p, int n, float time)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n && !p[i].fixed) {
		p[i].position.x += p[i].velocity[0] * time;
		p[i].position.y += p[i].velocity[1] * time;
		p[i].position.z += p[i].velocity[2] * time;
	}
}
