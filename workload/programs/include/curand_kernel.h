// Random numbers in kernels: XORWOW (Marsaglia, Journal of Statistical Software 8(14), 2003) with
// cuRAND's seeding and subsequences of 2^67 numbers, and Philox 4x32-10 (Salmon et al., SC 2011).
#pragma once

#include "cuda_runtime.h"

typedef struct curandStateXORWOW {
  unsigned d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
} curandStateXORWOW_t;
typedef struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
} curandStatePhilox4_32_10_t;
typedef curandStateXORWOW_t curandState_t;
typedef curandStateXORWOW_t curandState;

#if defined(__CUDA__)
#include "cotenant/jumps.h"

namespace __ct {
__CT_FN void xorwow_step(unsigned *v) {
  unsigned t = v[0] ^ (v[0] >> 2);
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
// n jumps, by the bits of n: a jump is the sum of the states that its polynomial names.
static __device__ __attribute__((noinline, unused)) void xorwow_jump(unsigned *v, unsigned long long n, const unsigned (*jumps)[5]) {
  for (int k = 0; n; k++, n >>= 1) {
    if (!(n & 1)) continue;
    unsigned sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; i++) {
      if (jumps[k][i >> 5] >> (i & 31) & 1)
        for (int w = 0; w < 5; w++) sum[w] ^= v[w];
      xorwow_step(v);
    }
    for (int w = 0; w < 5; w++) v[w] = sum[w];
  }
}
__CT_FN uint4 philox(uint4 c, uint2 k) {
  _Pragma("unroll") for (int round = 0; round < 10; round++) {
    uint4 n = {__umulhi(0xCD9E8D57u, c.z) ^ c.y ^ k.x, 0xCD9E8D57u * c.z, __umulhi(0xD2511F53u, c.x) ^ c.w ^ k.y, 0xD2511F53u * c.x};
    c = n;
    k.x += 0x9E3779B9u, k.y += 0xBB67AE85u;
  }
  return c;
}
// Adds to a counter of 64 bits, with a carry into the words above.
__CT_FN void philox_count(uint4 *c, unsigned long long n) {
  unsigned long long low = (unsigned long long)c->y << 32 | c->x, sum = low + n;
  c->x = (unsigned)sum, c->y = (unsigned)(sum >> 32);
  if (sum < low && ++c->z == 0) c->w++;
}
// Uniform in (0, 1], from 32 bits and from 53.
__CT_FN float uniform(unsigned x) { return __fmaf_rn((float)x, 0x1p-32f, 0x1p-33f); }
__CT_FN double uniform(unsigned x, unsigned y) {
  return __fma_rn((double)((unsigned long long)x ^ (unsigned long long)y << 21), 0x1p-53, 0x1p-54);
}
// Box and Muller's pair of normal numbers.
__CT_FN float2 normal(unsigned x, unsigned y) {
  float angle = __fmaf_rn((float)y, 0x1.921fb6p-30f, 0x1.921fb6p-31f), s, c, r = sqrtf(-2.0f * logf(uniform(x)));
  __sincosf(angle, &s, &c);
  return make_float2(s * r, c * r);
}
__CT_FN double2 normal(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  double s, c, r = sqrt(-2.0 * log(uniform(x0, x1)));
  sincospi(2 * uniform(y0, y1), &s, &c);
  return make_double2(s * r, c * r);
}
} // namespace __ct

__CT_FN void skipahead(unsigned long long n, curandStateXORWOW_t *state) {
  __ct::xorwow_jump(state->v, n, __ct::jump_steps);
  state->d += 362437u * (unsigned)n;
}
__CT_FN void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state) {
  __ct::xorwow_jump(state->v, n, __ct::jump_sequences);
}
__CT_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                         curandStateXORWOW_t *state) {
  unsigned t0 = 1099087573u * ((unsigned)seed ^ 0xaad26b49u), t1 = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
  curandStateXORWOW_t s = {6615241u + t1 + t0,
                           {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0}, 0, 0, 0, 0};
  skipahead_sequence(subsequence, &s);
  skipahead(offset, &s);
  *state = s;
}
__CT_FN unsigned curand(curandStateXORWOW_t *state) {
  __ct::xorwow_step(state->v);
  state->d += 362437;
  return state->v[4] + state->d;
}

