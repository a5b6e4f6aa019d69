// half and bfloat16: conversions of every kind, arithmetic, pairs.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
extern "C" __global__ void halves(const float *in, unsigned short *out, int columns) {
  int i = threadIdx.x, k = 0;
  unsigned short *o = out + i * columns;
  float x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
  half a = __float2half(x), b = y, c = z;
  o[k++] = __half_as_ushort(a);
  o[k++] = __half_as_ushort(__float2half_rz(x));
  o[k++] = __half_as_ushort(__float2half_ru(x));
  o[k++] = __half_as_ushort(a + b);
  o[k++] = __half_as_ushort(__hmul(a, b));
  o[k++] = __half_as_ushort(a / b);
  o[k++] = __half_as_ushort(__hfma(a, b, c));
  o[k++] = __half_as_ushort(hsqrt(__habs(a)));
  half2 p = __hfma2(__halves2half2(a, b), __half2half2(c), __floats2half2_rn(y, x));
  o[k++] = __half_as_ushort(__low2half(p));
  o[k++] = __half_as_ushort(__high2half(p));
  o[k++] = __hgt(a, b) + 2 * (a == a) + 4 * __hbeq2(p, p);
  o[k++] = __half_as_ushort(__shfl_xor_sync(~0u, a, 1));
  half2 q = __halves2half2(b, a), r = __half2half2(a);
  o[k++] = __half_as_ushort(__low2half(q + r));
  o[k++] = __half_as_ushort(__high2half(__hsub2(r, __hneg2(q))));
  o[k++] = __half_as_ushort(__low2half(__hmul2_rn(q, r)));
  o[k++] = __half_as_ushort(__hmax(a, b));
  o[k++] = __half_as_ushort(__hadd_sat(a, b));
  half nan = CUDART_NAN_FP16;
  o[k++] = (nan != a) + 2 * __hne(nan, a) + 4 * __hltu(a, nan) + 8 * (nan < a) + 16 * __hne(a, -a);
  __nv_bfloat16 d = x, e = __float2bfloat16(y), f = __float2bfloat16(z);
  o[k++] = __bfloat16_as_ushort(d);
  o[k++] = __bfloat16_as_ushort(__hadd(d, e));
  o[k++] = __bfloat16_as_ushort(__hfma(d, e, f));
  o[k++] = __bfloat16_as_ushort(__hmax(d, e));
  o[k++] = __bfloat16_as_ushort(__low2bfloat16(__floats2bfloat162_rn(y, x)));
  o[k++] = __half_as_ushort(__high2half(__float22half2_rn(make_float2(y, x))));
  o[k++] = __bfloat16_as_ushort(d - e);
  o[k++] = __bfloat16_as_ushort(__hmul(d, e));
}
extern "C" __global__ void add(half2 *sum, const half2 *in) { atomicAdd(sum, in[threadIdx.x]); }
extern "C" __global__ void axpy(half2 *y, const half2 *x, half2 a) {
  if (y[0].x > a.x) y[threadIdx.x] = a * x[threadIdx.x] + y[threadIdx.x];
}
int main() { half h = 1.5f; h += half(2); return (int)(float)h; }
