// Arithmetic and conversions with a rounding in the name.
#define ALL(call) o[k++] = call(rn); o[k++] = call(rz); o[k++] = call(ru); o[k++] = call(rd);
extern "C" __global__ void rounding(const double *in, double *out, int columns) {
  int i = threadIdx.x, k = 0;
  double x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2], *o = out + i * columns;
  float a = x, b = y, c = z;
#define ADD(r) __fadd_##r(a, b)
#define SUB(r) __fsub_##r(a, b)
#define MUL(r) __fmul_##r(a, b)
#define FMA(r) __fmaf_##r(a, b, c)
#define DIV(r) __fdiv_##r(a, b)
#define RCP(r) __frcp_##r(a)
#define ROOT(r) __fsqrt_##r(a)
#define NARROW(r) __double2float_##r(x)
#define INT(r) __float2int_##r(a)
#define LONG(r) (double)__double2ll_##r(x)
#define REAL(r) __int2float_##r((int)(x * 1e8))
  ALL(ADD) ALL(SUB) ALL(MUL) ALL(FMA) ALL(DIV) ALL(RCP) ALL(ROOT) ALL(NARROW) ALL(INT) ALL(LONG) ALL(REAL)
#define DADD(r) __dadd_##r(x, y)
#define DSUB(r) __dsub_##r(x, y)
#define DMUL(r) __dmul_##r(x, y)
#define DFMA(r) __fma_##r(x, y, z)
#define DDIV(r) __ddiv_##r(x, y)
#define DRCP(r) __drcp_##r(x)
#define DROOT(r) __dsqrt_##r(x)
  ALL(DADD) ALL(DSUB) ALL(DMUL) ALL(DFMA) ALL(DDIV) ALL(DRCP) ALL(DROOT)
  o[k++] = __frsqrt_rn(a);
  o[k++] = __saturatef(a);
  o[k++] = __hiloint2double(__double2hiint(x), __double2loint(x));
  o[k++] = __int_as_float(__float_as_int(a));
  o[k++] = __fdividef(a, b);
  o[k++] = __sinf(a);
  o[k++] = __cosf(a);
  o[k++] = __expf(a);
  o[k++] = __logf(a);
  o[k++] = __powf(a, b);
  o[k++] = __fadd_rn(__fmul_rn(a, b), c); // two roundings
  o[k++] = __dmul_rn(x, y) + z;
}
