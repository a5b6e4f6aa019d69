// The error function and its kin. (1 + 2 x) erfcx(x) is a smooth function of (x - 4) / (x + 4) from 0 to
// infinity (Shepherd and Laframboise, Math. Comp. 36, 1981).
#pragma once

#include "math_exp.h"

namespace __ct {
__CT_MATH float poly_erf(float z) { return poly(erf_f, z); }
__CT_MATH double poly_erf(double z) { return poly(erf_d, z); }
__CT_MATH float poly_erfcx(float t) { return poly(erfcx_f, t); }
__CT_MATH double poly_erfcx(double t) { return poly(erfcx_d, t); }

// e^(x^2) erfc(x) for x >= 0
template <class T> __CT_MATH T erfcx_of(T a) {
  if (a < (T)0.5) { // near the end of the range the quotient costs bits
    T z = mul(a, a);
    return exp<T>(z) * (1 - fma(a, poly_erf(z), a));
  }
  T q = 1 / (a + 4), t = mul(a - 4, q);
  t = fma(q, fma(-t, a, fma((T)-4, t, a - 4)), t); // t (a + 4) = a - 4, corrected once
  T p = poly_erfcx(t), d = 1 / fma((T)2, a, (T)1), v = mul(p, d);
  return fma(d, fma(-v, fma((T)2, a, (T)1), p), v);
}
// erfc(a) = e^(-a^2) erfcx(a) for a >= 0; the square as a pair.
template <class T> __CT_MATH T erfc_of(T a) {
  a = a > 30 ? (T)30 : a;
  pair<T> s = product(a, a);
  return scale(exp_pair(-s.hi, -s.lo, 100) * erfcx_of(a), -100);
}
template <class T> __CT_MATH T erf(T x) {
  T a = absolute(x);
  if (a < 1) return fma(x, poly_erf(mul(x, x)), x);
  return sign_of(1 - erfc_of(a), x);
}
template <class T> __CT_MATH T erfc(T x) {
  T a = absolute(x);
  if (x != x) return x;
  if (a < (T)0.5) return 1 - fma(x, poly_erf(mul(x, x)), x);
  return x < 0 ? 2 - erfc_of(a) : erfc_of(a);
}
template <class T> __CT_MATH T erfcx(T x) {
  if (x >= 0) return x < (T)0x1p60 ? erfcx_of(x) : (T)0x1.20dd750429b6dp-1 / x;
  if (x < -30) return infinity<T>();
  pair<T> s = product(x, x);
  T e = exp<T>(s.hi); // half of what is to come: twice the rounded square can be out of range where the result is not
  return fma((T)2, e < infinity<T>() ? fma(e, s.lo, e) : e, -erfcx_of(-x));
}
template <class T> __CT_MATH T normcdf(T x) {
  // Phi(x) = erfc(-x / sqrt 2) / 2; the quotient as a pair, of which the rest changes the result by its slope.
  if (x != x) return x;
  T root_half = (T)0x1.6a09e667f3bcdp-1, root_half_lo = (T)(sizeof(T) == 4 ? 0x1.6a09e667f3bcdp-1 - (double)root_half : -0x1.bdd3413b26456p-55);
  T y = x < -40 ? (T)-40 : x > 40 ? (T)40 : x;
  T a = mul(-y, root_half), rest = fma(-y, root_half_lo, fma(-y, root_half, -a));
  T v = erfc(a);
  // erfc' / erfc is -2 a for large a, where it matters.
  if (a > 1) v = fma(mul(-2 * a, rest), v, v);
  return (T)0.5 * v;
}
} // namespace __ct
