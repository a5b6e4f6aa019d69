// Loads and stores with hints, vectors, copies of bytes, conversions of the built-in variables.
#include "device_launch_parameters.h"
struct Odd { char c; short2 s; float3 f; double d; };
extern "C" __global__ void memory(const float *in, float *out, unsigned *sizes) {
  int i = threadIdx.x;
  float4 v = __ldg((const float4 *)in + i);
  float2 w = __ldcg((const float2 *)in + 2 * i);
  float x = __ldcs(in + 4 * i) + __ldca(in + 4 * i + 1) + __ldcv(in + 4 * i + 2);
  double d = __ldg((const double *)in + i);
  uchar4 bytes = __ldg((const uchar4 *)in + i);
  signed char c = __ldcg((const signed char *)in + i);
  __stcg((float4 *)out + i, make_float4(v.w, v.z, w.y, w.x));
  __stwt(out + 128 + i, x);
  __stcs((double *)(out + 192) + i, d);
  out[256 + i] = bytes.x + bytes.y + bytes.z + bytes.w + c;
  char copy[16];
  memcpy(copy, in + 4 * i, sizeof copy);
  memset(copy, 0, 4);
  out[288 + i] = ((float *)copy)[0] + ((float *)copy)[3] + memcmp(copy, in + 4 * i, 16) * 1000;
  uint3 t = threadIdx;
  dim3 b = blockDim;
  out[320 + i] = t.x + b.x + dim3(3).y + make_int3(1, 2, 3).z;
  if (i == 0) {
    unsigned s[] = {sizeof(char3), sizeof(short4), sizeof(float3), alignof(float3), alignof(float2), alignof(float4),
                    sizeof(double3), alignof(double2), alignof(double4), alignof(long2), alignof(uchar4), alignof(ushort2),
                    sizeof(longlong3), sizeof(Odd), sizeof(dim3), alignof(char2)};
    for (int k = 0; k < 16; k++) sizes[k] = s[k];
    long long before = clock64();
    sizes[16] = __isGlobal(out) + 2 * __isShared(out) + 4 * __isLocal(copy);
    sizes[17] = clock64() >= before && clock() != 0;
  }
}
#include <cuda_pipeline.h>
extern "C" __global__ void pipeline(const float4 *in, float4 *out) {
  __shared__ float4 stage[32];
  __pipeline_memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], 16, threadIdx.x == 3 ? 8 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[threadIdx.x] = stage[31 - threadIdx.x];
}
// The addresses are the same in each turn, so the loop does not convert them again.
extern "C" __global__ void spaces(const float *in, float *out, int turns) {
  __shared__ float stage[32];
  stage[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < turns; k++) {
    unsigned at = (unsigned)__cvta_generic_to_shared(&stage[threadIdx.x ^ 1]);
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(at ^ 4));
    sum += x + *(const float *)__cvta_shared_to_generic(at) + *(const float *)__cvta_global_to_generic(__cvta_generic_to_global(in + k));
  }
  out[threadIdx.x] = sum;
}
