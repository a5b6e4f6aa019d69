// Single-precision functions of one argument against a double reference, a block of arguments at a
// time. Where the processor has AVX2 the reference comes from glibc's vector functions, whose error of
// at most 4 units of the last of 53 bits is 2^-27 of a single's ulp. A reference near the middle of two
// singles, or less exact than that, is computed once more in quadruple precision.
enum { block = 1024 };

#if defined __AVX2__ && __GLIBC_PREREQ(2, 35)
typedef double four __attribute__((vector_size(32)));
#define VECTOR(f)                                                                 \
  extern "C" four _ZGVdN4v_##f(four);                                             \
  static void vector_##f(const double *x, double *y, int n) {                     \
    for (int i = 0; i < n; i += 4) *(four *)(y + i) = _ZGVdN4v_##f(*(four *)(x + i)); \
  }
#else
#define VECTOR(f) \
  static void vector_##f(const double *x, double *y, int n) { for (int i = 0; i < n; i++) y[i] = ::f(x[i]); }
#endif
VECTOR(exp) VECTOR(exp2) VECTOR(exp10) VECTOR(expm1) VECTOR(log) VECTOR(log2) VECTOR(log10) VECTOR(log1p)
VECTOR(sin) VECTOR(cos) VECTOR(tan) VECTOR(asin) VECTOR(acos) VECTOR(atan) VECTOR(sinh) VECTOR(cosh) VECTOR(tanh)
VECTOR(asinh) VECTOR(acosh) VECTOR(atanh) VECTOR(cbrt) VECTOR(erf) VECTOR(erfc)

// filler computes references of n arguments; got are the results to be compared.
typedef void filler(const double *x, const float *got, double *y, int n);

static void reciprocal_cbrt(const double *x, const float *, double *y, int n) {
  vector_cbrt(x, y, n);
  for (int i = 0; i < n; i++) y[i] = 1 / y[i];
}
static void normal_distribution(const double *x, const float *, double *y, int n) {
  double z[block] __attribute__((aligned(32)));
  for (int i = 0; i < n; i++) z[i] = -x[i] / M_SQRT2;
  vector_erfc(z, y, n);
  for (int i = 0; i < n; i++) y[i] /= 2;
}
// Half turns: the argument's rest is exact.
template <bool cosine> static void half_turns(const double *x, const float *, double *y, int n) {
  double z[block] __attribute__((aligned(32)));
  for (int i = 0; i < n; i++) {
    double r = x[i] - 2 * ::nearbyint(x[i] / 2), a = ::fabs(r);
    z[i] = M_PI * (cosine ? 0.5 - a : ::copysign(a > 0.5 ? 1 - a : a, r == 0 || a == 1 ? x[i] : r));
  }
  vector_sin(z, y, n);
}
// Inverses: one of Halley's steps from the single result, where the error is cubed, with the one of erf
// and erfc that does not cancel. kind is 0 for erfinv, 1 for erfcinv, 2 for normcdfinv.
template <int kind> static void inverse(const double *y, const float *got, double *x, int n) {
  double z[block] __attribute__((aligned(32))), erf[block] __attribute__((aligned(32))), rest[block] __attribute__((aligned(32)));
  for (int i = 0; i < n; i++) z[i] = kind == 2 ? -got[i] / M_SQRT2 : got[i];
  vector_erf(z, erf, n);
  for (int i = 0; i < n; i++) x[i] = ::fabs(z[i]);
  vector_erfc(x, rest, n);
  for (int i = 0; i < n; i++) x[i] = -z[i] * z[i];
  vector_exp(x, x, n);
  for (int i = 0; i < n; i++) {
    double v = z[i], t = kind == 2 ? 2 * y[i] : y[i], slope = 2 / ::sqrt(M_PI) * x[i], f;
    if (kind == 0) f = ::fabs(t) < 0.5 ? erf[i] - t : t > 0 ? (1 - t) - rest[i] : rest[i] - (1 + t);
    else f = t < 0.5 ? t - rest[i] : t < 1.5 ? erf[i] - (1 - t) : rest[i] - (2 - t);
    double u = f / slope;
    v -= u / (1 + v * u);
    x[i] = kind == 2 ? -M_SQRT2 * v : v;
    if (!::isfinite(got[i]) || t == 0) x[i] = NAN; // decided in quadruple precision
  }
}

