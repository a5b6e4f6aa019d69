// half and half2. On the device conversions are instructions; arithmetic goes by single precision, so
// that it runs on every PTX front end and a program's results are those of half arithmetic.
#pragma once

#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDA__)
#include "cotenant/small.h"

namespace __ct {
// Rounds to nearest even; the rounding of subnormals falls out of adding a number whose last bit has
// the weight of half's least.
__CT_BOTH unsigned short half_bits(float v) {
#if defined(__CUDA_ARCH__)
  unsigned short h;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
  return h;
#else
  unsigned b = __builtin_bit_cast(unsigned, v), sign = b >> 16 & 0x8000, a = b & 0x7fffffff;
  if (a > 0x7f800000) return 0x7fff;
  if (a >= 0x477ff000) return (unsigned short)(sign | 0x7c00);
  if (a < 0x38800000)
    return (unsigned short)(sign | (__builtin_bit_cast(unsigned, __builtin_bit_cast(float, a) + 0.5f) - 0x3f000000));
  a += 0xfff + (a >> 13 & 1);
  return (unsigned short)(sign | ((a - 0x38000000) >> 13));
#endif
}
__CT_BOTH float half_value(unsigned short h) {
#if defined(__CUDA_ARCH__)
  float v;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(h));
  return v;
#else
  unsigned sign = (unsigned)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;
  if (e == 31) return __builtin_bit_cast(float, sign | 0x7f800000 | m << 13);
  float v = e ? __builtin_bit_cast(float, (e + 112) << 23 | m << 13) : (float)m * 0x1p-24f;
  return sign ? -v : v;
#endif
}
} // namespace __ct

__CT_SMALL_TYPES(__half, __half2, __ct::half_bits, __ct::half_value)
__CT_SMALL(__half, __half2)
__CT_SMALL_NAMES(__half, __half2, half, half2)
#define __CT_HALF_ROUNDED(suffix, mode)                                                            \
  __CT_FN __half __float2half_##suffix(float v) {                                                  \
    unsigned short h;                                                                              \
    __asm__("cvt." mode ".f16.f32 %0, %1;" : "=h"(h) : "f"(v));                                    \
    return __ct::from_bits<__half>(h);                                                             \
  }
__CT_HALF_ROUNDED(rz, "rz")
__CT_HALF_ROUNDED(ru, "rp")
__CT_HALF_ROUNDED(rd, "rm")
#undef __CT_HALF_ROUNDED
__CT_BOTH float2 __half22float2(__half2 v) { return make_float2(v.x, v.y); }

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_ZERO_FP16 __ushort_as_half(0)
#endif
