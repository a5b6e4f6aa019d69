// Compares the device's mathematical functions, compiled as plain C++, with the C library's in a wider
// format: single precision with double or quadruple, double with quadruple.
//
//     accuracy NAME f STRIDE    every STRIDE-th single number; with a fourth word, from that one on
//     accuracy NAME d COUNT     COUNT double numbers, spread over the exponents of interest
//     accuracy NAME f -         reads numbers from standard input and writes their results, in binary
//
// Functions of several arguments draw COUNT or 2^32 / STRIDE of them. Prints the number of
// arguments, the largest error in ulp, the largest distance from the correctly rounded result in
// numbers of the format, the arguments of the largest error, and what is wrong for special arguments.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cotenant/math_all.h"

typedef __float128 quad;

// The C library has quadruple precision under these names; clang's C++ knows them not.
extern "C" {
quad expf128(quad) noexcept;
quad exp2f128(quad) noexcept;
quad exp10f128(quad) noexcept;
quad expm1f128(quad) noexcept;
quad logf128(quad) noexcept;
quad log2f128(quad) noexcept;
quad log10f128(quad) noexcept;
quad log1pf128(quad) noexcept;
quad sinf128(quad) noexcept;
quad cosf128(quad) noexcept;
quad tanf128(quad) noexcept;
quad asinf128(quad) noexcept;
quad acosf128(quad) noexcept;
quad atanf128(quad) noexcept;
quad sinhf128(quad) noexcept;
quad coshf128(quad) noexcept;
quad tanhf128(quad) noexcept;
quad asinhf128(quad) noexcept;
quad acoshf128(quad) noexcept;
quad atanhf128(quad) noexcept;
quad cbrtf128(quad) noexcept;
quad erff128(quad) noexcept;
quad erfcf128(quad) noexcept;
quad lgammaf128(quad) noexcept;
quad tgammaf128(quad) noexcept;
quad j0f128(quad) noexcept;
quad j1f128(quad) noexcept;
quad y0f128(quad) noexcept;
quad y1f128(quad) noexcept;
quad sqrtf128(quad) noexcept;
quad roundf128(quad) noexcept;
quad fabsf128(quad) noexcept;
quad powf128(quad, quad) noexcept;
quad atan2f128(quad, quad) noexcept;
quad ldexpf128(quad, int) noexcept;
}

static const quad pi = 3.14159265358979323846264338327950288419716939937510Q;

// Half turns, reduced exactly to at most a quarter of a turn from a zero.
static quad within_one(quad x) { return x - 2 * roundf128(x / 2); }
static quad half_turn_sin(quad x) { // zeros have the argument's sign (IEEE 754)
  quad r = within_one(x), a = fabsf128(r), v = sinf128(pi * (a > 0.5Q ? 1 - a : a));
  return v == 0 ? (x < 0 || signbit((double)x) ? (quad)-0.0 : (quad)0.0) : r < 0 ? -v : v;
}
static quad half_turn_cos(quad x) { return sinf128(pi * (0.5Q - fabsf128(within_one(x)))); }
static quad scaled_erfc(quad x) {
  if (x < 60) return expf128(x * x) * erfcf128(x);
  quad t = 1, s = 1, z = 2 * x * x;
  for (int k = 1; k < 20; k++) s += t *= -(2 * k - 1) / z;
  return s / (x * sqrtf128(pi));
}
static quad normal(quad x) { return erfcf128(-x / sqrtf128((quad)2)) / 2; }
static quad root_of(quad a, quad b, quad c, quad d) { return sqrtf128(a * a + b * b + c * c + d * d); }
// Inverses: Newton's method on the quadruple function, from a start in double precision.
static quad inverse_erf(quad y) {
  if (y == 0 || fabsf128(y) >= 1) return fabsf128(y) > 1 ? (quad)NAN : y == 0 ? y : y / 0;
  quad x = __ct::erfinv((double)y), a = fabsf128(y);
  for (int i = 0; i < 3; i++) {
    quad v = fabsf128(x), f = a < 0.5Q ? erff128(v) - a : (1 - a) - erfcf128(v);
    v -= f * sqrtf128(pi) / 2 * expf128(v * v);
    x = y < 0 ? -v : v;
  }
  return x;
}
static quad inverse_erfc(quad y) {
  if (!(y > 0 && y < 2)) return y == 0 ? (quad)INFINITY : y == 2 ? -(quad)INFINITY : (quad)NAN;
  quad x = __ct::erfcinv((double)y);
  for (int i = 0; i < 3; i++) x += (erfcf128(x) - y) * sqrtf128(pi) / 2 * expf128(x * x);
  return x;
}
static quad inverse_normal(quad p) { return -sqrtf128((quad)2) * inverse_erfc(2 * p); }
static quad bessel_i(quad x, int order) {
  if (x < 0) return order ? -bessel_i(-x, order) : bessel_i(-x, order);
  quad t = order ? x / 2 : 1, s = t, z = x * x / 4;
  for (int k = 1; k < 2000 && t > s * 1e-34Q; k++) s += t *= z / (quad)(k * (k + order));
  return s;
}

