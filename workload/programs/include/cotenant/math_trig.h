// Sine, cosine, tangent and their inverses, in both precisions. Arguments are reduced by multiples of
// pi / 2 in three parts (Cody and Waite), large ones with as many bits of 2 / pi as they take (Payne
// and Hanek); polynomials are ours.
#pragma once

#include "math_core.h"

namespace __ct {
// The turn of x = m 2^e modulo one, as a fraction of 128 bits, less the nearest quarter: its value
// times 2 pi, and the quarter.
__CT_SLOW double reduce_large(u64 m, int e, int *quarter) {
  int at = e - 2 + 64, i = at >> 6, shift = at & 63;
  u64 q[3];
  for (int k = 0; k < 3; k++)
    q[k] = shift ? two_over_pi[i + k] << shift | two_over_pi[i + k + 1] >> (64 - shift) : two_over_pi[i + k];
  u64 low = m * q[1], f1 = low + high(m, q[2]), f0 = m * q[0] + high(m, q[1]) + (f1 < low);
  int n = (int)((f0 + (1ull << 61)) >> 62);
  *quarter = n & 3;
  f0 -= (u64)n << 62;
  bool negative = f0 >> 63;
  if (negative) {
    f1 = ~f1 + 1;
    f0 = ~f0 + (f1 == 0);
  }
  int zeros = 0;
  if (f0 == 0) {
    f0 = f1;
    f1 = 0;
    zeros = 64;
  }
  if (f0 == 0) return 0;
  int more = __builtin_clzll(f0);
  if (more) f0 = f0 << more | f1 >> (64 - more);
  zeros += more;
  // f0 2^-64 2^-zeros of a turn, as two doubles without rounding, times 2 pi.
  double a = (double)(f0 & ~0x7ffull), b = (double)(f0 & 0x7ff);
  double r = mul(a, 0x1.921fb54442d18p+2);
  r += fma(b, 0x1.921fb54442d18p+2, fma(a, 0x1.1a62633145c07p-52, fma(a, 0x1.921fb54442d18p+2, -r)));
  r = scale(r, -64 - zeros);
  return negative ? -r : r;
}

// The remainder of x by pi / 2, between -pi / 4 and pi / 4, and the quotient modulo 4.
__CT_MATH float reduce(float x, int *quarter) {
  float j = integer(mul(x, 0x1.45f306p-1f), quarter);
  float r = fma(j, -0x1.921fb4p+0f, x);
  r = fma(j, -0x1.4442d0p-24f, r);
  r = fma(j, -0x1.846988p-48f, r);
  if (absolute(x) > 105615.0f) {
    u32 b = bits(x) & 0x7fffffff;
    if (b >= 0x7f800000) return not_a_number<float>();
    r = (float)reduce_large((b & 0x7fffff) | 0x800000, (int)(b >> 23) - 150, quarter);
    if (x < 0) {
      r = -r;
      *quarter = -*quarter;
    }
  }
  return r;
}
__CT_MATH double reduce(double x, int *quarter) {
  double j = integer(mul(x, 0x1.45f306dc9c883p-1), quarter);
  double r = fma(j, -0x1.921fb54442d18p+0, x);
  r = fma(j, -0x1.1a62633145c06p-54, r);
  r = fma(j, -0x1.c1cd129024e09p-107, r);
  if (absolute(x) > 105615.0) {
    u64 b = bits(x) & 0x7fffffffffffffff;
    if (b >= 0x7ff0000000000000) return not_a_number<double>();
    r = reduce_large((b & 0xfffffffffffff) | 0x10000000000000, (int)(b >> 52) - 1075, quarter);
    if (x < 0) {
      r = -r;
      *quarter = -*quarter;
    }
  }
  return r;
}

#define __CT_BY_TYPE(name)                                                                         \
  __CT_MATH float poly_##name(float x) { return poly(name##_f, x); }                               \
  __CT_MATH double poly_##name(double x) { return poly(name##_d, x); }
__CT_BY_TYPE(sin)
__CT_BY_TYPE(cos)
__CT_BY_TYPE(tan)
__CT_BY_TYPE(sinpi)
__CT_BY_TYPE(cospi)
__CT_BY_TYPE(asin)
__CT_BY_TYPE(atan)
#undef __CT_BY_TYPE

template <class T> __CT_MATH T sin_near(T r) {
  T z = mul(r, r);
  return fma(mul(r, z), poly_sin(z), r);
}
template <class T> __CT_MATH T cos_near(T r) {
  T z = mul(r, r);
  return fma(z, poly_cos(z), (T)1);
}
// The sine of a reduced angle a number of quarters on.
template <class T> __CT_MATH T turned(T r, int quarter) {
  T v = quarter & 1 ? cos_near(r) : sin_near(r);
  return quarter & 2 ? -v : v;
}
template <class T> __CT_MATH T sin(T x) {
  int q;
  T r = reduce(x, &q);
  return x == 0 ? x : turned(r, q);
}
template <class T> __CT_MATH T cos(T x) {
  int q;
  T r = reduce(x, &q);
  return turned(r, q + 1);
}
template <class T> __CT_MATH void sincos(T x, T *s, T *c) {
  int q;
  T r = reduce(x, &q);
  *s = x == 0 ? x : turned(r, q);
  *c = turned(r, q + 1);
}
template <class T> __CT_MATH T tan(T x) {
  int q;
  T r = reduce(x, &q), z = mul(r, r), w = mul(mul(r, z), poly_tan(z)), t = r + w;
  if (q & 1) { // -1 / (t + lost), corrected once
    T lost = w - (t - r), i = -1 / t;
    t = fma(i, fma(i, lost, fma(i, t, (T)1)), i);
  }
  return x == 0 ? x : t;
}

// Half turns: x less the nearest half of an integer is exact.
__CT_MATH float turn_sin(float r) {
  float z = mul(r, r);
  return fma(r, 0x1.921fb6p+1f, mul(r, fma(z, poly_sinpi(z), -0x1.777a5cp-24f)));
}
__CT_MATH double turn_sin(double r) {
  double z = mul(r, r);
  return fma(r, 0x1.921fb54442d18p+1, mul(r, fma(z, poly_sinpi(z), 0x1.1a62633145c07p-53)));
}
template <class T> __CT_MATH T turn_cos(T r) {
  T z = mul(r, r);
  return fma(z, poly_cospi(z), (T)1);
}
template <class T> __CT_MATH T turned_pi(T r, int q) {
  T v = q & 1 ? turn_cos(r) : turn_sin(r);
  return q & 2 ? -v : v;
}
// x modulo 2, exact; infinities become NaN.
__CT_MATH float within_two(float x) { return absolute(x) >= 0x1p20f ? x - 2 * __builtin_truncf(x * 0.5f) : x; }
__CT_MATH double within_two(double x) { return absolute(x) >= 0x1p49 ? x - 2 * __builtin_trunc(x * 0.5) : x; }
template <class T> __CT_MATH T sinpi(T x) {
  int q;
  T y = within_two(x), r = fma(integer(2 * y, &q), (T)-0.5, y), v = turned_pi(r, q);
  return v == 0 ? sign_of((T)0, x) : v;
}
template <class T> __CT_MATH T cospi(T x) {
  int q;
  T y = within_two(x), r = fma(integer(2 * y, &q), (T)-0.5, y), v = turned_pi(r, q + 1);
  return v == 0 ? (T)0 : v;
}
template <class T> __CT_MATH void sincospi(T x, T *s, T *c) { *s = sinpi(x), *c = cospi(x); }

// pi / 2 as two numbers.
__CT_MATH void right_angle(float *hi, float *lo) { *hi = 0x1.921fb6p+0f, *lo = -0x1.777a5cp-25f; }
__CT_MATH void right_angle(double *hi, double *lo) { *hi = 0x1.921fb54442d18p+0, *lo = 0x1.1a62633145c07p-54; }

template <class T> __CT_MATH T asin_near(T x, T z) { return fma(mul(x, z), poly_asin(z), x); }
template <class T> __CT_MATH T asin(T x) {
  T a = absolute(x);
  if (a <= (T)0.5) return x == 0 ? x : asin_near(x, mul(x, x));
  T hi, lo, z = fma((T)-0.5, a, (T)0.5), s = root(z); // NaN beyond 1
  right_angle(&hi, &lo);
  return sign_of(fma((T)-2, asin_near(s, z), lo) + hi, x);
}
template <class T> __CT_MATH T acos(T x) {
  T a = absolute(x), hi, lo;
  right_angle(&hi, &lo);
  if (a <= (T)0.5) {
    T z = mul(x, x), w = mul(mul(x, z), poly_asin(z));
    return hi - (x - (lo - w));
  }
  T z = fma((T)-0.5, a, (T)0.5), s = root(z), v = asin_near(s, z);
  return x > 0 ? 2 * v : fma((T)-2, v, 2 * lo) + 2 * hi;
}

// The arc tangent of a ratio between 0 and 1.
template <class T> __CT_MATH T atan_near(T t) {
  T z = mul(t, t);
  return fma(mul(t, z), poly_atan(z), t);
}
template <class T> __CT_MATH T atan(T x) {
  T a = absolute(x), hi, lo;
  right_angle(&hi, &lo);
  T v = atan_near(a > 1 ? 1 / a : a);
  if (a > 1) v = hi - (v - lo);
  return sign_of(v, x);
}
template <class T> __CT_MATH T atan2(T y, T x) {
  T a = absolute(x), b = absolute(y), hi, lo;
  if (!(a <= infinity<T>() && b <= infinity<T>())) return x + y;
  right_angle(&hi, &lo);
  T most = a > b ? a : b, least = a > b ? b : a;
  T v = most == 0 ? (T)0 : least == infinity<T>() ? atan_near((T)1) : atan_near(least / most);
  if (b > a) v = hi - (v - lo);
  if (__builtin_signbit(x)) v = 2 * hi - (v - 2 * lo);
  return sign_of(v, y);
}
} // namespace __ct
