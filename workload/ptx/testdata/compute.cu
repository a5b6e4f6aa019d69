// Arithmetic: f64 and 64-bit integers, bit operations, conversions, calls that
// are not inlined, switches, atomics and warp intrinsics.
#include "cuda.h"
struct Pair { float a; double b; };
__device__ __noinline__ double power(double x, int n) {
  double r = 1;
  while (n) { if (n & 1) r *= x; x *= x; n >>= 1; }
  return r;
}
__device__ __noinline__ Pair both(Pair p, const float *t) {
  Pair r = {p.a * t[0], power(p.b, 3)};
  return r;
}
__device__ __noinline__ void put(float *p, float v) { *p = v; }
__global__ void calls(double *out, float *f, int n) {
  int i = ID;
  if (i >= n) return;
  Pair q = both(Pair{f[i], out[i]}, f);
  out[i] = q.b + power(q.b, i);
  put(f + i, q.a);
}
__global__ void doubles(double *x, long long *y, u64 z) {
  int i = ID;
  double a = x[i];
  x[i] = a / (a + 1.5) - (double)y[i] * (float)a;
  y[i] = (long long)a % 1000003LL + (y[i] >> 3) * (long long)(z / (u64)(i + 1));
}
__global__ void bits(uint *x, u64 *y) {
  int i = ID;
  uint a = x[i];
  a = (a << 7 | a >> 25) ^ __builtin_popcount(a) ^ (a ? __builtin_clz(a) : 32);
  a = __builtin_bitreverse32(a) + (unsigned char)a * (short)a;
  x[i] = a % 10 + (uint)((u64)a * 0x12345678u >> 32);
  y[i] ^= __builtin_popcountll(y[i]) + ((y[i] >> 5) & 0x3ff);
}
__global__ void cases(int *x) {
  int i = ID, v = x[i];
  switch (v) {
  case 0: v = i; break;
  case 1: v *= 7; break;
  case 2: v -= i * i; break;
  case 3: v = v / (i + 1);
  case 4: v ^= 0x55; break;
  case 5: while (v < 100) { v += i + 1; if (v == 50) break; } break;
  default: v = -v;
  }
  x[i] = v;
}
__global__ void atomics(int *x, float *f, u64 *l, uint *u) {
  __shared__ int bins[32];
  bins[TX & 31] = 0;
  barrier();
  __nvvm_atom_add_gen_f(f, 1.5f);
  __atomic_fetch_add(&x[0], 3, __ATOMIC_RELAXED);
  x[ID] = __atomic_fetch_max(&x[1], ID, __ATOMIC_RELAXED);
  __sync_fetch_and_add(&bins[x[2] & 31], 1);
  __sync_val_compare_and_swap(l, 5ull, 9ull);
  u[1] = __nvvm_atom_inc_gen_ui(u, 100);
  __sync_fetch_and_or(u + 2, 8u);
  barrier();
  __nvvm_membar_gl();
  x[TX + 3] = bins[TX & 31];
}
__global__ void warps(int *x, float *f) {
  int v = x[ID], s, p;
  for (int d = 16; d; d /= 2) v += __nvvm_shfl_bfly_i32(v, d, 31);
  asm volatile("{ .reg .pred p; .reg .pred q; setp.ne.s32 q, %2, 0; shfl.up.b32 %0|p, %2, 0x1, 0x0;"
               " vote.all.pred p, q; selp.s32 %1, 1, 0, p; }" : "=r"(s), "=r"(p) : "r"(v));
  uint ballot;
  asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 3; vote.ballot.b32 %0, p; }" : "=r"(ballot) : "r"(v));
  x[ID] = v + s + p + ballot + __nvvm_read_ptx_sreg_laneid();
  f[ID] = __nvvm_ex2_approx_f(__nvvm_sin_approx_f(f[ID])) + __nvvm_rsqrt_approx_f(f[0]) + f[1] / f[2] +
          __nvvm_sqrt_rn_f(f[3]) + (float)(__nvvm_read_ptx_sreg_clock() & 1);
}
