// Arithmetic and conversions with a rounding in the name: rn to nearest even, rz towards zero, ru up,
// rd down; and the approximations of the special-function unit (CUDA math API: intrinsics).
#pragma once

#include "define.h"

#define __CT_ROUNDED(suffix, mode)                                                                 \
  __CT_FN float __fmaf_##suffix(float a, float b, float c) { return __nvvm_fma_##mode##_f(a, b, c); } \
  __CT_FN float __fdiv_##suffix(float a, float b) { return __nvvm_div_##mode##_f(a, b); }          \
  __CT_FN float __frcp_##suffix(float a) { return __nvvm_rcp_##mode##_f(a); }                      \
  __CT_FN float __fsqrt_##suffix(float a) { return __nvvm_sqrt_##mode##_f(a); }                    \
  __CT_FN double __fma_##suffix(double a, double b, double c) { return __nvvm_fma_##mode##_d(a, b, c); } \
  __CT_FN double __ddiv_##suffix(double a, double b) { return __nvvm_div_##mode##_d(a, b); }       \
  __CT_FN double __drcp_##suffix(double a) { return __nvvm_rcp_##mode##_d(a); }                    \
  __CT_FN double __dsqrt_##suffix(double a) { return __nvvm_sqrt_##mode##_d(a); }                  \
  __CT_FN int __float2int_##suffix(float a) { return __nvvm_f2i_##mode(a); }                       \
  __CT_FN unsigned __float2uint_##suffix(float a) { return __nvvm_f2ui_##mode(a); }                \
  __CT_FN long long __float2ll_##suffix(float a) { return __nvvm_f2ll_##mode(a); }                 \
  __CT_FN unsigned long long __float2ull_##suffix(float a) { return __nvvm_f2ull_##mode(a); }      \
  __CT_FN int __double2int_##suffix(double a) { return __nvvm_d2i_##mode(a); }                     \
  __CT_FN unsigned __double2uint_##suffix(double a) { return __nvvm_d2ui_##mode(a); }              \
  __CT_FN long long __double2ll_##suffix(double a) { return __nvvm_d2ll_##mode(a); }               \
  __CT_FN unsigned long long __double2ull_##suffix(double a) { return __nvvm_d2ull_##mode(a); }    \
  __CT_FN float __double2float_##suffix(double a) { return __nvvm_d2f_##mode(a); }
__CT_ROUNDED(rn, rn)
__CT_ROUNDED(rz, rz)
__CT_ROUNDED(ru, rp)
__CT_ROUNDED(rd, rm)
#undef __CT_ROUNDED

// Sums and products never become part of a fused operation. They are inline PTX, because clang's
// optimizer takes its own functions of the mode rn for ordinary sums and products.
#define __CT_UNFUSED(name, type, operation, letter)                                                \
  __CT_FN type name(type a, type b) {                                                              \
    type r;                                                                                        \
    __asm__(operation " %0, %1, %2;" : "=" letter(r) : letter(a), letter(b));                      \
    return r;                                                                                      \
  }
