// Every integer function on pairs of words: row i of out has the results of pair i.
#define EACH_LANES(name) o[k++] = name##2(x, y); o[k++] = name##4(x, y);
#define EACH_LANES1(name) o[k++] = name##2(x); o[k++] = name##4(x);
extern "C" __global__ void integer(const unsigned *in, unsigned *out, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
  unsigned x = in[3 * i], y = in[3 * i + 1], z = in[3 * i + 2];
  unsigned long long xy = (unsigned long long)x << 32 | y, zx = (unsigned long long)z << 32 | x;
  unsigned *o = out + i * columns;
  o[k++] = __clz(x);
  o[k++] = __clzll(xy >> 31);
  o[k++] = __popc(x);
  o[k++] = __popcll(xy);
  o[k++] = __ffs(x);
  o[k++] = __ffsll(xy << 17);
  o[k++] = __brev(x);
  o[k++] = __brevll(xy);
  o[k++] = __brevll(xy) >> 32;
  o[k++] = __byte_perm(x, y, z);
  o[k++] = __mul24(x, y);
  o[k++] = __umul24(x, y);
  o[k++] = __mulhi((int)x, (int)y);
  o[k++] = __umulhi(x, y);
  o[k++] = __mul64hi(xy, zx);
  o[k++] = __umul64hi(xy, zx) >> 32;
  o[k++] = __sad(x, y, z);
  o[k++] = __usad(x, y, z);
  o[k++] = __hadd(x, y);
  o[k++] = __rhadd(x, y);
  o[k++] = __uhadd(x, y);
  o[k++] = __urhadd(x, y);
  o[k++] = __funnelshift_l(x, y, z);
  o[k++] = __funnelshift_lc(x, y, z & 63);
  o[k++] = __funnelshift_r(x, y, z);
  o[k++] = __funnelshift_rc(x, y, z & 63);
  o[k++] = __fns(x, y & 31, (int)(z & 15) - 8);
  o[k++] = __dp4a((int)x, (int)y, (int)z);
  o[k++] = __dp4a(x, y, z);
  o[k++] = __dp2a_lo((int)x, (int)y, (int)z);
  o[k++] = __dp2a_hi(x, y, z);
  o[k++] = min((int)x, (int)y);
  o[k++] = max(x, y);
  o[k++] = max(xy, zx) >> 32;
  o[k++] = abs((int)x);
  EACH_LANES(__vadd)
  EACH_LANES(__vaddss)
  EACH_LANES(__vaddus)
  EACH_LANES(__vsub)
  EACH_LANES(__vsubss)
  EACH_LANES(__vsubus)
  EACH_LANES(__vavgs)
  EACH_LANES(__vavgu)
  EACH_LANES(__vhaddu)
  EACH_LANES(__vabsdiffs)
  EACH_LANES(__vabsdiffu)
  EACH_LANES(__vmaxs)
  EACH_LANES(__vmaxu)
  EACH_LANES(__vmins)
  EACH_LANES(__vminu)
  EACH_LANES(__vcmpeq)
  EACH_LANES(__vcmpges)
  EACH_LANES(__vcmpgtu)
  EACH_LANES(__vcmples)
  EACH_LANES(__vcmpltu)
  EACH_LANES(__vsetne)
  EACH_LANES(__vsetgts)
  EACH_LANES(__vsads)
  EACH_LANES(__vsadu)
  EACH_LANES1(__vabs)
  EACH_LANES1(__vabsss)
  EACH_LANES1(__vneg)
  EACH_LANES1(__vnegss)
}