// References in double precision, good enough for single: an error of some units of the last of 53
// bits is below 1e-6 of a single's ulp.
static double half_turn(double x, bool cosine) {
  double r = x - 2 * ::round(x / 2), a = ::fabs(r), v = ::sin(M_PI * (cosine ? 0.5 - a : a > 0.5 ? 1 - a : a));
  return cosine ? v : ::copysign(v, r == 0 || a == 1 ? x : r);
}
static double scaled_erfc_double(double x) {
  if (x < 25) return ::exp(x * x) * ::erfc(x); // a single's square is exact
  double t = 1, s = 1, z = 2 * x * x;
  for (int k = 1; k < 12; k++) s += t *= -(2 * k - 1) / z;
  return s / (x * ::sqrt(M_PI));
}
static double bessel_i_double(double x, int order) {
  if (isinf(x)) return order ? x : INFINITY;
  if (::fabs(x) > 200) return x < 0 && order ? -INFINITY : INFINITY;
  double t = order ? x / 2 : 1, s = t, z = x * x / 4;
  for (int k = 1; k < 2000 && ::fabs(t) > ::fabs(s) * 1e-18; k++) s += t *= z / (double)(k * (k + order));
  return s;
}

template <class T> struct format;
template <> struct format<float> { static const int least = -149, digits = 24; };
template <> struct format<double> { static const int least = -1074, digits = 53; };

static double worst, worst_arguments[4];
static long long farthest, count, edges;
static bool leave_out; // the zeros of lgamma between -24 and -2, which CUDA's bounds leave out

static int64_t place(float v) { int32_t i; memcpy(&i, &v, 4); return i < 0 ? INT32_MIN - (int64_t)i : i; }
static int64_t place(double v) { int64_t i; memcpy(&i, &v, 8); return i < 0 ? INT64_MIN - i : i; }

template <class T> static void compare(T got, quad exact, T a, T b = 0, T c = 0, T d = 0) {
  if (leave_out && a > -23.0001 && a < -2.26) return;
  count++;
  T nearest = (T)exact;
  if (nearest != nearest || isinf(nearest) || isinf(got) || got != got) {
    if (!(nearest != nearest && got != got) && nearest != got) {
      // The largest finite number beside infinity is one step away.
      long long far = nearest != nearest || got != got ? 1ll << 40 : llabs(place(got) - place(nearest));
      if (far > farthest) farthest = far;
      if (far > 1) { if (edges++ < 3) printf("edge %.9g %.9g gives %.17g instead of %.17g\n", (double)a, (double)b, (double)got, (double)nearest); }
    }
    return;
  }
  if (nearest == 0 && got == 0 && signbit(nearest) != signbit(got) && exact == 0 && edges++ < 3) printf("edge %.9g %.9g: sign of zero\n", (double)a, (double)b);
  int e = 0;
  double x = (double)exact;
  if (exact != 0) { frexp(x == 0 ? 5e-324 : x, &e); e -= format<T>::digits; }
  if (e < format<T>::least || exact == 0) e = format<T>::least;
  double error = fabs((double)(((quad)got - exact) * ldexpf128(1, -e)));
  long long far = llabs(place(got) - place(nearest));
  if (far > farthest) farthest = far;
  if (error > worst) {
    worst = error;
    double list[] = {(double)a, (double)b, (double)c, (double)d};
    memcpy(worst_arguments, list, sizeof list);
  }
}

// The same for a single number against a double reference.
static void compare(float got, double exact, float a) {
  float nearest = (float)exact;
  if (!(::fabs(exact) < 1e38) || !(::fabsf(got) < 1e38f) || nearest == 0 || (leave_out && a < 0)) return compare<float>(got, (quad)exact, a);
  count++;
  uint64_t bits;
  memcpy(&bits, &exact, 8);
  int e = (int)(bits >> 52 & 2047) - 1023 + 1 - format<float>::digits;
  if (e < format<float>::least) e = format<float>::least;
  bits = (uint64_t)(1023 - e) << 52;
  double scale;
  memcpy(&scale, &bits, 8);
  double error = ::fabs((got - exact) * scale);
  long long far = llabs(place(got) - place(nearest));
  if (far > farthest) farthest = far;
  if (error > worst) {
    worst = error;
    double list[4] = {a};
    memcpy(worst_arguments, list, sizeof list);
  }
}

