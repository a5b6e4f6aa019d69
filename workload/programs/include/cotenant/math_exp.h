// Exponentials, logarithms, powers, hyperbolic functions and roots, in both precisions. Exponents are
// split off in two parts (Cody and Waite); polynomials are ours.
#pragma once

#include "math_core.h"

namespace __ct {
#define __CT_BY_TYPE(name)                                                                         \
  __CT_MATH float poly_##name(float x) { return poly(name##_f, x); }                               \
  __CT_MATH double poly_##name(double x) { return poly(name##_d, x); }
__CT_BY_TYPE(exp)
__CT_BY_TYPE(expm1)
__CT_BY_TYPE(sinh)
__CT_BY_TYPE(tanh)
__CT_BY_TYPE(atanh2)
#undef __CT_BY_TYPE

// Logarithms of 2, e and 10 to each other's base, as two numbers each.
#define __CT_CONSTANT(name, f, f_lo, d, d_lo)                                                      \
  __CT_MATH float name(float) { return f; }                                                        \
  __CT_MATH float name##_lo(float) { return f_lo; }                                                \
  __CT_MATH double name(double) { return d; }                                                      \
  __CT_MATH double name##_lo(double) { return d_lo; }
__CT_CONSTANT(ln2, 0x1.62e43p-1f, -0x1.05c61p-29f, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)
// The first part has few bits, so that a product with an exponent is exact.
__CT_CONSTANT(ln2_short, 0x1.62ep-1f, 0x1.0bfbe8p-15f, 0x1.62e42fefa3000p-1, 0x1.3de6af278ece6p-42)
__CT_CONSTANT(log2_e, 0x1.715476p+0f, 0x1.4ae0cp-26f, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56)
__CT_CONSTANT(ln10, 0x1.26bb1cp+1f, -0x1.12aabap-25f, 0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53)
__CT_CONSTANT(log10_2, 0x1.344136p-2f, -0x1.ec10cp-27f, 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59)
__CT_CONSTANT(log2_10, 0x1.a934fp+1f, 0x1.2f346ep-24f, 0x1.a934f0979a371p+1, 0x1.7f2495fb7fa6dp-53)
__CT_CONSTANT(log10_e, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57)
#undef __CT_CONSTANT

// Limits the argument of an exponential to where results are 0 or infinite for certain; NaN stays.
__CT_MATH float bounded(float x) { return x < -152 ? -152 : x > 152 ? 152 : x; }
__CT_MATH double bounded(double x) { return x < -1100 ? -1100 : x > 1100 ? 1100 : x; }

// e^(r + lost) near r = 0.
template <class T> __CT_MATH T exp_near(T r, T lost) { return 1 + (r + fma(mul(r, r), poly_exp(r), lost)); }

// x = n log 2 + r
template <class T> __CT_MATH T exp_rest(T x, int *n) {
  T j = integer(mul(x, log2_e(x)), n);
  return fma(j, -ln2_lo(x), fma(j, -ln2(x), x));
}
// e^x 2^up
template <class T> __CT_MATH T exp(T x, int up = 0) {
  int n;
  T r = exp_rest(bounded(x), &n);
  return scale(exp_near(r, (T)0), n + up);
}
template <class T> __CT_MATH T exp2(T x) {
  int n;
  x = bounded(x);
  T f = x - integer(x, &n), r = mul(f, ln2(x));
  return scale(exp_near(r, fma(f, ln2_lo(x), fma(f, ln2(x), -r))), n);
}
template <class T> __CT_MATH T exp10(T x) {
  int n;
  x = bounded(x * (T)2) * (T)0.5; // 10^x is out of range long before
  T j = integer(mul(x, log2_10(x)), &n), f = fma(j, -log10_2_lo(x), fma(j, -log10_2(x), x)), r = mul(f, ln10(x));
  return scale(exp_near(r, fma(f, ln10_lo(x), fma(f, ln10(x), -r))), n);
}

// In single precision the special-function unit raises 2 to the fraction. The integer next to y, as long as
// 2 to it is a normal number, and that power:
__CT_MATH float exponent_of(float y, float *power) {
  const float shift = 0x1.8p23f + 127;
  float shifted = __builtin_fminf(__builtin_fmaxf(y, -126.0f), 126.0f) + shift;
  *power = real(bits(shifted) << 23);
  return shifted - shift;
}
__CT_MATH float exp(float x) {
  float power, n = exponent_of(mul(x, log2_e(x)), &power);
  return mul(ex2(fma(x, log2_e_lo(x), fma(x, log2_e(x), -n))), power);
}
__CT_MATH float exp2(float x) {
  float power, n = exponent_of(x, &power);
  return mul(ex2(x - n), power);
}
__CT_MATH float exp10(float x) {
  float power, n = exponent_of(mul(x, log2_10(x)), &power);
  return mul(ex2(fma(x, log2_10_lo(x), fma(x, log2_10(x), -n))), power);
}

// e^x - 1
template <class T> __CT_MATH T expm1(T x) {
  int n;
  if (absolute(x) < (T)0.5) return x == 0 ? x : fma(mul(x, x), poly_expm1(x), x);
  if (x > (sizeof(T) == 4 ? 89 : 710)) return infinity<T>();
  T r = exp_rest(bounded(x), &n), q = fma(mul(r, r), poly_expm1(r), r);
  // 2^n may be out of range where e^x is not.
  T s = scale((T)1, n - 1);
  return 2 * fma(q, s, s - (T)0.5);
}

// The exponent of x and its fraction less one; x is positive and finite.
__CT_MATH float fraction(float x, float *exponent) {
  float e = 0;
  if (x < 0x1p-126f) x *= 0x1p23f, e = -23;
  int i = (int)((bits(x) - 0x3f2aaaab) & 0xff800000); // fractions from 2/3 on
  *exponent = e + (float)(i >> 23);
  return real(bits(x) - (u32)i) - 1;
}
__CT_MATH double fraction(double x, double *exponent) {
  double e = 0;
  if (x < 0x1p-1022) x *= 0x1p52, e = -52;
  long long i = (long long)((bits(x) - 0x3fe6a09e00000000) & 0xfff0000000000000); // from sqrt(1/2) on
  *exponent = e + (double)(int)(i >> 52);
  return real(bits(x) - (u64)i) - 1;
}
template <class T> __CT_MATH bool ordinary(T x) { return x > 0 && x < infinity<T>(); }
// The logarithm of what is not positive and finite.
template <class T> __CT_MATH T log_edge(T x) {
  return x == 0 ? -infinity<T>() : x < 0 ? not_a_number<T>() : x + x;
}

// e log 2 + log(1 + f)
__CT_MATH float log_of(float e, float f) { return fma(e, ln2(e), fma(mul(f, f), poly(log_f, f), f)); }
__CT_MATH double log_of(double e, double f) {
  // log(1 + f) = f - f^2/2 + s (f^2/2 + R) with s = f / (2 + f), as in fdlibm.
  double s = f / (2 + f), z = mul(s, s), half = mul(mul(f, f), 0.5), r = mul(z, poly(atanh_d, z));
  double tail = fma(s, half + r, mul(e, ln2_short_lo(e))) - half;
  pair<double> whole = fast_sum(mul(e, ln2_short(e)), f);
  return e == 0 ? f + tail : whole.hi + (whole.lo + tail);
}
// The same with the sum of the first terms as a pair and a correction of f, where x itself is near 1.
__CT_MATH float log_near(float e, float f, float lost) {
  pair<float> whole = fast_sum(mul(e, ln2_short(e)), f);
  float tail = fma(mul(f, f), poly(log_f, f), fma(e, ln2_short_lo(e), fma(-f, lost, lost)));
  return e == 0 ? f + tail : whole.hi + (whole.lo + tail);
}
__CT_MATH double log_near(double e, double f, double lost) { return log_of(e, f) + fma(-f, lost, lost); }
template <class T> __CT_MATH T log(T x) {
  if (!ordinary(x)) return log_edge(x);
  T e, f = fraction(x, &e);
  return log_of(e, f);
}
template <class T> __CT_MATH T log1p(T x) {
  if (!ordinary(1 + x)) return log_edge(1 + x);
  // 1 + x = 2^n (1 + f), where f comes from x itself, so that nothing of x is lost.
  T e;
  fraction(1 + x, &e);
  T s = scale((T)1, -(int)e), f = fma(s, x, s - 1);
  return x == 0 ? x : log_near(e, f, fma(s, x, (s - 1) - f));
}

// log x as two numbers: e log 2 + 2 s + 2/3 s^3 + ..., with the first terms as pairs.
template <class T> __CT_MATH pair<T> log_pair(T x) {
  const T third = (T)(2.0 / 3), third_lo = (T)(2.0 / 3 - (double)third) + (sizeof(T) == 8 ? (T)0x1.5555555555555p-55 : 0);
  T e, f = fraction(x, &e), d = 2 + f, d_lo = f - (d - 2), q = 1 / d, s = mul(f, q);
  T s_lo = mul(q, fma(-s, d_lo, fma(-s, d, f)));
  pair<T> z = product(s, s);
  z.lo = fma(2 * s, s_lo, z.lo);
  pair<T> c = fast_sum(third, mul(z.hi, poly_atanh2(z.hi)));
  c.lo += third_lo;
  pair<T> t = product(z.hi, c.hi), u = product(s, (t.lo = fma(z.hi, c.lo, fma(z.lo, c.hi, t.lo)), t.hi));
  u.lo = fma(s, t.lo, fma(s_lo, t.hi, u.lo));
  pair<T> l = fast_sum(2 * s, u.hi);
  l.lo += fma((T)2, s_lo, u.lo);
  T whole = mul(e, ln2_short(e));
  pair<T> a = e == 0 ? l : fast_sum(whole, l.hi);
  if (e != 0) a.lo += fma(e, ln2_short_lo(e), l.lo);
  return fast_sum(a.hi, a.lo);
}
// The logarithm to another base, of which hi and lo are the factor.
template <class T> __CT_MATH T log_by(T x, T hi, T lo) {
  if (!ordinary(x)) return log_edge(x);
  pair<T> l = log_pair(x), p = product(l.hi, hi);
  return p.hi + fma(l.hi, lo, fma(l.lo, hi, p.lo));
}
__CT_MATH double log2(double x) { return log_by(x, log2_e(x), log2_e_lo(x)); }
__CT_MATH double log10(double x) { return log_by(x, log10_e(x), log10_e_lo(x)); }
__CT_MATH float log2(float x) {
  if (!ordinary(x)) return log_edge(x);
  float e, f = fraction(x, &e);
  return e + fma(f, log2_e(f), fma(f, log2_e_lo(f), mul(mul(f, f), poly(log2_f, f))));
}
__CT_MATH float log10(float x) {
  if (!ordinary(x)) return log_edge(x);
  float e, f = fraction(x, &e);
  float q = fma(mul(mul(f, f), log10_e(f)), poly(log_f, f), mul(e, log10_2_lo(f)));
  return fma(e, log10_2(f), fma(f, log10_e(f), fma(f, log10_e_lo(f), q)));
}

__CT_MATH float whole_part(float x) { return __builtin_truncf(x); }
__CT_MATH double whole_part(double x) { return __builtin_trunc(x); }

// e^(hi + lo) 2^up
template <class T> __CT_MATH T exp_pair(T hi, T lo, int up = 0) {
  T x = bounded(hi);
  int n;
  T j = integer(mul(x, log2_e(x)), &n);
  pair<T> r = sum(fma(j, -ln2(x), x), fma(j, -ln2_lo(x), lo));
  return scale(exp_near(r.hi, r.lo), n + up);
}
// |x|^y = e^(y log |x|), with the exponent as a pair.
template <class T> __CT_MATH T power(T a, T y) {
  pair<T> l = log_pair(a), p = product(y, l.hi);
  return exp_pair(p.hi, absolute(p.hi) < 2000 ? fma(y, l.lo, p.lo) : (T)0);
}
template <class T> __CT_MATH T pow(T x, T y) {
  T a = absolute(x);
  if (x == 1 || y == 0) return 1;
  if (x != x || y != y) return x + y;
  bool whole = whole_part(y) == y, odd = whole && whole_part(y * (T)0.5) != y * (T)0.5;
  T v;
  if (absolute(y) == infinity<T>())
    return a == 1 ? (T)1 : (a > 1) == (y > 0) ? infinity<T>() : (T)0;
  if (a == 0 || a == infinity<T>())
    v = (a == 0) == (y < 0) ? infinity<T>() : (T)0;
  else if (x < 0 && !whole)
    return not_a_number<T>();
  else
    v = power(a, y);
  return odd ? sign_of(v, x) : v;
}

template <class T> __CT_MATH T sinh(T x) {
  T a = absolute(x);
  if (a < 1) {
    T z = mul(x, x);
    return fma(mul(x, z), poly_sinh(z), x);
  }
  T e = exp(a, -1);
  return sign_of(e - (T)0.25 / e, x);
}
template <class T> __CT_MATH T cosh(T x) {
  T e = exp(absolute(x), -1);
  return e + (T)0.25 / e;
}
template <class T> __CT_MATH T tanh(T x) {
  T a = absolute(x);
  if (a < (T)0.55) {
    T z = mul(x, x);
    return sign_of(fma(mul(x, z), poly_tanh(z), x), x);
  }
  return sign_of(1 - 2 / (exp(2 * a) + 1), x);
}
__CT_MATH float tanh(float x) {
  float a = absolute(x);
  if (a < 0.55f) return tanh<float>(x);
  return sign_of(fma(-2.0f, reciprocal(exp(2 * a) + 1), 1.0f), x);
}
template <class T> __CT_MATH T asinh(T x) {
  T a = absolute(x), z = mul(a, a);
  T v = a > (T)0x1p30 ? log(a) + ln2(a) : log1p(a + z / (1 + root(fma(a, a, (T)1))));
  return a < (T)0x1p-30 ? x : sign_of(v, x);
}
template <class T> __CT_MATH T acosh(T x) {
  T t = x - 1;
  if (x < 1) return not_a_number<T>();
  return x > (T)0x1p30 ? log(x) + ln2(x) : log1p(t + root(fma(t, t, 2 * t)));
}
template <class T> __CT_MATH T atanh(T x) {
  T a = absolute(x), v = (T)0.5 * log1p(2 * a / (1 - a));
  return a < (T)0x1p-30 ? x : sign_of(v, x);
}

// A third of the exponent to begin with, then Halley's iterations, then a step of Newton's with the
// rest of the cube known exactly.
__CT_MATH float cube_guess(float a) { return real(bits(a) / 3 + 0x2a5137a0); }
__CT_MATH double cube_guess(double a) { return real((u64)((u32)(bits(a) >> 32) / 3 + 0x2a9f7893) << 32); }
template <class T> __CT_MATH T cube(T a) {
  T t = cube_guess(a);
  _Pragma("unroll") for (int i = 0; i < 2; i++) {
    T c = mul(mul(t, t), t);
    t = t * (fma((T)2, a, c) / fma((T)2, c, a));
  }
  return t;
}
// Brings a near one by a power of 2^60; back undoes it in the root.
template <class T> __CT_MATH T cube_range(T a, T *back) {
  const T small = sizeof(T) == 4 ? (T)0x1p-100 : (T)0x1p-1000;
  *back = a < small ? (T)0x1p-20 : a * small > 1 ? (T)0x1p20 : (T)1;
  return a < small ? a * (T)0x1p60 : a * small > 1 ? a * (T)0x1p-60 : a;
}
template <class T> __CT_MATH T cbrt(T x) {
  if (!ordinary(absolute(x))) return x + x;
  T back, a = cube_range(absolute(x), &back), t = cube(a);
  pair<T> square = product(t, t);
  T rest = fma(-square.lo, t, fma(-square.hi, t, a));
  t = fma(rest, 1 / (3 * square.hi), t);
  return sign_of(t * back, x);
}
template <class T> __CT_MATH T rcbrt(T x) {
  if (!ordinary(absolute(x))) return 1 / x;
  T back, a = cube_range(absolute(x), &back), t = 1 / cube(a);
  pair<T> square = product(t, t), c = product(square.hi, t);
  T rest = fma(-fma(square.lo, t, c.lo), a, fma(-c.hi, a, (T)1));
  t = fma(mul(t, rest), (T)(1.0 / 3), t);
  return sign_of(t / back, x);
}

// Roots of sums of squares, scaled so that squares stay in range.
__CT_MATH int exponent_of(float x) { return (int)(bits(x) >> 23 & 255) - 127; }
__CT_MATH int exponent_of(double x) { return (int)(bits(x) >> 52 & 2047) - 1023; }
template <class T, int n> __CT_MATH T norm(const T (&v)[n], bool inverse) {
  T most = 0;
  bool infinite = false, unknown = false;
  for (int i = 0; i < n; i++) {
    T a = absolute(v[i]);
    infinite |= a == infinity<T>();
    unknown |= a != a;
    most = a > most ? a : most;
  }
  if (infinite) return inverse ? (T)0 : infinity<T>();
  if (unknown) return not_a_number<T>();
  if (most == 0) return inverse ? infinity<T>() : (T)0;
  int e = exponent_of(most);
  pair<T> s = {0, 0};
  for (int i = 0; i < n; i++) {
    T a = scale(v[i], -e);
    pair<T> p = product(a, a), t = sum(s.hi, p.hi);
    s.hi = t.hi;
    s.lo += p.lo + t.lo;
  }
  s = fast_sum(s.hi, s.lo);
  T r = root(s.hi);
  if (!inverse) return scale(r, e);
  T w = 1 / r; // corrected once
  pair<T> p = product(w, w);
  T rest = fma(-p.hi, s.lo, fma(-p.lo, s.hi, fma(-p.hi, s.hi, (T)1)));
  return scale(fma(mul(w, rest), (T)0.5, w), -e);
}
template <class T> __CT_MATH T hypot(T a, T b) { T v[] = {a, b}; return norm(v, false); }
template <class T> __CT_MATH T rhypot(T a, T b) { T v[] = {a, b}; return norm(v, true); }
template <class T> __CT_MATH T norm3d(T a, T b, T c) { T v[] = {a, b, c}; return norm(v, false); }
template <class T> __CT_MATH T rnorm3d(T a, T b, T c) { T v[] = {a, b, c}; return norm(v, true); }
template <class T> __CT_MATH T norm4d(T a, T b, T c, T d) { T v[] = {a, b, c, d}; return norm(v, false); }
template <class T> __CT_MATH T rnorm4d(T a, T b, T c, T d) { T v[] = {a, b, c, d}; return norm(v, true); }
} // namespace __ct