#define __CT_UNFUSED_ALL(suffix, mode)                                                             \
  __CT_UNFUSED(__fadd_##suffix, float, "add." mode ".f32", "f")                                    \
  __CT_UNFUSED(__fsub_##suffix, float, "sub." mode ".f32", "f")                                    \
  __CT_UNFUSED(__fmul_##suffix, float, "mul." mode ".f32", "f")                                    \
  __CT_UNFUSED(__dadd_##suffix, double, "add." mode ".f64", "d")                                   \
  __CT_UNFUSED(__dsub_##suffix, double, "sub." mode ".f64", "d")                                   \
  __CT_UNFUSED(__dmul_##suffix, double, "mul." mode ".f64", "d")
__CT_UNFUSED_ALL(rn, "rn")
__CT_UNFUSED_ALL(rz, "rz")
__CT_UNFUSED_ALL(ru, "rp")
__CT_UNFUSED_ALL(rd, "rm")
#undef __CT_UNFUSED
#undef __CT_UNFUSED_ALL

// Integers to reals: inline PTX, because clang's optimizer takes rz for rn.
#define __CT_REAL(name, to, from, types, from_letter, to_letter)                                   \
  __CT_REAL1(name##_rn, "rn", to, from, types, from_letter, to_letter)                             \
  __CT_REAL1(name##_rz, "rz", to, from, types, from_letter, to_letter)                             \
  __CT_REAL1(name##_ru, "rp", to, from, types, from_letter, to_letter)                             \
  __CT_REAL1(name##_rd, "rm", to, from, types, from_letter, to_letter)
#define __CT_REAL1(name, mode, to, from, types, from_letter, to_letter)                            \
  __CT_FN to name(from a) {                                                                        \
    to r;                                                                                          \
    __asm__("cvt." mode "." types " %0, %1;" : to_letter(r) : from_letter(a));                     \
    return r;                                                                                      \
  }
__CT_REAL(__int2float, float, int, "f32.s32", "r", "=f")
__CT_REAL(__uint2float, float, unsigned, "f32.u32", "r", "=f")
__CT_REAL(__ll2float, float, long long, "f32.s64", "l", "=f")
__CT_REAL(__ull2float, float, unsigned long long, "f32.u64", "l", "=f")
__CT_REAL(__ll2double, double, long long, "f64.s64", "l", "=d")
__CT_REAL(__ull2double, double, unsigned long long, "f64.u64", "l", "=d")
#undef __CT_REAL
#undef __CT_REAL1
__CT_FN double __int2double_rn(int a) { return a; }
__CT_FN double __uint2double_rn(unsigned a) { return a; }
// Correctly rounded by way of double precision: the root has more than twice the bits.
__CT_FN float __frsqrt_rn(float a) { return (float)__nvvm_div_rn_d(1.0, __nvvm_sqrt_rn_d((double)a)); }

__CT_FN int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
__CT_FN unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
__CT_FN float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
__CT_FN float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
__CT_FN long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
__CT_FN double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
__CT_FN int __double2hiint(double a) { return (int)(__builtin_bit_cast(unsigned long long, a) >> 32); }
__CT_FN int __double2loint(double a) { return (int)__builtin_bit_cast(unsigned long long, a); }
__CT_FN double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, (unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

__CT_FN float __saturatef(float a) { return __nvvm_saturate_f(a); }
__CT_FN float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }

// The special-function unit's approximations, and what CUDA builds on them.
__CT_FN float __sinf(float a) { return __nvvm_sin_approx_f(a); }
__CT_FN float __cosf(float a) { return __nvvm_cos_approx_f(a); }
__CT_FN void __sincosf(float a, float *s, float *c) { *s = __sinf(a); *c = __cosf(a); }
__CT_FN float __tanf(float a) { return __fdividef(__sinf(a), __cosf(a)); }
__CT_FN float __log2f(float a) { return __nvvm_lg2_approx_f(a); }
__CT_FN float __logf(float a) { return __fmul_rn(__log2f(a), 0x1.62e430p-1f); }    // ln 2
__CT_FN float __log10f(float a) { return __fmul_rn(__log2f(a), 0x1.344136p-2f); }  // log10 2
__CT_FN float __exp2f(float a) { return __nvvm_ex2_approx_f(a); }
__CT_FN float __expf(float a) { return __exp2f(__fmul_rn(a, 0x1.715476p+0f)); }    // log2 e
__CT_FN float __exp10f(float a) { return __exp2f(__fmul_rn(a, 0x1.a934f0p+1f)); }  // log2 10
__CT_FN float __powf(float a, float b) { return __exp2f(__fmul_rn(b, __log2f(a))); }
__CT_FN float __tanhf(float a) {
  float t;
  __asm__("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(a));
  return t;
}
