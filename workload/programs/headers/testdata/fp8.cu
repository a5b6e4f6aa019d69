// Floats of 8 bits: conversions of every kind, and what the types make of them.
#include <cuda_fp8.h>
// A row: e4m3 and e5m2 of each source, saturated and not.
extern "C" __global__ void round8(const double *in, unsigned char *out, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char *o = out + i * columns;
  double d = in[i];
  float f = (float)d;
  for (int k = 0; k < 2; k++)
    for (int s = 0; s < 2; s++) {
      __nv_fp8_interpretation_t kind = k ? __NV_E5M2 : __NV_E4M3;
      __nv_saturation_t saturate = s ? __NV_SATFINITE : __NV_NOSAT;
      *o++ = __nv_cvt_double_to_fp8(d, saturate, kind);
      *o++ = __nv_cvt_float_to_fp8(f, saturate, kind);
      *o++ = __nv_cvt_halfraw_to_fp8(half(f), saturate, kind);
      *o++ = __nv_cvt_bfloat16raw_to_fp8(nv_bfloat16(f), saturate, kind);
    }
}
// Values of all codes as half, and back by the types.
extern "C" __global__ void value8(unsigned short *out, int columns) {
  int i = threadIdx.x;
  unsigned short *o = out + i * columns;
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  a.__x = b.__x = (unsigned char)i;
  *o++ = __half_as_ushort((half)a);
  *o++ = __half_as_ushort((half)b);
  *o++ = __nv_fp8_e4m3((float)a).__x;
  *o++ = __nv_fp8_e5m2((double)b).__x;
  __nv_fp8x2_e4m3 p;
  p.__x = (unsigned short)(i | (i ^ 0x31) << 8);
  *o++ = __nv_fp8x2_e4m3((half2)p).__x;
  float2 v = (float2)p;
  __nv_fp8x4_e4m3 q(make_float4(v.x, v.y, v.y, v.x));
  *o++ = (unsigned short)q.__x;
  *o++ = (unsigned short)(q.__x >> 16);
  float4 w = (float4)q;
  *o++ = __nv_fp8x2_e4m3(make_float2(w.w, w.z)).__x;
}
int main() {
  __nv_fp8_e4m3 h = __nv_fp8_e4m3(1.5f);
  return (int)(float)h - (int)h - (h ? 0 : 1);
}
