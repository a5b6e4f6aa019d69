// The mathematical functions under CUDA's names (CUDA math API). With use of the special-function
// unit's approximations (clang: -fcuda-approx-transcendentals) the functions that nvcc's
// -use_fast_math replaces are these.
#pragma once

#include "math_all.h"
#include "math_exact.h"
#include "rounding.h"

// name(double), namef(float), and name for float and integers, as C++ has it.
#define __CT_OVERLOADS1(name)                                                                      \
  __CT_FN float name(float x) { return name##f(x); }                                               \
  template <class T> __CT_FN typename __ct::only_if<__ct::is_integer<T>::value, double>::type name(T x) { \
    return name((double)x);                                                                        \
  }
#define __CT_DOUBLE1(name)                                                                         \
  __CT_FN double name(double x) { return __ct::name(x); }                                          \
  __CT_OVERLOADS1(name)
#define __CT_FUNCTION1(name)                                                                       \
  __CT_FN float name##f(float x) { return __ct::name(x); }                                         \
  __CT_DOUBLE1(name)
#define __CT_FUNCTION2(name)                                                                       \
  __CT_FN float name##f(float x, float y) { return __ct::name(x, y); }                             \
  __CT_FN double name(double x, double y) { return __ct::name(x, y); }                             \
  __CT_FN float name(float x, float y) { return name##f(x, y); }

#if defined(__USE_FAST_MATH__)
__CT_FN float sinf(float x) { return __sinf(x); }
__CT_FN float cosf(float x) { return __cosf(x); }
__CT_FN float tanf(float x) { return __tanf(x); }
__CT_FN void sincosf(float x, float *s, float *c) { __sincosf(x, s, c); }
__CT_FN float expf(float x) { return __expf(x); }
__CT_FN float exp2f(float x) { return __exp2f(x); }
__CT_FN float exp10f(float x) { return __exp10f(x); }
__CT_FN float logf(float x) { return __logf(x); }
__CT_FN float log2f(float x) { return __log2f(x); }
__CT_FN float log10f(float x) { return __log10f(x); }
__CT_FN float powf(float x, float y) { return __powf(x, y); }
__CT_DOUBLE1(sin) __CT_DOUBLE1(cos) __CT_DOUBLE1(tan) __CT_DOUBLE1(exp) __CT_DOUBLE1(exp2) __CT_DOUBLE1(exp10)
__CT_DOUBLE1(log) __CT_DOUBLE1(log2) __CT_DOUBLE1(log10)
__CT_FN double pow(double x, double y) { return __ct::pow(x, y); }
__CT_FN float pow(float x, float y) { return powf(x, y); }
#else
__CT_FUNCTION1(sin) __CT_FUNCTION1(cos) __CT_FUNCTION1(tan) __CT_FUNCTION1(exp) __CT_FUNCTION1(exp2) __CT_FUNCTION1(exp10)
__CT_FUNCTION1(log) __CT_FUNCTION1(log2) __CT_FUNCTION1(log10) __CT_FUNCTION2(pow)
__CT_FN void sincosf(float x, float *s, float *c) { __ct::sincos(x, s, c); }
#endif
__CT_FUNCTION1(sinpi) __CT_FUNCTION1(cospi) __CT_FUNCTION1(asin) __CT_FUNCTION1(acos) __CT_FUNCTION1(atan)
__CT_FUNCTION1(sinh) __CT_FUNCTION1(cosh) __CT_FUNCTION1(tanh) __CT_FUNCTION1(asinh) __CT_FUNCTION1(acosh)
__CT_FUNCTION1(atanh) __CT_FUNCTION1(expm1) __CT_FUNCTION1(log1p) __CT_FUNCTION1(cbrt) __CT_FUNCTION1(rcbrt)
__CT_FUNCTION1(erf) __CT_FUNCTION1(erfc) __CT_FUNCTION1(erfcx) __CT_FUNCTION1(erfinv) __CT_FUNCTION1(erfcinv)
__CT_FUNCTION1(normcdf) __CT_FUNCTION1(normcdfinv) __CT_FUNCTION1(lgamma) __CT_FUNCTION1(tgamma)
__CT_FUNCTION1(j0) __CT_FUNCTION1(j1) __CT_FUNCTION1(y0) __CT_FUNCTION1(y1)
__CT_FUNCTION1(cyl_bessel_i0) __CT_FUNCTION1(cyl_bessel_i1)
__CT_FUNCTION2(atan2) __CT_FUNCTION2(hypot) __CT_FUNCTION2(rhypot)
__CT_FUNCTION1(logb)
__CT_FUNCTION2(fmod) __CT_FUNCTION2(remainder) __CT_FUNCTION2(fdim) __CT_FUNCTION2(nextafter)

__CT_FN void sincos(double x, double *s, double *c) { __ct::sincos(x, s, c); }
__CT_FN void sincos(float x, float *s, float *c) { sincosf(x, s, c); }
__CT_FN void sincospi(double x, double *s, double *c) { __ct::sincospi(x, s, c); }
__CT_FN void sincospif(float x, float *s, float *c) { __ct::sincospi(x, s, c); }
__CT_FN void sincospi(float x, float *s, float *c) { __ct::sincospi(x, s, c); }

#define __CT_NORM(name)                                                                            \
  __CT_FN double name##3d(double a, double b, double c) { return __ct::name##3d(a, b, c); }        \
  __CT_FN float name##3df(float a, float b, float c) { return __ct::name##3d(a, b, c); }           \
  __CT_FN double name##4d(double a, double b, double c, double d) { return __ct::name##4d(a, b, c, d); } \
  __CT_FN float name##4df(float a, float b, float c, float d) { return __ct::name##4d(a, b, c, d); }
__CT_NORM(norm)
__CT_NORM(rnorm)
#undef __CT_NORM

// Single instructions, or a few.
#define __CT_BUILTIN1(name)                                                                        \
  __CT_FN float name##f(float x) { return __builtin_##name##f(x); }                                \
  __CT_FN double name(double x) { return __builtin_##name(x); }                                    \
  __CT_OVERLOADS1(name)
#define __CT_BUILTIN2(name)                                                                        \
  __CT_FN float name##f(float x, float y) { return __builtin_##name##f(x, y); }                    \
  __CT_FN double name(double x, double y) { return __builtin_##name(x, y); }                       \
  __CT_FN float name(float x, float y) { return name##f(x, y); }
__CT_BUILTIN1(fabs) __CT_BUILTIN1(floor) __CT_BUILTIN1(ceil) __CT_BUILTIN1(trunc) __CT_BUILTIN1(rint)
__CT_BUILTIN1(nearbyint) __CT_BUILTIN1(round)
__CT_BUILTIN2(fmin) __CT_BUILTIN2(fmax) __CT_BUILTIN2(copysign)
__CT_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__CT_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
__CT_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__CT_FN float sqrtf(float x) { return __builtin_sqrtf(x); }
__CT_FN double sqrt(double x) { return __nvvm_sqrt_rn_d(x); }
__CT_OVERLOADS1(sqrt)
__CT_FN float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
__CT_DOUBLE1(rsqrt)
__CT_FN float fdividef(float a, float b) { return a / b; }
__CT_FN float abs(float x) { return __builtin_fabsf(x); }
__CT_FN double abs(double x) { return __builtin_fabs(x); }

#define __CT_ROUND_TO(name, type, by)                                                              \
  __CT_FN type name##f(float x) { return (type)__builtin_##by##f(x); }                             \
  __CT_FN type name(double x) { return (type)__builtin_##by(x); }                                  \
  __CT_FN type name(float x) { return name##f(x); }
__CT_ROUND_TO(lrint, long, rint)
__CT_ROUND_TO(llrint, long long, rint)
__CT_ROUND_TO(lround, long, round)
__CT_ROUND_TO(llround, long long, round)
#undef __CT_ROUND_TO

#define __CT_PARTS(type, f)                                                                        \
  __CT_FN type ldexp##f(type x, int n) { return __ct::ldexp(x, n); }                               \
  __CT_FN type scalbn##f(type x, int n) { return __ct::ldexp(x, n); }                              \
  __CT_FN type scalbln##f(type x, long n) { return __ct::ldexp(x, n < -9999 ? -9999 : n > 9999 ? 9999 : (int)n); } \
  __CT_FN type frexp##f(type x, int *n) { return __ct::frexp(x, n); }                              \
  __CT_FN int ilogb##f(type x) { return __ct::ilogb(x); }                                          \
  __CT_FN type remquo##f(type x, type y, int *q) { return __ct::remquo(x, y, q); }                 \
  __CT_FN type modf##f(type x, type *whole) {                                                      \
    *whole = __builtin_trunc##f(x);                                                                \
    return __builtin_copysign##f(x - *whole == x - *whole ? x - *whole : x == x ? 0 : x, x);       \
  }                                                                                                \
  __CT_FN type nan##f(const char *) { return __builtin_nan##f(""); }                               \
  __CT_FN type jn##f(int n, type x) { return __ct::jn(n, x); }                                     \
  __CT_FN type yn##f(int n, type x) { return __ct::yn(n, x); }
__CT_PARTS(double, )
__CT_PARTS(float, f)
#undef __CT_PARTS
__CT_FN float ldexp(float x, int n) { return ldexpf(x, n); }
__CT_FN float scalbn(float x, int n) { return scalbnf(x, n); }
__CT_FN float scalbln(float x, long n) { return scalblnf(x, n); }
__CT_FN float frexp(float x, int *n) { return frexpf(x, n); }
__CT_FN int ilogb(float x) { return ilogbf(x); }
__CT_FN float remquo(float x, float y, int *q) { return remquof(x, y, q); }
__CT_FN float modf(float x, float *whole) { return modff(x, whole); }

#undef __CT_OVERLOADS1
#undef __CT_DOUBLE1
#undef __CT_FUNCTION1
#undef __CT_FUNCTION2
#undef __CT_BUILTIN1
#undef __CT_BUILTIN2
