// What half and bfloat16 have in common. Where the device has no instruction, arithmetic is done in
// single precision and rounded once more: for sums, differences, products, quotients and roots that
// gives the correctly rounded result, because single precision has more than twice the bits and two.
// Fused operations are rounded to odd first, which makes them correct too.
#pragma once

#include "functions.h"

namespace __ct {
// The operations in single precision that are rounded once more. fma_odd is a b + c rounded to odd: the
// neighbour with an odd last bit if inexact.
__CT_FN float sum(float a, float b) { return __fadd_rn(a, b); }
__CT_FN float difference(float a, float b) { return __fsub_rn(a, b); }
__CT_FN float product(float a, float b) { return __fmul_rn(a, b); }
__CT_FN float fma_odd(float a, float b, float c) {
  float down = __fmaf_rd(a, b, c), up = __fmaf_ru(a, b, c);
  return __builtin_bit_cast(unsigned, down) & 1 ? down : up;
}
__CT_HOST float sum(float a, float b) { return a + b; }
__CT_HOST float difference(float a, float b) { return a - b; }
__CT_HOST float product(float a, float b) { return a * b; }
// The product is exact in double precision, and so is what the sum and its rounding to float leave over.
__CT_HOST float fma_odd(float a, float b, float c) {
  double p = (double)a * b, s = p + c, of_c = s - p, left = (p - (s - of_c)) + (c - of_c);
  float v = (float)s;
  if (__builtin_isinf(v) || v != v) return v;
  left += s - v; // its sign decides
  unsigned bits = __builtin_bit_cast(unsigned, v);
  if (left == 0 || bits & 1) return v;
  return __builtin_bit_cast(float, bits + ((left > 0) == (v > 0 || (v == 0 && left > 0)) ? 1 : -1));
}
__CT_BOTH float saturated(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
} // namespace __ct

// H is the type, P its pair, V the name of a vector function's prefix; f(x) is a float's value. __CT_SMALL_FN says
// whether functions are the device's or the host's.
#define __CT_SMALL_OPERATION(H, P, name, mode, expression)                                         \
  __CT_SMALL_FN H __h##name##mode(H x, H y) { float a = x, b = y; return H(expression); }          \
  __CT_SMALL_FN P __h##name##2##mode(P x, P y) { return P(__h##name##mode(x.x, y.x), __h##name##mode(x.y, y.y)); }
// The same by assembly; one is of the type, two of its pair.
#define __CT_SMALL_ASSEMBLY(H, P, name, mode, one, two)                                            \
  __CT_FN H __h##name##mode(H x, H y) {                                                            \
    H v;                                                                                           \
    __asm__(one : "=h"(v.__x) : "h"(x.__x), "h"(y.__x));                                           \
    return v;                                                                                      \
  }                                                                                                \
  __CT_FN P __h##name##2##mode(P x, P y) {                                                         \
    unsigned v;                                                                                    \
    __asm__(two : "=r"(v) : "r"(__builtin_bit_cast(unsigned, x)), "r"(__builtin_bit_cast(unsigned, y))); \
    return __builtin_bit_cast(P, v);                                                               \
  }
#define __CT_SMALL_FUSED_ASSEMBLY(H, P, name, one, two)                                            \
  __CT_FN H name(H x, H y, H z) {                                                                  \
    H v;                                                                                           \
    __asm__(one : "=h"(v.__x) : "h"(x.__x), "h"(y.__x), "h"(z.__x));                               \
    return v;                                                                                      \
  }                                                                                                \
  __CT_FN P name##2(P x, P y, P z) {                                                               \
    unsigned v;                                                                                    \
    __asm__(two : "=r"(v)                                                                          \
            : "r"(__builtin_bit_cast(unsigned, x)), "r"(__builtin_bit_cast(unsigned, y)), "r"(__builtin_bit_cast(unsigned, z))); \
    return __builtin_bit_cast(P, v);                                                               \
  }
