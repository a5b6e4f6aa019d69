// Every mathematical function of one argument, as a kernel for each precision; some of several.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
using namespace std;
#define ONE(name)                                                                                  \
  extern "C" __global__ void single_##name(const float *in, float *out) {                          \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    out[i] = name##f(in[i]);                                                                       \
  }                                                                                                \
  extern "C" __global__ void double_##name(const double *in, double *out) {                        \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    out[i] = name(in[i]);                                                                          \
  }
#define TWO(name)                                                                                  \
  extern "C" __global__ void single_##name(const float *in, float *out) {                          \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    out[i] = name##f(in[i], in[i ^ 1]);                                                            \
  }                                                                                                \
  extern "C" __global__ void double_##name(const double *in, double *out) {                        \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                 \
    out[i] = name(in[i], in[i ^ 1]);                                                               \
  }
ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sin) ONE(cos) ONE(tan)
ONE(sinpi) ONE(cospi) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
ONE(rsqrt) ONE(cbrt) ONE(rcbrt) ONE(erf) ONE(erfc) ONE(erfcx) ONE(normcdf) ONE(erfinv) ONE(erfcinv) ONE(normcdfinv)
ONE(lgamma) ONE(tgamma) ONE(j0) ONE(j1) ONE(y0) ONE(y1) ONE(cyl_bessel_i0) ONE(cyl_bessel_i1) ONE(logb)
TWO(pow) TWO(atan2) TWO(hypot) TWO(rhypot) TWO(fmod) TWO(remainder) TWO(fdim) TWO(nextafter)

// The names as C++ programs use them: overloads by type, with and without std.
extern "C" __global__ void overloads(const float *in, float *out, double *wide) {
  float x = in[0], y = in[1], s, c;
  int k = 0, i = (int)y, n;
  out[k++] = sin(x) == sinf(x);
  out[k++] = std::sin(x) == sinf(x);
  out[k++] = sqrt(i) == std::sqrt((double)i);
  out[k++] = std::pow(x, 2) == pow((double)x, 2.0);
  out[k++] = pow(x, y) == powf(x, y);
  out[k++] = abs(-x) == x && std::abs(-i) == i && fabs(-x) == x;
  out[k++] = std::max(x, y) == fmaxf(x, y) && fmin(x, y) == min(x, y);
  sincosf(x, &s, &c);
  out[k++] = s == sinf(x) && c == cosf(x);
  out[k++] = isnan(x - x) || isinf(x) || !std::isfinite(x) || signbit(x);
  out[k++] = frexp(x, &n) * ldexp(1.0f, n) == x;
  float whole;
  out[k++] = modff(x, &whole) + whole == x;
  out[k++] = floor(x) + ceilf(x) + rintf(x) + std::trunc(x) + roundf(x);
  out[k++] = lrintf(x) + llround((double)x) + ilogbf(x) + (float)scalbn(1.0, 3);
  out[k++] = fma(x, y, 1.0f) == fmaf(x, y, 1.0f) && copysign(x, -y) == -x;
  out[k++] = norm3df(x, y, 1.0f) + rnorm4d(1.0, 1.0, 1.0, 1.0) + hypot(x, y);
  out[k++] = exp(1) == exp(1.0) && atan2(1.0f, 2.0f) == atan2f(1, 2);
  int q;
  out[k++] = remquof(x * 7, y, &q) + q;
  wide[0] = rsqrt((double)x) + log(i) + sqrt((double)x);
  wide[1] = numeric_limits<float>::max();
}