__CT_FN void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  state->STATE += (unsigned)(n & 3);
  n /= 4;
  if (state->STATE > 3) n++, state->STATE -= 4;
  __ct::philox_count(&state->ctr, n);
  state->output = __ct::philox(state->ctr, state->key);
}
__CT_FN void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state) {
  unsigned long long high = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;
  state->ctr.z = (unsigned)high, state->ctr.w = (unsigned)(high >> 32);
  state->output = __ct::philox(state->ctr, state->key);
}
__CT_FN void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                         curandStatePhilox4_32_10_t *state) {
  curandStatePhilox4_32_10_t s = {{0, 0, 0, 0}, {0, 0, 0, 0}, {(unsigned)seed, (unsigned)(seed >> 32)}, 0, 0, 0, 0, 0};
  s.ctr.z = (unsigned)subsequence, s.ctr.w = (unsigned)(subsequence >> 32);
  skipahead(offset, &s);
  *state = s;
}
__CT_FN unsigned curand(curandStatePhilox4_32_10_t *state) {
  uint4 o = state->output;
  unsigned at = state->STATE++, x = at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w;
  if (state->STATE == 4) {
    state->STATE = 0;
    __ct::philox_count(&state->ctr, 1);
    state->output = __ct::philox(state->ctr, state->key);
  }
  return x;
}
__CT_FN uint4 curand4(curandStatePhilox4_32_10_t *state) {
  unsigned x = curand(state), y = curand(state), z = curand(state), w = curand(state);
  return make_uint4(x, y, z, w);
}

#define __CT_DISTRIBUTIONS(State)                                                                  \
  __CT_FN float curand_uniform(State *state) { return __ct::uniform(curand(state)); }              \
  __CT_FN double curand_uniform_double(State *state) {                                             \
    unsigned x = curand(state);                                                                    \
    return __ct::uniform(x, curand(state));                                                        \
  }                                                                                                \
  __CT_FN float2 curand_normal2(State *state) {                                                    \
    unsigned x = curand(state);                                                                    \
    return __ct::normal(x, curand(state));                                                         \
  }                                                                                                \
  __CT_FN float curand_normal(State *state) {                                                      \
    if (state->boxmuller_flag) {                                                                   \
      state->boxmuller_flag = 0;                                                                   \
      return state->boxmuller_extra;                                                               \
    }                                                                                              \
    float2 v = curand_normal2(state);                                                              \
    state->boxmuller_extra = v.y;                                                                  \
    state->boxmuller_flag = 1;                                                                     \
    return v.x;                                                                                    \
  }                                                                                                \
  __CT_FN double2 curand_normal2_double(State *state) {                                            \
    unsigned x0 = curand(state), x1 = curand(state), y0 = curand(state);                           \
    return __ct::normal(x0, x1, y0, curand(state));                                                \
  }                                                                                                \
  __CT_FN double curand_normal_double(State *state) {                                              \
    if (state->boxmuller_flag_double) {                                                            \
      state->boxmuller_flag_double = 0;                                                            \
      return state->boxmuller_extra_double;                                                        \
    }                                                                                              \
    double2 v = curand_normal2_double(state);                                                      \
    state->boxmuller_extra_double = v.y;                                                           \
    state->boxmuller_flag_double = 1;                                                              \
    return v.x;                                                                                    \
  }                                                                                                \
  __CT_FN float curand_log_normal(State *state, float mean, float deviation) {                     \
    return expf(mean + deviation * curand_normal(state));                                          \
  }                                                                                                \
  __CT_FN double curand_log_normal_double(State *state, double mean, double deviation) {           \
    return exp(mean + deviation * curand_normal_double(state));                                    \
  }
__CT_DISTRIBUTIONS(curandStateXORWOW_t)
__CT_DISTRIBUTIONS(curandStatePhilox4_32_10_t)
#undef __CT_DISTRIBUTIONS
__CT_FN float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  uint4 v = curand4(state);
  return make_float4(__ct::uniform(v.x), __ct::uniform(v.y), __ct::uniform(v.z), __ct::uniform(v.w));
}
__CT_FN float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  uint4 v = curand4(state);
  float2 a = __ct::normal(v.x, v.y), b = __ct::normal(v.z, v.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
#endif
