// Generators of random numbers: raw words and distributions.
#include <curand_kernel.h>
extern "C" __global__ void xorwow(unsigned *out, unsigned long long seed, unsigned long long sequence, unsigned long long offset) {
  curandState s;
  curand_init(seed, sequence, offset, &s);
  for (int i = 0; i < 8; i++) out[i] = curand(&s);
}
extern "C" __global__ void philox(unsigned *out, unsigned long long seed, unsigned long long sequence, unsigned long long offset) {
  curandStatePhilox4_32_10_t s;
  curand_init(seed, sequence, offset, &s);
  for (int i = 0; i < 8; i++) out[i] = curand(&s);
}
extern "C" __global__ void distributions(double *sums) {
  curandState s;
  curandStatePhilox4_32_10_t p;
  curand_init(7, threadIdx.x, 0, &s);
  curand_init(7, threadIdx.x, 0, &p);
  double mean[4] = {0, 0, 0, 0}, square[4] = {0, 0, 0, 0};
  for (int i = 0; i < 64; i++) {
    float4 v = curand_normal4(&p);
    double x[4] = {curand_uniform(&s), curand_normal(&s), curand_normal_double(&s), v.w};
    for (int k = 0; k < 4; k++) mean[k] += x[k], square[k] += x[k] * x[k];
  }
  for (int k = 0; k < 4; k++) atomicAdd(&sums[2 * k], mean[k]), atomicAdd(&sums[2 * k + 1], square[k]);
}
