// What host code computes as device code does, and what nvcc accepts: a register variable, INT_MAX
// without its header, and a tile of a thread block as a tile alone.
#include "check.h"
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

const int smalls = 16, functions = 9, steps = 26;

template <class H> __host__ __device__ void arithmetic(H a, H b, H c, unsigned short *o) {
  H list[smalls] = {__hadd(a, b), __hsub(a, b), __hmul(a, b), __hdiv(a, b), __hfma(a, b, c), __hadd_sat(a, b), __hmax(a, b), __hmin(a, b),
                    __habs(a), __hneg(b), hfloor(a), hrcp(b), a + b, a * b, H(__hlt(a, b) ? 1.0f : 0.0f), H(a != b ? 1.0f : 0.0f)};
  for (int i = 0; i < smalls; i++) o[i] = list[i].__x;
}
__host__ __device__ void mathematics(double x, double *o) {
  double list[functions] = {rsqrt(x), rcbrt(x), sinpi(x), cospi(x), normcdf(x), rhypot(x, 2.0), rsqrtf((float)x), sinpif((float)x), fdividef((float)x, 3)};
  for (int i = 0; i < functions; i++) o[i] = list[i];
}
// DPX, of words at the edges of their halves.
__host__ __device__ void programming(unsigned *o) {
  const unsigned a = 0x7fff8000, b = 0x00010001, c = 0x80000002;
  bool p, q;
  unsigned list[steps] = {
      (unsigned)__viaddmax_s32((int)a, (int)b, (int)c), __viaddmax_u32(a, b, c), __viaddmax_s16x2(a, b, c), __viaddmax_u16x2(a, b, c),
      (unsigned)__viaddmax_s32_relu((int)c, 1, (int)c), __viaddmax_s16x2_relu(a, b, c),
      (unsigned)__viaddmin_s32((int)a, (int)b, (int)c), __viaddmin_u32(a, b, c), __viaddmin_s16x2(a, b, c), __viaddmin_u16x2(a, b, c),
      (unsigned)__vimax3_s32((int)a, (int)b, (int)c), __vimax3_u32(a, b, c), __vimax3_s16x2(a, b, c), __vimax3_u16x2(a, b, c),
      (unsigned)__vimin3_s32((int)a, (int)b, (int)c), __vimin3_u32(a, b, c), __vimin3_s16x2(a, b, c), __vimin3_u16x2(a, b, c),
      (unsigned)__vimin3_s32_relu((int)a, (int)b, (int)c), __vimax_s16x2_relu(c, a), (unsigned)__vimin_s32_relu((int)a, (int)b),
      (unsigned)__vibmax_s32((int)a, (int)c, &p), p, __vibmin_u16x2(a, b, &p, &q), p, q};
  for (int i = 0; i < steps; i++) o[i] = list[i];
}
__host__ __device__ float drawn(unsigned n) {
  n = n * 2654435761u ^ n >> 7;
  return ldexpf((float)(int)(n * 747796405u), (int)(n % 40) - 50);
}
__global__ void device(unsigned short *h, unsigned short *b, double *f, unsigned *d) {
  if (blockIdx.x + threadIdx.x == 0) programming(d);
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = drawn(3 * i), y = drawn(3 * i + 1), z = drawn(3 * i + 2);
  arithmetic<half>(x, y, z, h + i * smalls);
  arithmetic<nv_bfloat16>(x, y, z, b + i * smalls);
  mathematics(fabs(x), f + i * functions);
}
__device__ int ofTile(cooperative_groups::thread_block_tile<8> tile) { return tile.shfl(threadIdx.x, 7); }
__global__ void tiles(int *o) { o[threadIdx.x] = ofTile(cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block())); }

int main() {
  const int n = 4096;
  unsigned short *h, *b;
  double *f;
  int *t;
  unsigned *d, here[steps];
  const unsigned want[steps] = {0x80008001, 0x80008001, 0x80000002, 0x80008001, 0x0, 0x2, 0x80000002, 0x80000002, 0x80008001, 0x80000002,
                                0x7fff8000, 0x80000002, 0x7fff0002, 0x80008000, 0x80000002, 0x10001, 0x80008000, 0x10001, 0x0, 0x7fff0002,
                                0x10001, 0x7fff8000, 0x1, 0x10001, 0x0, 0x0};
  OK(cudaMallocManaged(&h, n * smalls * sizeof *h));
  OK(cudaMallocManaged(&b, n * smalls * sizeof *b));
  OK(cudaMallocManaged(&f, n * functions * sizeof *f));
  OK(cudaMallocManaged(&t, 32 * sizeof *t));
  OK(cudaMallocManaged(&d, sizeof here));
  device<<<n / 128, 128>>>(h, b, f, d);
  tiles<<<1, 32>>>(t);
  OK(cudaDeviceSynchronize());
  programming(here);
  for (int i = 0; i < steps; i++) CHECK(d[i] == want[i] && here[i] == want[i]);
  for (register int i = 0; i < n; i++) {
    unsigned short one[smalls];
    double all[functions];
    float x = drawn(3 * i), y = drawn(3 * i + 1), z = drawn(3 * i + 2);
    arithmetic<half>(x, y, z, one);
    for (int k = 0; k < smalls; k++) CHECK(one[k] == h[i * smalls + k]);
    arithmetic<nv_bfloat16>(x, y, z, one);
    for (int k = 0; k < smalls; k++) CHECK(one[k] == b[i * smalls + k]);
    mathematics(fabs(x), all);
    for (int k = 0; k < functions; k++) CHECK(all[k] == f[i * functions + k] || fabs(all[k] - f[i * functions + k]) <= (k < 6 ? 1e-15 : 2e-7) * fabs(all[k]));
  }
  for (int i = 0; i < 32; i++) CHECK(t[i] == (i | 7) && t[i] < INT_MAX);
  OK(cudaMemPrefetchAsync(t, 128, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0));
  OK(cudaMemAdvise(t, 128, cudaMemAdviseSetAccessedBy, cudaMemLocation{cudaMemLocationTypeHost, 0}));
  OK(cudaMemPrefetchAsync(t, 128, 0));
  CHECK(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);
  puts("PASSED");
  return 0;
}