struct function {
  const char *name;
  float (*single)(float);
  void (*f)(const float *, float *, int);
  double (*d)(double);
  filler *reference;
  char symmetry; // 'o': odd, 'e': even, 0: neither
  quad (*exact)(quad);
  int low, high; // exponents of double arguments
};
#define F(name, reference, symmetry, exact, low, high)                                              \
  {#name, [](float x) { return __ct::name(x); },                                                    \
   [](const float *x, float *y, int n) { for (int i = 0; i < n; i++) y[i] = __ct::name(x[i]); },    \
   [](double x) { return __ct::name(x); }, reference, symmetry, exact, low, high}
#define Q(f128) [](quad x) -> quad { return f128; }
#define D(value) [](const double *p, const float *, double *y, int n) { for (int i = 0; i < n; i++) { double x = p[i]; y[i] = value; } }
#define V(name, symmetry, low, high) \
  F(name, [](const double *x, const float *, double *y, int n) { vector_##name(x, y, n); }, symmetry, Q(name##f128(x)), low, high)
static const function functions[] = {
    V(exp, 0, -40, 9), V(exp2, 0, -40, 10), V(exp10, 0, -40, 8), V(expm1, 0, -60, 9), V(log, 0, -1074, 1023),
    V(log2, 0, -1074, 1023), V(log10, 0, -1074, 1023), V(log1p, 0, -60, 100), V(sin, 'o', -40, 1023), V(cos, 'e', -40, 1023),
    V(tan, 'o', -40, 1023), V(asin, 'o', -40, 0), V(acos, 0, -40, 0), V(atan, 'o', -40, 60), V(sinh, 'o', -40, 9),
    V(cosh, 'e', -40, 9), V(tanh, 'o', -40, 5), V(asinh, 'o', -40, 1023), V(acosh, 0, 0, 1023), V(atanh, 'o', -40, 0),
    V(cbrt, 'o', -1074, 1023), V(erf, 'o', -40, 3), V(erfc, 0, -20, 4),
    F(sinpi, half_turns<false>, 'o', half_turn_sin, -40, 52), F(cospi, half_turns<true>, 'e', half_turn_cos, -40, 52),
    F(rcbrt, reciprocal_cbrt, 'o', Q(1 / cbrtf128(x)), -1074, 1023), F(rsqrt, D(1 / ::sqrt(x)), 0, Q(1 / sqrtf128(x)), -1074, 1023),
    F(erfcx, D(scaled_erfc_double(x)), 0, scaled_erfc, -20, 60), F(normcdf, normal_distribution, 0, normal, -20, 5),
    F(erfinv, inverse<0>, 'o', inverse_erf, -40, 0), F(erfcinv, inverse<1>, 0, inverse_erfc, -300, 0),
    F(normcdfinv, inverse<2>, 0, inverse_normal, -300, -1),
    F(lgamma, D(::lgamma(x)), 0, lgammaf128, -40, 1010), F(tgamma, D(::tgamma(x)), 0, tgammaf128, -40, 7),
    F(j0, D(::j0(x)), 'e', j0f128, -20, 2), F(j1, D(::j1(x)), 'o', j1f128, -20, 2),
    F(y0, D(::y0(x)), 0, y0f128, -20, 2), F(y1, D(::y1(x)), 0, y1f128, -20, 2),
    F(cyl_bessel_i0, D(bessel_i_double(x, 0)), 'e', Q(bessel_i(x, 0)), -20, 9),
    F(cyl_bessel_i1, D(bessel_i_double(x, 1)), 'o', Q(bessel_i(x, 1)), -20, 9),
};

// Functions that cross zero, where the double's relative error grows.
static bool crosses_zero(const function &f) { return f.name[0] == 'j' || f.name[0] == 'y' || f.name[0] == 'l'; }

// One block. What the loops without branches cannot decide goes to the comparison in quadruple precision.
static void compare_block(const function &f, const float *x, const float *got, int n) {
  static double wide[block] __attribute__((aligned(32))), exact[block] __attribute__((aligned(32)));
  static double error[block];
  static int32_t far[block], doubtful[block];
  for (int i = 0; i < block; i++) wide[i] = x[i < n ? i : 0];
  f.reference(wide, got, exact, (n + 3) & ~3);
  const bool zeros = crosses_zero(f);
  for (int i = 0; i < n; i++) {
    double r = exact[i], size = ::fabs(r);
    float nearest = (float)r;
    int64_t bits;
    int32_t a, b;
    memcpy(&bits, &size, 8);
    int64_t e = (bits >> 52) - 1023 + 1 - format<float>::digits;
    e = e < format<float>::least ? format<float>::least : e;
    bits = (1023 - e) << 52;
    double scale;
    memcpy(&scale, &bits, 8);
    double scaled = size * scale, away = ::fabs((got[i] - r) * scale);
    memcpy(&a, &got[i], 4);
    memcpy(&b, &nearest, 4);
    error[i] = away;
    far[i] = a > b ? a - b : b - a; // of one sign, else the error is large
    bool same = a == b && (b & 0x7fffffff) >= 0x7f800000 && nearest == nearest; // both infinite
    bool fine = size < 3.4e38 && ::fabsf(got[i]) < 3.4e38f && (a ^ b) >= 0 && nearest != 0 &&
                ::fabs(scaled - ::floor(scaled) - 0.5) > 0x1p-20 &&
                !(zeros && ::fabs(wide[i]) > 0.5 && size * ::sqrt(::fabs(wide[i])) < 0x1p-12);
    bool zero = a == b && nearest == 0 && size < 0x1p-151;
    bool undefined = got[i] != got[i] && r != r && f.name[0] != 'e' && f.name[0] != 'n';
    if (zero || same || undefined) far[i] = 0, error[i] = 0;
    doubtful[i] = !(fine || same || zero || undefined);
  }
  for (int i = 0; i < n; i++) {
    if (leave_out && left_out(x[i])) continue;
    if (doubtful[i]) {
      compare<float>(got[i], f.exact((quad)x[i]), x[i]);
      continue;
    }
    count++;
    if (far[i] > farthest) farthest = far[i];
    if (error[i] > worst) {
      worst = error[i];
      worst_arguments[0] = x[i];
    }
  }
}

// Every stride-th number; of a symmetric function the negative half by its symmetry if stride is 1.
static void sweep(const function &f, uint64_t stride) {
  float x[block], got[block];
  bool half = stride == 1 && f.symmetry;
  for (uint64_t i = 0, end = 1ull << (half ? 31 : 32); i < end;) {
    int n = 0;
    for (; n < block && i < end; n++, i += stride) x[n] = from_bits<float>(i);
    f.f(x, got, n);
    compare_block(f, x, got, n);
    if (!half) continue;
    float negative[block], mirrored[block];
    for (int k = 0; k < n; k++) negative[k] = -x[k];
    f.f(negative, mirrored, n);
    for (int k = 0; k < n; k++) {
      float want = f.symmetry == 'o' ? -got[k] : got[k];
      if (memcmp(&mirrored[k], &want, 4) && !(want != want && mirrored[k] != mirrored[k]))
        compare<float>(mirrored[k], f.exact((quad)negative[k]), negative[k]);
      else count++;
    }
  }
}
