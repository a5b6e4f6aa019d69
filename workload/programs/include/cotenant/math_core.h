// What the mathematical functions are made of. They are plain C++ too, so that a test can try every
// argument at a CPU's speed; both sides give the same bits, because fused operations are written as
// fma and products that a sum takes unfused as mul.
#pragma once

#if defined(__CUDA__)
#include "define.h"
#define __CT_MATH static __inline__ __device__
#define __CT_SLOW static __device__ __attribute__((noinline, unused))
#define __CT_TABLE static __device__ const
#else
#define __CT_MATH static inline
#define __CT_SLOW static __attribute__((noinline, unused))
#define __CT_TABLE static const
#endif

#include "coefficients.h"

namespace __ct {
typedef unsigned int u32;
typedef unsigned long long u64;

__CT_MATH float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__CT_MATH double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#if defined(__CUDA__)
// Inline PTX, because clang's optimizer takes __nvvm_mul_rn_f for an ordinary product.
__CT_MATH float mul(float a, float b) {
  float p;
  __asm__("mul.rn.f32 %0, %1, %2;" : "=f"(p) : "f"(a), "f"(b));
  return p;
}
__CT_MATH double mul(double a, double b) {
  double p;
  __asm__("mul.rn.f64 %0, %1, %2;" : "=d"(p) : "d"(a), "d"(b));
  return p;
}
__CT_MATH float root(float a) { return __nvvm_sqrt_rn_f(a); }
__CT_MATH double root(double a) { return __nvvm_sqrt_rn_d(a); }
__CT_MATH u64 high(u64 a, u64 b) { return __nvvm_mulhi_ull(a, b); }
// Of the special-function unit.
__CT_MATH float ex2(float a) { return __nvvm_ex2_approx_f(a); }
__CT_MATH float reciprocal(float a) { return __nvvm_rcp_approx_ftz_f(a); }
#else
__CT_MATH float mul(float a, float b) { return a * b; }
__CT_MATH double mul(double a, double b) { return a * b; }
__CT_MATH float root(float a) { return __builtin_sqrtf(a); }
__CT_MATH double root(double a) { return __builtin_sqrt(a); }
__CT_MATH u64 high(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
__CT_MATH float ex2(float a) { return (float)__builtin_exp2((double)a); } // as the emulator has it
__CT_MATH float reciprocal(float a) { return 1 / a; }
#endif
__CT_MATH float absolute(float a) { return __builtin_fabsf(a); }
__CT_MATH double absolute(double a) { return __builtin_fabs(a); }
__CT_MATH float sign_of(float a, float s) { return __builtin_copysignf(a, s); }
__CT_MATH double sign_of(double a, double s) { return __builtin_copysign(a, s); }
__CT_MATH u32 bits(float a) { return __builtin_bit_cast(u32, a); }
__CT_MATH u64 bits(double a) { return __builtin_bit_cast(u64, a); }
__CT_MATH float real(u32 a) { return __builtin_bit_cast(float, a); }
__CT_MATH double real(u64 a) { return __builtin_bit_cast(double, a); }

// The polynomial with these coefficients, the constant first, by Horner's rule.
template <class T, int n> __CT_MATH T poly(const T (&c)[n], T x) {
  T p = c[n - 1];
  _Pragma("unroll") for (int i = n - 2; i >= 0; i--) p = fma(p, x, c[i]);
  return p;
}

// x 2^n for |n| up to 252 or 2044: in two steps, so that only the last can round.
__CT_MATH float scale(float x, int n) {
  int h = n >> 1;
  return x * real((u32)(h + 127) << 23) * real((u32)(n - h + 127) << 23);
}
__CT_MATH double scale(double x, int n) {
  int h = n >> 1;
  return x * real((u64)(h + 1023) << 52) * real((u64)(n - h + 1023) << 52);
}

template <class T> __CT_MATH T infinity() { return (T)__builtin_inf(); }
template <class T> __CT_MATH T not_a_number() { return (T)__builtin_nan(""); }

// Rounds to an integer, to nearest even, for |x| up to 2^22 or 2^51; n is the integer.
__CT_MATH float integer(float x, int *n) {
  float shifted = x + 0x1.8p23f;
  *n = (int)(bits(shifted) - bits(0x1.8p23f));
  return shifted - 0x1.8p23f;
}
__CT_MATH double integer(double x, int *n) {
  double shifted = x + 0x1.8p52;
  *n = (int)(u32)bits(shifted);
  return shifted - 0x1.8p52;
}

// A number as the sum of two, and sums and products without error (Dekker; Knuth).
template <class T> struct pair { T hi, lo; };
template <class T> __CT_MATH pair<T> fast_sum(T a, T b) { // |a| >= |b|
  T s = a + b;
  pair<T> p = {s, b - (s - a)};
  return p;
}
template <class T> __CT_MATH pair<T> sum(T a, T b) {
  T s = a + b, c = s - a;
  pair<T> p = {s, (a - (s - c)) + (b - c)};
  return p;
}
template <class T> __CT_MATH pair<T> product(T a, T b) {
  T m = mul(a, b);
  pair<T> p = {m, fma(a, b, -m)};
  return p;
}
} // namespace __ct
