// Floats of 8 bits, __nv_fp8_e4m3 and __nv_fp8_e5m2, and vectors of 2 and 4. From sm_89 on the device converts
// two in one instruction, where results beyond the largest finite number become it; the rest is by integers.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus) && defined(__CUDA__)
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace __ct {
// Rounds to nearest even, in units of the last place: their number is also the code's distance from the code of
// the least number with the same exponent.
template <class F> __CT_BOTH unsigned char fp8_bits(F v, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
  if (v != v) return 0x7f;
  bool e4m3 = kind == __NV_E4M3, wide = sizeof(F) == 8;
  unsigned high = wide ? (unsigned)(__builtin_bit_cast(unsigned long long, (double)v) >> 32) : __builtin_bit_cast(unsigned, (float)v);
  int exponent = wide ? (int)(high >> 20 & 0x7ff) - 1023 : (int)(high >> 23 & 0xff) - 127;
  int least = e4m3 ? -6 : -14, fields = e4m3 ? 3 : 2, most = e4m3 ? 0x7e : 0x7b, code = 0x80;
  if (exponent < 16) {
    if (exponent < least) exponent = least;
    F units = (F)__builtin_bit_cast(float, (unsigned)(127 + fields - exponent) << 23), whole = wide ? (F)0x1p52 : (F)0x1p23;
    code = ((exponent - least) << fields) + (int)((high >> 31 ? -v : v) * units + whole - whole);
  }
  if (code > most) code = saturate == __NV_SATFINITE ? most : e4m3 ? 0x7f : 0x7c;
  return (unsigned char)(code | (high >> 31 ? 0x80 : 0));
}
__CT_BOTH unsigned short fp8_half(unsigned char b, __nv_fp8_interpretation_t kind) {
  unsigned magnitude = b & 0x7f, sign = (unsigned)(b & 0x80) << 8;
  if (kind == __NV_E5M2) return magnitude > 0x7c ? 0x7fff : (unsigned short)(b << 8);
  if (magnitude == 0x7f) return 0x7fff;
  if (magnitude >= 8) return (unsigned short)(sign | ((magnitude << 7) + (8 << 10)));
  return (unsigned short)(sign | half_bits((float)magnitude * 0x1p-9f));
}
} // namespace __ct

// The device's conversion of a pair, if results are to be saturated.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#define __CT_FP8_INSTRUCTION(from, ...)                                                            \
  if (s == __NV_SATFINITE) {                                                                       \
    unsigned short pair;                                                                           \
    if (k == __NV_E4M3) __asm__("cvt.rn.satfinite.e4m3x2." from ";" : "=h"(pair) : __VA_ARGS__);   \
    else __asm__("cvt.rn.satfinite.e5m2x2." from ";" : "=h"(pair) : __VA_ARGS__);                  \
    return pair;                                                                                   \
  }
#else
#define __CT_FP8_INSTRUCTION(from, ...)
#endif

// Pairs: the first is the low byte.
__CT_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  __CT_FP8_INSTRUCTION("f32 %0, %1, %2", "f"(v.y), "f"(v.x))
  return (unsigned short)(__ct::fp8_bits(v.x, s, k) | __ct::fp8_bits(v.y, s, k) << 8);
}
__CT_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return (unsigned short)(__ct::fp8_bits(v.x, s, k) | __ct::fp8_bits(v.y, s, k) << 8);
}
__CT_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  __CT_FP8_INSTRUCTION("f16x2 %0, %1", "r"(__builtin_bit_cast(unsigned, v)))
  return __nv_cvt_float2_to_fp8x2(__half22float2(v), s, k);
}
__CT_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(v), s, k);
}
__CT_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t b, __nv_fp8_interpretation_t k) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  unsigned v;
  if (k == __NV_E4M3) __asm__("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(v) : "h"(b));
  else __asm__("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(v) : "h"(b));
  return __builtin_bit_cast(__half2_raw, v);
#else
  return {__ct::fp8_half((unsigned char)b, k), __ct::fp8_half((unsigned char)(b >> 8), k)};
#endif
}
#undef __CT_FP8_INSTRUCTION

__CT_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return (unsigned char)__nv_cvt_float2_to_fp8x2(make_float2(v, 0), s, k);
}
__CT_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return __ct::fp8_bits(v, s, k);
}
__CT_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return (unsigned char)__nv_cvt_halfraw2_to_fp8x2({v.x, 0}, s, k);
}
__CT_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw v, __nv_saturation_t s, __nv_fp8_interpretation_t k) {
  return (unsigned char)__nv_cvt_bfloat16raw2_to_fp8x2({v.x, 0}, s, k);
}
__CT_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t b, __nv_fp8_interpretation_t k) {
  return {__nv_cvt_fp8x2_to_halfraw2(b, k).x};
}