// Comparisons and arithmetic without instructions of their own.
#define __CT_SMALL_ORDER_BY_FLOAT(H, name, operator)                                               \
  __CT_SMALL_FN bool __h##name(H x, H y) { return (float)x operator(float) y; }
#define __CT_SMALL_BY_FLOAT(H, P)                                                                  \
  __CT_SMALL_ORDERS(__CT_SMALL_ORDER_BY_FLOAT, H)                                                  \
  __CT_SMALL_OPERATION(H, P, add, , __ct::sum(a, b)) __CT_SMALL_OPERATION(H, P, sub, , __ct::difference(a, b)) \
  __CT_SMALL_OPERATION(H, P, mul, , __ct::product(a, b))                                           \
  __CT_SMALL_OPERATION(H, P, add, _rn, __ct::sum(a, b)) __CT_SMALL_OPERATION(H, P, sub, _rn, __ct::difference(a, b)) \
  __CT_SMALL_OPERATION(H, P, mul, _rn, __ct::product(a, b))                                        \
  __CT_SMALL_SATURATED(H, P)                                                                       \
  __CT_SMALL_FN H __hfma(H a, H b, H c) { return H(__ct::fma_odd(a, b, c)); }                      \
  __CT_SMALL_FN P __hfma2(P a, P b, P c) { return P(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
#define __CT_SMALL_SATURATED(H, P)                                                                 \
  __CT_SMALL_OPERATION(H, P, add, _sat, __ct::saturated(a + b)) __CT_SMALL_OPERATION(H, P, sub, _sat, __ct::saturated(a - b)) \
  __CT_SMALL_OPERATION(H, P, mul, _sat, __ct::saturated(a * b))                                    \
  __CT_SMALL_FN H __hfma_sat(H a, H b, H c) { return H(__ct::saturated(__ct::fma_odd(a, b, c))); } \
  __CT_SMALL_FN P __hfma2_sat(P a, P b, P c) { return P(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
#define __CT_SMALL_EXTREMES_BY_FLOAT(H, P)                                                         \
  __CT_SMALL_OPERATION(H, P, max, , __builtin_fmaxf(a, b)) __CT_SMALL_OPERATION(H, P, min, , __builtin_fminf(a, b)) \
  __CT_SMALL_OPERATION(H, P, max, _nan, a != a || b != b ? __builtin_nanf("") : __builtin_fmaxf(a, b)) \
  __CT_SMALL_OPERATION(H, P, min, _nan, a != a || b != b ? __builtin_nanf("") : __builtin_fminf(a, b))
// Extremes, and the pair of two floats by name; type is the type's word in PTX.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define __CT_SMALL_EXTREMES(H, P, type)                                                            \
  __CT_SMALL_ASSEMBLY(H, P, max, , "max." type " %0, %1, %2;", "max." type "x2 %0, %1, %2;")       \
  __CT_SMALL_ASSEMBLY(H, P, min, , "min." type " %0, %1, %2;", "min." type "x2 %0, %1, %2;")       \
  __CT_SMALL_ASSEMBLY(H, P, max, _nan, "max.NaN." type " %0, %1, %2;", "max.NaN." type "x2 %0, %1, %2;") \
  __CT_SMALL_ASSEMBLY(H, P, min, _nan, "min.NaN." type " %0, %1, %2;", "min.NaN." type "x2 %0, %1, %2;")
#define __CT_SMALL_PAIR(H, P, name, type)                                                          \
  __CT_BOTH P name(float low, float high) {                                                        \
    unsigned p;                                                                                    \
    __asm__("cvt.rn." type "x2.f32 %0, %1, %2;" : "=r"(p) : "f"(high), "f"(low));                  \
    return __builtin_bit_cast(P, p);                                                               \
  }
#else
#define __CT_SMALL_EXTREMES(H, P, type) __CT_SMALL_EXTREMES_BY_FLOAT(H, P)
#define __CT_SMALL_PAIR(H, P, name, type)                                                          \
  __CT_BOTH P name(float low, float high) { return P(H(low), H(high)); }
#endif
#define __CT_SMALL_ORDERS(ORDER, H)                                                                \
  ORDER(H, eq, ==) ORDER(H, lt, <) ORDER(H, le, <=) ORDER(H, gt, >) ORDER(H, ge, >=)
#define __CT_SMALL_COMPARISON(H, P, name)                                                          \
  __CT_BOTH bool __h##name##u(H x, H y) { return __hisnan(x) || __hisnan(y) || __h##name(x, y); }  \
  __CT_BOTH P __h##name##2(P x, P y) {                                                             \
    return P(H(__h##name(x.x, y.x) ? 1.0f : 0.0f), H(__h##name(x.y, y.y) ? 1.0f : 0.0f));          \
  }                                                                                                \
  __CT_BOTH bool __hb##name##2(P x, P y) { return __h##name(x.x, y.x) && __h##name(x.y, y.y); }
#define __CT_SMALL_FUNCTION(H, P, name, expression)                                                \
  __CT_BOTH H h##name(H h) { float x = h; return H(expression); }                                  \
  __CT_BOTH P h2##name(P p) { return P(h##name(p.x), h##name(p.y)); }
#define __CT_SMALL_SHUFFLE(H, P, name, argument)                                                   \
  __CT_FN H name(unsigned mask, H v, argument, int width = 32) {                                   \
    return __ct::from_bits<H>((unsigned short)name(mask, (int)v.__x, by, width));                  \
  }                                                                                                \
  __CT_FN P name(unsigned mask, P v, argument, int width = 32) {                                   \
    return __builtin_bit_cast(P, name(mask, __builtin_bit_cast(int, v), by, width));               \
  }
#define __CT_SMALL_OPERATOR(H, P, sign, name)                                                      \
  __CT_BOTH H operator sign(const H &a, const H &b) { return __h##name(a, b); }                    \
  __CT_BOTH P operator sign(const P &a, const P &b) { return __h##name##2(a, b); }                 \
  __CT_SMALL_ASSIGNMENT(H, P, sign)
#define __CT_SMALL_COMPARE_ONE(H, sign, name)                                                      \
  __CT_BOTH bool operator sign(const H &a, const H &b) { return __h##name(a, b); }
#define __CT_SMALL_QUOTIENT(H, P, sign)                                                            \
  __CT_BOTH H operator sign(const H &a, const H &b) { return H((float)a sign (float)b); }          \
  __CT_BOTH P operator sign(const P &a, const P &b) { return P(a.x sign b.x, a.y sign b.y); }
#define __CT_SMALL_ASSIGNMENT(H, P, sign)                                                          \
  __CT_BOTH H &operator sign##=(H &a, const H &b) { return a = a sign b; }                         \
  __CT_BOTH P &operator sign##=(P &a, const P &b) { return a = a sign b; }
#define __CT_SMALL_COMPARE(H, P, sign, name)                                                       \
  __CT_BOTH bool operator sign(const P &a, const P &b) { return a.x sign b.x && a.y sign b.y; }    \
  __CT_SMALL_COMPARE_ONE(H, sign, name)

// To be used where arithmetic, extremes and orders of H and P are known.
#define __CT_SMALL(H, P)                                                                           \
  __CT_BOTH bool __hisnan(H x) { return (float)x != (float)x; }                                    \
  __CT_BOTH bool __hne(H x, H y) { return __hlt(x, y) || __hgt(x, y); } /* not of NaN */           \
  __CT_SMALL_COMPARISON(H, P, eq) __CT_SMALL_COMPARISON(H, P, ne) __CT_SMALL_COMPARISON(H, P, lt)  \
  __CT_SMALL_COMPARISON(H, P, le) __CT_SMALL_COMPARISON(H, P, gt) __CT_SMALL_COMPARISON(H, P, ge)  \
  __CT_SMALL_OPERATOR(H, P, +, add) __CT_SMALL_OPERATOR(H, P, -, sub)                              \
  __CT_SMALL_OPERATOR(H, P, *, mul) __CT_SMALL_QUOTIENT(H, P, /) __CT_SMALL_ASSIGNMENT(H, P, /)    \
  __CT_SMALL_COMPARE(H, P, ==, eq) __CT_SMALL_COMPARE(H, P, !=, neu) __CT_SMALL_COMPARE(H, P, <, lt) \
  __CT_SMALL_COMPARE(H, P, >, gt) __CT_SMALL_COMPARE(H, P, <=, le) __CT_SMALL_COMPARE(H, P, >=, ge) \
  __CT_BOTH H operator-(const H &a) { return __ct::from_bits<H>((unsigned short)(a.__x ^ 0x8000)); } \
  __CT_BOTH H operator+(const H &a) { return a; }                                                  \
  __CT_BOTH P operator-(const P &a) { return __builtin_bit_cast(P, __builtin_bit_cast(unsigned, a) ^ 0x80008000); } \
  __CT_BOTH P operator+(const P &a) { return a; }                                                  \
  __CT_BOTH H &operator++(H &a) { return a = a + H(1.0f); }                                        \
  __CT_BOTH H &operator--(H &a) { return a = a - H(1.0f); }                                        \
  __CT_BOTH int __hisinf(H x) { return __builtin_isinf((float)x) ? (x.__x & 0x8000 ? -1 : 1) : 0; } \
  __CT_BOTH P __hisnan2(P p) { return P(H(__hisnan(p.x) ? 1.0f : 0.0f), H(__hisnan(p.y) ? 1.0f : 0.0f)); } \
  __CT_BOTH H __hdiv(H a, H b) { return a / b; }                                                   \
  __CT_BOTH P __h2div(P a, P b) { return a / b; }                                                  \
  __CT_BOTH H __hfma_relu(H a, H b, H c) { return __hmax(H(0.0f), __hfma(a, b, c)); }              \
  __CT_BOTH H __hneg(H a) { return -a; }                                                           \
  __CT_BOTH P __hneg2(P a) { return -a; }                                                          \
  __CT_BOTH H __habs(H a) { return __ct::from_bits<H>((unsigned short)(a.__x & 0x7fff)); }         \
  __CT_BOTH P __habs2(P a) { return __builtin_bit_cast(P, __builtin_bit_cast(unsigned, a) & 0x7fff7fff); } \
  __CT_SMALL_FUNCTION(H, P, exp, expf(x)) __CT_SMALL_FUNCTION(H, P, exp2, exp2f(x)) __CT_SMALL_FUNCTION(H, P, exp10, exp10f(x)) \
  __CT_SMALL_FUNCTION(H, P, log, logf(x)) __CT_SMALL_FUNCTION(H, P, log2, log2f(x)) __CT_SMALL_FUNCTION(H, P, log10, log10f(x)) \
  __CT_SMALL_FUNCTION(H, P, sin, sinf(x)) __CT_SMALL_FUNCTION(H, P, cos, cosf(x)) __CT_SMALL_FUNCTION(H, P, tanh, tanhf(x)) \
  __CT_SMALL_FUNCTION(H, P, sqrt, sqrtf(x)) __CT_SMALL_FUNCTION(H, P, rsqrt, rsqrtf(x)) __CT_SMALL_FUNCTION(H, P, rcp, 1 / x) \
  __CT_SMALL_FUNCTION(H, P, ceil, __builtin_ceilf(x)) __CT_SMALL_FUNCTION(H, P, floor, __builtin_floorf(x)) \
  __CT_SMALL_FUNCTION(H, P, trunc, __builtin_truncf(x)) __CT_SMALL_FUNCTION(H, P, rint, __builtin_rintf(x)) \
  __CT_SMALL_SHUFFLE(H, P, __shfl_sync, int by) __CT_SMALL_SHUFFLE(H, P, __shfl_up_sync, unsigned by) \
  __CT_SMALL_SHUFFLE(H, P, __shfl_down_sync, unsigned by) __CT_SMALL_SHUFFLE(H, P, __shfl_xor_sync, int by) \
  __CT_FN H __ldg(const H *p) { return __ct::from_bits<H>(__ldg((const unsigned short *)p)); }     \
  __CT_FN P __ldg(const P *p) { return __builtin_bit_cast(P, __ldg((const unsigned *)p)); }

// Atomic sums without instructions of their own: by words that are compared and swapped.
#define __CT_SMALL_ATOMIC_PAIR(P)                                                                  \
  __CT_FN P atomicAdd(P *p, P v) {                                                                 \
    unsigned was = *(volatile unsigned *)p, seen;                                                  \
    do {                                                                                           \
      seen = was;                                                                                  \
      was = atomicCAS((unsigned *)p, seen, __builtin_bit_cast(unsigned, __builtin_bit_cast(P, seen) + v)); \
    } while (was != seen);                                                                         \
    return __builtin_bit_cast(P, was);                                                             \
  }
#define __CT_SMALL_ATOMIC(H)                                                                       \
  __CT_FN H atomicAdd(H *p, H v) {                                                                 \
    unsigned short was = *(volatile unsigned short *)p, seen;                                      \
    do {                                                                                           \
      seen = was;                                                                                  \
      was = atomicCAS((unsigned short *)p, seen, (__ct::from_bits<H>(seen) + v).__x);              \
    } while (was != seen);                                                                         \
    return __ct::from_bits<H>(was);                                                                \
  }

// The types themselves: to_bits(float) and to_float(bits) convert.
#define __CT_SMALL_TYPES(H, P, to_bits, to_float)                                                  \
  struct __align__(2) H##_raw { unsigned short x; };                                               \
  struct __align__(4) P##_raw { unsigned short x, y; };                                            \
  struct __align__(2) H {                                                                          \
    unsigned short __x;                                                                            \
    H() = default;                                                                                 \
    __host__ __device__ H(float v) : __x(to_bits(v)) {}                                            \
    __host__ __device__ H(double v) : __x(to_bits((float)v)) {}                                    \
    __host__ __device__ H(int v) : __x(to_bits((float)v)) {}                                       \
    __host__ __device__ H(unsigned v) : __x(to_bits((float)v)) {}                                  \
    __host__ __device__ H(long long v) : __x(to_bits((float)v)) {}                                 \
    __host__ __device__ H(unsigned long long v) : __x(to_bits((float)v)) {}                        \
    __host__ __device__ H(short v) : __x(to_bits((float)v)) {}                                     \
    __host__ __device__ H(unsigned short v) : __x(to_bits((float)v)) {}                            \
    __host__ __device__ H(const H##_raw &r) : __x(r.x) {}                                          \
    __host__ __device__ operator H##_raw() const { return {__x}; }                                 \
    __host__ __device__ operator float() const { return to_float(__x); }                           \
    __host__ __device__ explicit operator bool() const { return __x & 0x7fff; }                    \
    __host__ __device__ explicit operator double() const { return to_float(__x); }                 \
    __host__ __device__ explicit operator int() const { return (int)to_float(__x); }               \
    __host__ __device__ explicit operator unsigned() const { return (unsigned)to_float(__x); }     \
    __host__ __device__ explicit operator long long() const { return (long long)to_float(__x); }   \
    __host__ __device__ explicit operator short() const { return (short)to_float(__x); }           \
  };                                                                                               \
  struct __align__(4) P {                                                                          \
    H x, y;                                                                                        \
    P() = default;                                                                                 \
    __host__ __device__ P(const H &a, const H &b) : x(a), y(b) {}                                  \
    __host__ __device__ P(const P##_raw &r) : x(H##_raw{r.x}), y(H##_raw{r.y}) {}                  \
    __host__ __device__ operator P##_raw() const { return {x.__x, y.__x}; }                        \
  };                                                                                               \
  namespace __ct {                                                                                 \
  template <> __host__ __device__ inline H from_bits<H>(unsigned short b) {                        \
    H h;                                                                                           \
    h.__x = b;                                                                                     \
    return h;                                                                                      \
  }                                                                                                \
  }

// Conversions by name; h and h2 are the words for the type and the pair in them, and pair rounds two floats.
#define __CT_SMALL_NAMES(H, P, h, h2, pair)                                                        \
  __CT_BOTH H __float2##h(float v) { return H(v); }                                                \
  __CT_BOTH H __float2##h##_rn(float v) { return H(v); }                                           \
  __CT_BOTH H __double2##h(double v) { return H(v); }                                              \
  __CT_BOTH float __##h##2float(H v) { return v; }                                                 \
  __CT_BOTH P __float2##h2##_rn(float v) { return pair(v, v); }                                    \
  __CT_BOTH P __floats2##h2##_rn(float a, float b) { return pair(a, b); }                          \
  __CT_BOTH P __float22##h2##_rn(float2 v) { return pair(v.x, v.y); }                              \
  __CT_BOTH float __low2float(P v) { return v.x; }                                                 \
  __CT_BOTH float __high2float(P v) { return v.y; }                                                \
  __CT_BOTH H __low2##h(P v) { return v.x; }                                                       \
  __CT_BOTH H __high2##h(P v) { return v.y; }                                                      \
  __CT_BOTH P __low2##h2(P v) { return P(v.x, v.x); }                                              \
  __CT_BOTH P __high2##h2(P v) { return P(v.y, v.y); }                                             \
  __CT_BOTH P __##h##2##h2(H v) { return P(v, v); }                                                \
  __CT_BOTH P __halves2##h2(H a, H b) { return P(a, b); }                                          \
  __CT_BOTH P make_##h2(H a, H b) { return P(a, b); }                                              \
  __CT_BOTH P __lowhigh2highlow(P v) { return P(v.y, v.x); }                                       \
  __CT_BOTH P __lows2##h2(P a, P b) { return P(a.x, b.x); }                                        \
  __CT_BOTH P __highs2##h2(P a, P b) { return P(a.y, b.y); }                                       \
  __CT_BOTH unsigned short __##h##_as_ushort(H v) { return v.__x; }                                \
  __CT_BOTH short __##h##_as_short(H v) { return (short)v.__x; }                                   \
  __CT_BOTH H __ushort_as_##h(unsigned short b) { return __ct::from_bits<H>(b); }                  \
  __CT_BOTH H __short_as_##h(short b) { return __ct::from_bits<H>((unsigned short)b); }            \
  __CT_FN int __##h##2int_rn(H v) { return __float2int_rn(v); }                                    \
  __CT_FN int __##h##2int_rz(H v) { return __float2int_rz(v); }                                    \
  __CT_FN int __##h##2int_ru(H v) { return __float2int_ru(v); }                                    \
  __CT_FN int __##h##2int_rd(H v) { return __float2int_rd(v); }                                    \
  __CT_FN unsigned __##h##2uint_rn(H v) { return __float2uint_rn(v); }                             \
  __CT_FN unsigned __##h##2uint_rz(H v) { return __float2uint_rz(v); }                             \
  __CT_FN long long __##h##2ll_rn(H v) { return __float2ll_rn(v); }                                \
  __CT_FN short __##h##2short_rn(H v) { return (short)__float2int_rn(v); }                         \
  __CT_BOTH H __int2##h##_rn(int v) { return H((float)v); }                                        \
  __CT_BOTH H __uint2##h##_rn(unsigned v) { return H((float)v); }                                  \
  __CT_BOTH H __short2##h##_rn(short v) { return H((float)v); }                                    \
  __CT_BOTH H __ushort2##h##_rn(unsigned short v) { return H((float)v); }

namespace __ct {
template <class H> __host__ __device__ H from_bits(unsigned short b);
}
