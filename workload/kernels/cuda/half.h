// Half precision, asynchronous copies and tensor cores, as instructions of PTX: the compiler has
// no type for half precision on this target. A source that includes this file is compiled for sm_80.
#pragma once

#include "cotenant.h"

// A number of half precision, by its bits.
struct half { unsigned short bits; };

INLINE float to_float(half h) {
  float f;
  __asm__("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
  return f;
}

INLINE half to_half(float f) {
  half h;
  __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(f));
  return h;
}

// Two numbers in a word, the first in its lower half.
INLINE unsigned pack(float first, float second) {
  unsigned pair;
  __asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
}

INLINE float2 unpack(unsigned pair) {
  half first = {(unsigned short)pair}, second = {(unsigned short)(pair >> 16)};
  return {to_float(first), to_float(second)};
}

// 16 bytes, by one instruction.
typedef unsigned words __attribute__((ext_vector_type(4)));
INLINE uint4 load16(const void *p) {
  words w = *(const words *)p;
  return {w.x, w.y, w.z, w.w};
}
INLINE void store16(void *p, uint4 w) { *(words *)p = words{w.x, w.y, w.z, w.w}; }

// Eight numbers, 16 bytes in memory.
struct float8 { float at[8]; };

INLINE float8 unpack(uint4 words) {
  float2 a = unpack(words.x), b = unpack(words.y), c = unpack(words.z), d = unpack(words.w);
  return {{a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y}};
}

INLINE uint4 pack(const float8 &f) {
  return {pack(f.at[0], f.at[1]), pack(f.at[2], f.at[3]), pack(f.at[4], f.at[5]), pack(f.at[6], f.at[7])};
}

INLINE float8 load8(const half *p) { return unpack(load16(p)); }
INLINE void store8(half *p, const float8 &f) { store16(p, pack(f)); }

// 2 to the power of x, on the special-function unit.
INLINE float exp2(float x) {
  float y;
  __asm__("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

INLINE float reciprocal(float x) {
  float y;
  __asm__("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

INLINE float larger(float a, float b) { return a > b ? a : b; }

constexpr float log2_e = 1.4426950408889634f, lowest = -1e30f;

// The value of the lane whose number differs in the bits of mask.
INLINE float across(float x, int mask) {
  float y;
  __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=f"(y) : "f"(x), "r"(mask));
  return y;
}

INLINE unsigned across(unsigned x, int mask) {
  unsigned y;
  __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=r"(y) : "r"(x), "r"(mask));
  return y;
}

// Two words of two lanes, whose numbers differ in the bits of mask: the upper lane gets the
// second words, the other the first.
INLINE void exchange(unsigned &first, unsigned &second, int mask) {
  bool upper = threadIdx.x & mask;
  unsigned other = across(upper ? first : second, mask);
  first = upper ? other : first;
  second = upper ? second : other;
}

// Transposes 4 x 4 words of four lanes next to each other, a row in each.
INLINE void transpose(unsigned (&w)[4]) {
  exchange(w[0], w[1], 1);
  exchange(w[2], w[3], 1);
  exchange(w[0], w[2], 2);
  exchange(w[1], w[3], 2);
}

// Sums, and maxima, over groups of lanes next to each other: 4, 16 or all 32 of them.
template <int lanes = 32> INLINE float sum_of(float x) {
#pragma unroll
  for (int mask = lanes / 2; mask > 0; mask /= 2) x += across(x, mask);
  return x;
}
template <int lanes = 32> INLINE float max_of(float x) {
#pragma unroll
  for (int mask = lanes / 2; mask > 0; mask /= 2) x = larger(x, across(x, mask));
  return x;
}

// The address of a place in shared memory as instructions of that space take it.
INLINE unsigned shared_address(const void *p) {
  return (unsigned)(unsigned long long)(__attribute__((address_space(3))) const void *)p;
}

// Copies 16 bytes from global to shared memory, past the L1. Copies since the last commit make
// a group; wait lets at most as many of the last groups be under way.
INLINE void copy_async(unsigned to, const void *from) {
  __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
// The same, or 16 bytes of zeros.
INLINE void copy_async(unsigned to, const void *from, bool valid) {
  __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid ? 16 : 0) : "memory");
}
INLINE void commit() { __asm__ volatile("cp.async.commit_group;" ::: "memory"); }
template <int groups> INLINE void wait() { __asm__ volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory"); }

// Four matrices of 8 x 8 halves, of which lane i gives the address of row i % 8 of matrix i / 8.
INLINE void load_matrices(unsigned (&m)[4], unsigned row) {
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                   : "r"(row)
                   : "memory");
}
INLINE void load_transposed(unsigned (&m)[4], unsigned row) {
  __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3])
                   : "r"(row)
                   : "memory");
}

// d += a b, of 16 x 16 by 16 x 8 halves.
INLINE void multiply_add(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  __asm__("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
