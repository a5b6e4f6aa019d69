// Compares the device's mathematical functions, compiled as plain C++, with the C library's in a wider
// format: single precision with double or quadruple, double with quadruple.
//
//     accuracy NAME f STRIDE    every STRIDE-th single number
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

static bool left_out(double x) { return x > -23.0001 && x < -2.26; }

template <class T> static void compare(T got, quad exact, T a, T b = 0, T c = 0, T d = 0) {
  if (leave_out && left_out(a)) return;
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

#include "sweep.h"

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
  if (argc != 4) return 2;
  const char *name = argv[1];
  bool single = argv[2][0] == 'f';
  long long n = atoll(argv[3]);
  leave_out = !strcmp(name, "lgamma");
  const function *of = 0;
  for (const function &f : functions) if (!strcmp(f.name, name)) of = &f;
  if (argv[3][0] == '-') return single ? values<float>(name, of ? of->single : 0) : values<double>(name, of ? of->d : 0);
  if (!of && single) several<float>(name, (1ll << 32) / n);
  if (!of && !single) several<double>(name, n);
  if (of && single) {
    sweep(*of, (uint64_t)n);
    const float edge[] = {0, -0.0f, 1, -1, 2, -2, 0.5f, INFINITY, -INFINITY, NAN, -9.38241386f /* erfcx, in range by 33 steps */};
    if (n > 1) for (float x : edge) compare<float>(of->single(x), of->exact(x), x);
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
