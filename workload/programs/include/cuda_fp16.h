// half and half2. Conversions are instructions of the device, and so is arithmetic from sm_53 on,
// extremes from sm_80 on; the rest goes by single precision.
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
namespace __ct {
__CT_SMALL_PAIR(__half, __half2, half_pair, "f16")
} // namespace __ct
#define __CT_SMALL_FN __CT_HOST
__CT_SMALL_BY_FLOAT(__half, __half2) __CT_SMALL_EXTREMES_BY_FLOAT(__half, __half2)
#undef __CT_SMALL_FN
#define __CT_SMALL_FN __CT_FN
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
namespace __ct {
typedef _Float16 half1 __attribute__((ext_vector_type(1)));
typedef _Float16 half2 __attribute__((ext_vector_type(2)));
} // namespace __ct
// For the compiler to see through, which makes a product and a sum one instruction.
#define __CT_HALF_OPERATION(name, sign)                                                            \
  __CT_FN __half __h##name(__half x, __half y) {                                                   \
    return __builtin_bit_cast(__half, __builtin_bit_cast(__ct::half1, x) sign __builtin_bit_cast(__ct::half1, y)); \
  }                                                                                                \
  __CT_FN __half2 __h##name##2(__half2 x, __half2 y) {                                             \
    return __builtin_bit_cast(__half2, __builtin_bit_cast(__ct::half2, x) sign __builtin_bit_cast(__ct::half2, y)); \
  }                                                                                                \
  __CT_SMALL_ASSEMBLY(__half, __half2, name, _rn, #name ".rn.f16 %0, %1, %2;", #name ".rn.f16x2 %0, %1, %2;") \
  __CT_SMALL_ASSEMBLY(__half, __half2, name, _sat, #name ".sat.f16 %0, %1, %2;", #name ".sat.f16x2 %0, %1, %2;")
__CT_HALF_OPERATION(add, +)
__CT_HALF_OPERATION(sub, -)
__CT_HALF_OPERATION(mul, *)
#undef __CT_HALF_OPERATION
#define __CT_HALF_ORDER(H, name, operator)                                                         \
  __CT_FN bool __h##name(H x, H y) {                                                               \
    return (__builtin_bit_cast(__ct::half1, x) operator __builtin_bit_cast(__ct::half1, y))[0];    \
  }
__CT_SMALL_ORDERS(__CT_HALF_ORDER, __half)
#undef __CT_HALF_ORDER
__CT_SMALL_FUSED_ASSEMBLY(__half, __half2, __hfma, "fma.rn.f16 %0, %1, %2, %3;", "fma.rn.f16x2 %0, %1, %2, %3;")
__CT_FN __half __hfma_sat(__half x, __half y, __half z) {
  __half v;
  __asm__("fma.rn.sat.f16 %0, %1, %2, %3;" : "=h"(v.__x) : "h"(x.__x), "h"(y.__x), "h"(z.__x));
  return v;
}
__CT_FN __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) {
  return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
#else
__CT_SMALL_BY_FLOAT(__half, __half2)
#endif
__CT_SMALL_EXTREMES(__half, __half2, "f16")
#undef __CT_SMALL_FN
__CT_SMALL(__half, __half2)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
__CT_FN __half atomicAdd(__half *p, __half v) {
  __half was;
  __asm__ volatile("atom.add.noftz.f16 %0, [%1], %2;" : "=h"(was.__x) : "l"(p), "h"(v.__x) : "memory");
  return was;
}
#else
__CT_SMALL_ATOMIC(__half)
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 600
__CT_FN __half2 atomicAdd(__half2 *p, __half2 v) {
  unsigned was;
  __asm__ volatile("atom.add.noftz.f16x2 %0, [%1], %2;" : "=r"(was) : "l"(p), "r"(__builtin_bit_cast(unsigned, v)) : "memory");
  return __builtin_bit_cast(__half2, was);
}
#else
__CT_SMALL_ATOMIC_PAIR(__half2)
#endif
__CT_SMALL_NAMES(__half, __half2, half, half2, __ct::half_pair)
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