// The types: T holds one, their pairs and fours are named after them.
#define __CT_FP8_FROM(T, type) __host__ __device__ explicit T(type v)
#define __CT_FP8_TO(type, value) __host__ __device__ explicit operator type() const { return value; }
#define __CT_FP8_ONE(T, K)                                                                         \
  struct __align__(1) T {                                                                          \
    __nv_fp8_storage_t __x;                                                                        \
    T() = default;                                                                                 \
    __CT_FP8_FROM(T, __half) : __x(__nv_cvt_halfraw_to_fp8(v, __NV_SATFINITE, K)) {}               \
    __CT_FP8_FROM(T, __nv_bfloat16) : __x(__nv_cvt_bfloat16raw_to_fp8(v, __NV_SATFINITE, K)) {}    \
    __CT_FP8_FROM(T, float) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, K)) {}                  \
    __CT_FP8_FROM(T, double) : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, K)) {}                \
    __CT_FP8_FROM(T, int) : T((double)v) {}                                                        \
    __CT_FP8_FROM(T, unsigned) : T((double)v) {}                                                   \
    __CT_FP8_FROM(T, long long) : T((float)v) {}                                                   \
    __CT_FP8_FROM(T, unsigned long long) : T((float)v) {}                                          \
    __CT_FP8_FROM(T, short) : T((float)v) {}                                                       \
    __CT_FP8_FROM(T, unsigned short) : T((float)v) {}                                              \
    __CT_FP8_TO(__half, __nv_cvt_fp8_to_halfraw(__x, K))                                           \
    __CT_FP8_TO(float, __half(__nv_cvt_fp8_to_halfraw(__x, K)))                                    \
    __CT_FP8_TO(__nv_bfloat16, (float)*this)                                                       \
    __CT_FP8_TO(double, (float)*this)                                                              \
    __CT_FP8_TO(int, (int)(float)*this)                                                            \
    __CT_FP8_TO(unsigned, (unsigned)(float)*this)                                                  \
    __CT_FP8_TO(long long, (long long)(float)*this)                                                \
    __CT_FP8_TO(bool, __x & 0x7f)                                                                  \
  };
#define __CT_FP8_TWO(T, P, K)                                                                      \
  struct __align__(2) P {                                                                          \
    __nv_fp8x2_storage_t __x;                                                                      \
    P() = default;                                                                                 \
    __CT_FP8_FROM(P, __half2) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, K)) {}           \
    __CT_FP8_FROM(P, __nv_bfloat162) : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, K)) {} \
    __CT_FP8_FROM(P, float2) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, K)) {}              \
    __CT_FP8_FROM(P, double2) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, K)) {}            \
    __CT_FP8_TO(__half2, __nv_cvt_fp8x2_to_halfraw2(__x, K))                                       \
    __CT_FP8_TO(float2, __half22float2(__nv_cvt_fp8x2_to_halfraw2(__x, K)))                        \
  };
#define __CT_FP8_FOUR(P, Q)                                                                        \
  struct __align__(4) Q {                                                                          \
    __nv_fp8x4_storage_t __x;                                                                      \
    Q() = default;                                                                                 \
    template <class V> __host__ __device__ Q(V low, V high) : __x(P(low).__x | (unsigned)P(high).__x << 16) {} \
    __CT_FP8_FROM(Q, float4) : Q(make_float2(v.x, v.y), make_float2(v.z, v.w)) {}                  \
    __CT_FP8_FROM(Q, double4) : Q(make_double2(v.x, v.y), make_double2(v.z, v.w)) {}               \
    __host__ __device__ explicit operator float4() const {                                         \
      P low, high;                                                                                 \
      low.__x = (unsigned short)__x, high.__x = (unsigned short)(__x >> 16);                       \
      float2 a = (float2)low, b = (float2)high;                                                    \
      return make_float4(a.x, a.y, b.x, b.y);                                                      \
    }                                                                                              \
  };
__CT_FP8_ONE(__nv_fp8_e4m3, __NV_E4M3)
__CT_FP8_TWO(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __NV_E4M3)
__CT_FP8_FOUR(__nv_fp8x2_e4m3, __nv_fp8x4_e4m3)
__CT_FP8_ONE(__nv_fp8_e5m2, __NV_E5M2)
__CT_FP8_TWO(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __NV_E5M2)
__CT_FP8_FOUR(__nv_fp8x2_e5m2, __nv_fp8x4_e5m2)
#undef __CT_FP8_ONE
#undef __CT_FP8_TWO
#undef __CT_FP8_FOUR
#undef __CT_FP8_FROM
#undef __CT_FP8_TO
#endif
