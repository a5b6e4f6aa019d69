// CUDA's mathematical functions that the C library lacks, for host code. Not a header of CUDA.
#pragma once

#include <math.h>

#include "define.h"

// name(double), name for float, and namef(float).
#define __CT_HOST1(name, expression)                                                               \
  __CT_HOST double name(double x) { return expression; }                                           \
  __CT_HOST float name(float x) { return (float)name((double)x); }                                 \
  __CT_HOST float name##f(float x) { return (float)name((double)x); }
#define __CT_HOST2(name, expression)                                                               \
  __CT_HOST double name(double x, double y) { return expression; }                                 \
  __CT_HOST float name(float x, float y) { return (float)name((double)x, (double)y); }             \
  __CT_HOST float name##f(float x, float y) { return (float)name((double)x, (double)y); }

// sin(pi x / 2), exact where x is a whole number.
__CT_HOST double __ct_sine_of_quarters(double x) {
  double quarters = nearbyint(x), rest = (x - quarters) * 1.5707963267948966;
  switch ((int)remainder(quarters, 4.0)) {
  case 0: return sin(rest);
  case 1: return cos(rest);
  case -1: return -cos(rest);
  default: return -sin(rest);
  }
}

__CT_HOST1(rsqrt, 1 / sqrt(x))
__CT_HOST1(rcbrt, 1 / cbrt(x))
__CT_HOST1(sinpi, __ct_sine_of_quarters(2 * remainder(x, 2.0)))
__CT_HOST1(cospi, __ct_sine_of_quarters(2 * remainder(x, 2.0) + 1))
__CT_HOST1(normcdf, erfc(x * -0.7071067811865476) / 2)
__CT_HOST2(rhypot, 1 / hypot(x, y))
__CT_HOST void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
__CT_HOST void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
__CT_HOST float fdividef(float a, float b) { return a / b; }
#undef __CT_HOST1
#undef __CT_HOST2
