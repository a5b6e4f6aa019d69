// Gamma functions, inverses of the error function and Bessel functions. They are computed in double
// precision; the single forms round the result.
#pragma once

#include "math_erf.h"
#include "math_trig.h"

namespace __ct {
__CT_MATH double rsqrt(double x) {
  double r = 1 / root(x);
  if (!ordinary(x) || x < 0x1p-1000) return r;
  pair<double> p = product(r, r);
  double rest = fma(-p.lo, x, fma(-p.hi, x, 1.0)); // corrected once
  return fma(mul(r, rest), 0.5, r);
}
__CT_MATH float rsqrt(float x) { return (float)rsqrt((double)x); }

// log gamma(x) for x >= 1/2
__CT_MATH double lgamma_above(double x) {
  if (x >= 8) { // Stirling: (x - 1/2) (log x - 1) + ...
    if (x > 0x1p70) return x * (log(x) - 1);
    double i = 1 / x, rest = mul(i, poly(stirling_d, mul(i, i)));
    pair<double> l = log_pair(x), m = fast_sum(l.hi - 1, l.lo), p = product(x - 0.5, m.hi);
    return p.hi + (fma(x - 0.5, m.lo, p.lo) + (0x1.acfe390c97d69p-2 + rest)); // log(2 pi) / 2 - 1/2
  }
  double factor = 1, t = x;
  while (t >= 2.5) t -= 1, factor *= t;
  if (t >= 1.5) {
    double v = mul(t - 2, poly(lgamma_d, t - 2));
    return factor == 1 ? v : v + log(factor);
  }
  t -= 1; // gamma(x) = gamma(x + 1) / x
  return fma(t, poly(lgamma_d, t), -log1p(t));
}
__CT_MATH double lgamma(double x) {
  if (x != x) return x;
  double a = absolute(x);
  if (a == infinity<double>()) return a;
  if (x >= 0.5) return lgamma_above(x);
  if (a < 0x1p-60) return -log(a);
  if (x > 0) return lgamma_above(x + 1) - log(x); // x + 1 near 1 loses what the logarithm outweighs
  double s = absolute(sinpi(x));
  if (s == 0) return infinity<double>();
  if (a < 0.5) return log(0x1.921fb54442d18p+1 / s) - lgamma_above(a + 1);
  return log(0x1.921fb54442d18p+1 / mul(a, s)) - lgamma_above(a);
}

// gamma(x) 2^up for x >= 1/2
__CT_MATH double tgamma_above(double x, int up) {
  if (x < 10) {
    double factor = 1, t = x;
    while (t >= 2.5) t -= 1, factor *= t;
    if (t < 1.5) return scale(poly(gamma_d, t - 1) / t, up);
    return scale(mul(factor, poly(gamma_d, t - 2)), up);
  }
  if (x > 300) return infinity<double>();
  double i = 1 / x, rest = mul(i, poly(stirling_d, mul(i, i)));
  pair<double> l = log_pair(x), m = fast_sum(l.hi - 1, l.lo), p = product(x - 0.5, m.hi);
  p.lo = fma(x - 0.5, m.lo, p.lo) + rest;
  p = fast_sum(p.hi, p.lo);
  int n;
  double j = integer(mul(p.hi, log2_e(p.hi)), &n);
  pair<double> r = sum(fma(j, -ln2(x), p.hi), fma(j, -ln2_lo(x), p.lo));
  return scale(exp_near(r.hi, r.lo) * 0x1.8535745aa7957p+0, n + up); // sqrt(2 pi / e)
}
__CT_MATH double tgamma(double x) {
  if (x != x || x == infinity<double>()) return x;
  if (x == 0) return 1 / x;
  if (x >= 0.5) return tgamma_above(x, 0);
  if (whole_part(x) == x) return not_a_number<double>();
  if (x > -8) { // gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1))
    double factor = 1, t = x;
    while (t < 0.5) factor *= t, t += 1;
    return tgamma_above(t, 0) / factor;
  }
  if (x < -190) return whole_part(x * 0.5) == whole_part(x) * 0.5 ? -0.0 : 0.0;
  // gamma(x) gamma(-x) = -pi / (x sin(pi x))
  return scale(-0x1.921fb54442d18p+1 / (mul(x, sinpi(x)) * tgamma_above(-x, -400)), -400);
}

// Where the normal distribution's upper tail is p, to four digits (Abramowitz and Stegun 26.2.23).
__CT_MATH double tail_guess(double p) {
  double t = root(-2 * log(p));
  return t - fma(fma(0.010328, t, 0.802853), t, 2.515517) / fma(fma(fma(0.001308, t, 0.189269), t, 1.432788), t, 1.0);
}
// Two of Halley's steps towards erfc(v) = y, 0 < y <= 1/2. The error there is relative.
__CT_MATH double erfcinv_of(double y) {
  double v = mul(tail_guess(0.5 * y), 0x1.6a09e667f3bcdp-1);
  for (int i = 0; i < 2; i++) {
    // (erfc v - y) / (2 / sqrt pi e^(-v^2)) without a small factor: erfcx v - y e^(v^2)
    pair<double> s = product(v, v);
    double e = exp(s.hi);
    double d = (erfcx_of(v) - mul(y, fma(e, s.lo, e))) * 0x1.c5bf891b4ef6bp-1;
    v += d / fma(-v, d, 1.0);
  }
  return v;
}
// The same towards erf(v) = x, 0 <= x <= 1/2, from the series.
__CT_MATH double erfinv_of(double x) {
  double z = mul(x, x), v = mul(x, fma(fma(fma(0.0865521, z, 0.1275562), z, 0.2320137), z, 0.8862269));
  for (int i = 0; i < 2; i++) {
    double d = fma(v, poly_erf(mul(v, v)), v) - x;
    d *= exp(mul(v, v)) * 0x1.c5bf891b4ef6bp-1;
    v -= d / fma(v, d, 1.0);
  }
  return v;
}
__CT_MATH double erfinv(double x) {
  double a = absolute(x);
  if (!(a < 1)) return a == 1 ? sign_of(infinity<double>(), x) : not_a_number<double>();
  return sign_of(a <= 0.5 ? erfinv_of(a) : erfcinv_of(1 - a), x);
}
__CT_MATH double erfcinv(double y) {
  if (!(y > 0 && y < 2)) return y == 0 ? infinity<double>() : y == 2 ? -infinity<double>() : not_a_number<double>();
  if (y <= 0.5) return erfcinv_of(y);
  return y < 1.5 ? sign_of(erfinv_of(absolute(1 - y)), 1 - y) : -erfcinv_of(2 - y);
}
__CT_MATH double normcdfinv(double p) { return -0x1.6a09e667f3bcdp+0 * erfcinv(2 * p); }

// J0 or J1 below 8: the first three zeros are factors of their own.
template <int n> __CT_MATH double bessel_near(const double (&c)[n], const double (&zeros)[6], double x) {
  double v = poly(c, fma(x, x * 0.03125, -1.0));
  for (int i = 0; i < 6; i += 2) v *= ((x - zeros[i]) - zeros[i + 1]) * (x + zeros[i]);
  return v;
}
// Y0 or Y1 close to a zero of theirs: false if x is not.
template <int n> __CT_MATH bool bessel_around(const double (&c)[n], const double (&zero)[2], double reach, double x, double *v) {
  double t = (x - zero[0]) - zero[1];
  *v = mul(t, poly(c, t));
  return absolute(t) < reach;
}
// Beyond 8: sums of P and Q with the sine and cosine (Hankel's expansion).
struct wave { double sum, difference, p, q; };
template <int n> __CT_MATH wave hankel(const double (&p)[n], const double (&q)[n], double x) {
  double s, c, i = 1 / x, z = mul(64 * i, i), r = 0x1.20dd750429b6dp-1 / root(x); // 1 / sqrt(pi x)
  sincos(x, &s, &c);
  wave w = {s + c, s - c, mul(r, poly(p, z)), mul(mul(r, i), poly(q, z))};
  return w;
}
__CT_MATH double j0(double x) {
  x = absolute(x);
  double z = mul(x, x);
  if (x < 1.3) return fma(z, poly(j0_small_d, z), 1.0);
  if (x < 8) return bessel_near(j0_d, j0_zeros, x);
  if (x == infinity<double>()) return 0;
  wave w = hankel(p0_d, q0_d, x);
  return fma(w.p, w.sum, -mul(w.q, w.difference));
}
__CT_MATH double j1(double x) {
  double a = absolute(x);
  double z = mul(a, a);
  if (a < 1) return x * fma(z, poly(j1_small_d, z), 0.5);
  if (a < 8) return x * bessel_near(j1_d, j1_zeros, a);
  if (a == infinity<double>()) return 0;
  wave w = hankel(p1_d, q1_d, a);
  double v = fma(w.p, w.difference, mul(w.q, w.sum));
  return x < 0 ? -v : v;
}
__CT_MATH double log_half(double x) { return x < 0x1p-1000 ? log(x) - 0x1.62e42fefa39efp-1 : log(0.5 * x); }
__CT_MATH double y0(double x) {
  if (!(x > 0)) return x == 0 ? -infinity<double>() : not_a_number<double>();
  double v;
  if (bessel_around(y0_1_d, y0_1_zero, 0.4, x, &v) || bessel_around(y0_2_d, y0_2_zero, 1.1, x, &v) ||
      bessel_around(y0_3_d, y0_3_zero, 1.1, x, &v))
    return v;
  double z = mul(x, x);
  if (x < 1.3) return fma(0x1.45f306dc9c883p-1 * j0(x), log_half(x), poly(y0_small_d, z));
  if (x < 8) return fma(0x1.45f306dc9c883p-1 * j0(x), log_half(x), poly(y0_d, fma(x, x * 0.03125, -1.0)));
  if (x == infinity<double>()) return 0;
  wave w = hankel(p0_d, q0_d, x);
  return fma(w.p, w.difference, mul(w.q, w.sum));
}
__CT_MATH double y1(double x) {
  if (!(x > 0)) return x == 0 ? -infinity<double>() : not_a_number<double>();
  double v;
  if (bessel_around(y1_1_d, y1_1_zero, 0.5, x, &v) || bessel_around(y1_2_d, y1_2_zero, 1.1, x, &v) ||
      bessel_around(y1_3_d, y1_3_zero, 1.1, x, &v))
    return v;
  if (x < 8) {
    v = 0x1.45f306dc9c883p-1 * fma(j1(x), log_half(x), -1 / x);
    return fma(x, poly(y1_d, fma(x, x * 0.03125, -1.0)), v);
  }
  if (x == infinity<double>()) return 0;
  wave w = hankel(p1_d, q1_d, x);
  return fma(-w.p, w.sum, mul(w.q, w.difference));
}
// Orders above 1: upwards from 0 and 1 where that is stable, else downwards from far above, scaled by
// the sum J0 + 2 J2 + 2 J4 + ... = 1 (Miller).
__CT_MATH double jn(int n, double x) {
  if (n == 0) return j0(x);
  if (n == 1) return j1(x);
  if (n < 0) return not_a_number<double>();
  double a = absolute(x), v;
  if (a == 0 || a == infinity<double>()) return 0;
  if (a > n) {
    double before = j0(a);
    v = j1(a);
    for (int k = 1; k < n; k++) {
      double next = fma(2.0 * k / a, v, -before);
      before = v;
      v = next;
    }
  } else {
    double above = 0, now = 1, total = 0;
    v = 0;
    for (int k = 2 * ((n + 24 + (int)root(60.0 * n)) / 2); k > 0; k--) {
      double below = fma(2.0 * k / a, now, -above);
      above = now;
      now = below;
      if (absolute(now) > 0x1p500) now *= 0x1p-500, above *= 0x1p-500, total *= 0x1p-500, v *= 0x1p-500;
      if (k - 1 == n) v = now;
      if ((k - 1) % 2 == 0 && k > 1) total += 2 * now;
    }
    v /= total + now;
  }
  return x < 0 && (n & 1) ? -v : v;
}
__CT_MATH double yn(int n, double x) {
  if (n < 0) return not_a_number<double>();
  double before = y0(x), v = y1(x);
  if (n == 0) return before;
  for (int k = 1; k < n && v > -infinity<double>(); k++) {
    double next = fma(2.0 * k / x, v, -before);
    before = v;
    v = next;
  }
  return v;
}
__CT_MATH double cyl_bessel_i0(double x) {
  double a = absolute(x);
  if (a < 8) return poly(i0_d, mul(a, a * 0x1p-6));
  return a > 720 ? a * infinity<double>() : scale(exp(a, -10) * poly(ilarge0_d, 8 / a) / root(a), 10);
}
__CT_MATH double cyl_bessel_i1(double x) {
  double a = absolute(x);
  if (a < 8) return x * poly(i1_d, mul(a, a * 0x1p-6));
  double v = a > 720 ? a * infinity<double>() : scale(exp(a, -10) * poly(ilarge1_d, 8 / a) / root(a), 10);
  return sign_of(v, x);
}

#define __CT_BY_DOUBLE(name)                                                                       \
  __CT_MATH float name(float x) { return (float)name((double)x); }
__CT_BY_DOUBLE(lgamma)
__CT_BY_DOUBLE(tgamma)
__CT_BY_DOUBLE(erfinv)
__CT_BY_DOUBLE(erfcinv)
__CT_BY_DOUBLE(normcdfinv)
__CT_BY_DOUBLE(j0)
__CT_BY_DOUBLE(j1)
__CT_BY_DOUBLE(y0)
__CT_BY_DOUBLE(y1)
__CT_BY_DOUBLE(cyl_bessel_i0)
__CT_BY_DOUBLE(cyl_bessel_i1)
#undef __CT_BY_DOUBLE
__CT_MATH float jn(int n, float x) { return (float)jn(n, (double)x); }
__CT_MATH float yn(int n, float x) { return (float)yn(n, (double)x); }
} // namespace __ct