static uint64_t state = 88172645463325252ull;
static uint64_t draw() { // xorshift, Marsaglia 2003
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
template <class T> static T from_bits(uint64_t b);
template <> float from_bits<float>(uint64_t b) { uint32_t i = (uint32_t)b; float v; memcpy(&v, &i, 4); return v; }
template <> double from_bits<double>(uint64_t b) { double v; memcpy(&v, &b, 8); return v; }

// A number of random sign, with an exponent from low to high.
template <class T> static T number(int low, int high) {
  double m = 1 + (double)(draw() >> 11) * 0x1p-53;
  T v = (T)ldexp(m, low + (int)(draw() % (uint64_t)(high - low + 1)));
  return draw() & 1 ? -v : v;
}

struct function {
  const char *name;
  float (*f)(float);
  double (*d)(double);
  double (*reference)(double); // good enough for single precision; else null
  quad (*exact)(quad);
  int low, high; // exponents of double arguments
};
#define F(name, reference, exact, low, high)                                                                   \
  {#name, [](float x) { return __ct::name(x); }, [](double x) { return __ct::name(x); }, reference, exact, low, high}
#define S(f128) [](quad x) -> quad { return f128; }
#define D(value) [](double x) -> double { return value; }
static double (*const none)(double) = 0;
static const function functions[] = {
    F(exp, ::exp, expf128, -40, 9), F(exp2, ::exp2, S(exp2f128(x)), -40, 10), F(exp10, D(::exp10(x)), S(exp10f128(x)), -40, 8),
    F(expm1, ::expm1, expm1f128, -60, 9), F(log, ::log, logf128, -1074, 1023), F(log2, ::log2, log2f128, -1074, 1023),
    F(log10, ::log10, log10f128, -1074, 1023), F(log1p, ::log1p, log1pf128, -60, 100), F(sin, ::sin, sinf128, -40, 1023),
    F(cos, ::cos, cosf128, -40, 1023), F(tan, ::tan, tanf128, -40, 1023), F(sinpi, D(half_turn(x, false)), half_turn_sin, -40, 52),
    F(cospi, D(half_turn(x, true)), half_turn_cos, -40, 52), F(asin, ::asin, asinf128, -40, 0), F(acos, ::acos, acosf128, -40, 0),
    F(atan, ::atan, atanf128, -40, 60), F(sinh, ::sinh, sinhf128, -40, 9), F(cosh, ::cosh, coshf128, -40, 9),
    F(tanh, ::tanh, tanhf128, -40, 5), F(asinh, ::asinh, asinhf128, -40, 1023), F(acosh, ::acosh, acoshf128, 0, 1023),
    F(atanh, ::atanh, atanhf128, -40, 0), F(cbrt, ::cbrt, cbrtf128, -1074, 1023), F(rcbrt, D(1 / ::cbrt(x)), S(1 / cbrtf128(x)), -1074, 1023),
    F(erf, ::erf, erff128, -40, 3), F(erfc, ::erfc, erfcf128, -20, 4), F(erfcx, scaled_erfc_double, scaled_erfc, -20, 60),
    F(normcdf, D(::erfc(-x / M_SQRT2) / 2), normal, -20, 5), F(rsqrt, D(1 / ::sqrt(x)), S(1 / sqrtf128(x)), -1074, 1023),
    F(erfinv, none, inverse_erf, -40, 0), F(erfcinv, none, inverse_erfc, -300, 0), F(normcdfinv, none, inverse_normal, -300, -1),
    F(lgamma, ::lgamma, lgammaf128, -40, 1010), F(tgamma, ::tgamma, tgammaf128, -40, 7),
    F(j0, none, j0f128, -20, 2), F(j1, none, j1f128, -20, 2), F(y0, none, y0f128, -20, 2), F(y1, none, y1f128, -20, 2),
    F(cyl_bessel_i0, D(bessel_i_double(x, 0)), S(bessel_i(x, 0)), -20, 9), F(cyl_bessel_i1, D(bessel_i_double(x, 1)), S(bessel_i(x, 1)), -20, 9),
};

template <class T> static void several(const char *name, long long n) {
  for (long long i = 0; i < n; i++) {
    int wide = sizeof(T) == 4 ? 126 : 1020, e = (int)(draw() % (2 * wide)) - wide;
    bool near = draw() & 1;
    T a = number<T>(e, e), b = near ? number<T>(e - 3 > -wide ? e - 3 : e, e) : number<T>(-wide, wide), c = number<T>(e, e), d = number<T>(e, e);
    if (!strcmp(name, "atan2")) compare<T>(__ct::atan2(a, b), atan2f128(a, b), a, b);
    if (!strcmp(name, "hypot")) compare<T>(__ct::hypot(a, b), root_of(a, b, 0, 0), a, b);
    if (!strcmp(name, "rhypot")) compare<T>(__ct::rhypot(a, b), 1 / root_of(a, b, 0, 0), a, b);
    if (!strcmp(name, "norm3d")) compare<T>(__ct::norm3d(a, b, c), root_of(a, b, c, 0), a, b, c);
    if (!strcmp(name, "rnorm3d")) compare<T>(__ct::rnorm3d(a, b, c), 1 / root_of(a, b, c, 0), a, b, c);
    if (!strcmp(name, "norm4d")) compare<T>(__ct::norm4d(a, b, c, d), root_of(a, b, c, d), a, b, c, d);
    if (!strcmp(name, "rnorm4d")) compare<T>(__ct::rnorm4d(a, b, c, d), 1 / root_of(a, b, c, d), a, b, c, d);
    if (!strcmp(name, "pow")) {
      T x = near ? 1 + number<T>(-20, -2) : a, y = number<T>(-10, near ? 9 : 3);
      if (draw() % 8 == 0) y = (T)(int64_t)y;
      compare<T>(__ct::pow(x, y), powf128(x, y), x, y);
    }
  }
  if (!strcmp(name, "pow")) {
    const T edge[] = {0, (T)-0.0, 1, -1, 2, -2, 3, -3, (T)0.5, (T)-0.5, (T)INFINITY, (T)-INFINITY, (T)NAN, (T)1e30, (T)-1e30, (T)1e-30};
    for (T x : edge) for (T y : edge) compare<T>(__ct::pow(x, y), powf128(x, y), x, y);
  }
  if (!strcmp(name, "atan2")) {
    const T edge[] = {0, (T)-0.0, 1, -1, (T)INFINITY, (T)-INFINITY, (T)NAN};
    for (T x : edge) for (T y : edge) compare<T>(__ct::atan2(x, y), atan2f128(x, y), x, y);
  }
}

// Results of numbers from standard input; functions of two arguments take neighbours.
template <class T> static int values(const char *name, T (*one)(T)) {
  T (*two)(T, T) = 0;
#define TWO(f) if (!strcmp(name, #f)) two = [](T x, T y) { return __ct::f(x, y); };
  TWO(pow) TWO(atan2) TWO(hypot) TWO(rhypot) TWO(fmod) TWO(remainder) TWO(fdim) TWO(nextafter)
  if (!strcmp(name, "logb")) one = [](T x) { return __ct::logb(x); };
  T pair[2], out[2];
  while (fread(pair, sizeof(T), 2, stdin) == 2) {
    for (int i = 0; i < 2; i++) out[i] = two ? two(pair[i], pair[1 - i]) : one(pair[i]);
    fwrite(out, sizeof(T), 2, stdout);
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) return 2;
  const char *name = argv[1];
  bool single = argv[2][0] == 'f';
  long long n = atoll(argv[3]);
  leave_out = !strcmp(name, "lgamma");
  const function *of = 0;
  for (const function &f : functions) if (!strcmp(f.name, name)) of = &f;
  if (argv[3][0] == '-') return single ? values<float>(name, of ? of->f : 0) : values<double>(name, of ? of->d : 0);
  if (!of && single) several<float>(name, (1ll << 32) / n);
  if (!of && !single) several<double>(name, n);
  if (of && single)
    for (uint64_t i = argc == 5 ? strtoull(argv[4], 0, 10) : 0; i < 1ull << 32; i += (uint64_t)n) {
      float x = from_bits<float>(i);
      if (of->reference) compare(of->f(x), of->reference((double)x), x);
      else compare<float>(of->f(x), of->exact(x), x);
    }
  if (of && !single) {
    for (long long i = 0; i < n; i++) {
      double x = number<double>(of->low, of->high);
      compare<double>(of->d(x), of->exact(x), x);
    }
    const double edge[] = {0, -0.0, 1, -1, 2, -2, 0.5, INFINITY, -INFINITY, NAN, 5e-324, 1e308, -1e308};
    for (double x : edge) compare<double>(of->d(x), of->exact(x), x);
  }
  printf("%lld %.3f %lld %.17g %.17g %.17g %.17g edges %lld\n", count, worst, farthest, worst_arguments[0], worst_arguments[1], worst_arguments[2], worst_arguments[3], edges);
}
