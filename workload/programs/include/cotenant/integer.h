// Integer functions (CUDA math API: integer mathematical functions, integer intrinsics).
#pragma once

#include "../vector_types.h"
#include "define.h"

__CT_FN int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
__CT_FN int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
__CT_FN int __popc(unsigned v) { return __builtin_popcount(v); }
__CT_FN int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
__CT_FN int __ffs(int v) { return __builtin_ffs(v); }
__CT_FN int __ffsll(long long v) { return __builtin_ffsll(v); }
__CT_FN unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
__CT_FN unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
__CT_FN unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { return __nvvm_prmt(a, b, s & 0x7777); }

__CT_FN int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
__CT_FN unsigned __umul24(unsigned a, unsigned b) { return __nvvm_mul24_ui(a, b); }
__CT_FN int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
__CT_FN unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
__CT_FN long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
__CT_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
// |a - b| + c
__CT_FN unsigned __sad(int a, int b, unsigned c) {
  return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
__CT_FN unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
// Means, rounded down and up, without overflow.
__CT_FN int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
__CT_FN int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
__CT_FN unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
__CT_FN unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }

// A shift of 64 bits, high over low: its upper word to the left, its lower word to the right. The
// c forms clamp the distance to 32, the others take it modulo 32.
#define __CT_FUNNEL(name, operation)                                                               \
  __CT_FN unsigned name(unsigned low, unsigned high, unsigned by) {                                \
    unsigned v;                                                                                    \
    __asm__("shf." operation ".b32 %0, %1, %2, %3;" : "=r"(v) : "r"(low), "r"(high), "r"(by));     \
    return v;                                                                                      \
  }
__CT_FUNNEL(__funnelshift_l, "l.wrap")
__CT_FUNNEL(__funnelshift_lc, "l.clamp")
__CT_FUNNEL(__funnelshift_r, "r.wrap")
__CT_FUNNEL(__funnelshift_rc, "r.clamp")
#undef __CT_FUNNEL

// The place of the nth set bit of v from base on, upwards for a positive n, downwards for a negative
// n, at base itself for 0; all ones if there is none.
__CT_FN unsigned __fns(unsigned v, unsigned base, int n) {
  if (n == 0) return v >> base & 1 ? base : 0xffffffffu;
  int step = n > 0 ? 1 : -1, left = n > 0 ? n : -n;
  for (int at = (int)base; at >= 0 && at < 32; at += step)
    if ((v >> at & 1) && --left == 0) return (unsigned)at;
  return 0xffffffffu;
}

// Dot products of four bytes, or of two halves with two of the bytes, plus c.
#define __CT_DOT(name, operation, type)                                                            \
  __CT_FN type name(type a, type b, type c) {                                                      \
    type d;                                                                                        \
    __asm__(operation " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                      \
    return d;                                                                                      \
  }
__CT_DOT(__dp4a, "dp4a.s32.s32", int)
__CT_DOT(__dp4a, "dp4a.u32.u32", unsigned)
__CT_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int)
__CT_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned)
__CT_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int)
__CT_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned)
#undef __CT_DOT
__CT_FN int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__CT_FN unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}
__CT_FN int __dp2a_lo(short2 a, char4 b, int c) {
  return __dp2a_lo(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__CT_FN unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
  return __dp2a_lo(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}
__CT_FN int __dp2a_hi(short2 a, char4 b, int c) {
  return __dp2a_hi(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), c);
}
__CT_FN unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
  return __dp2a_hi(__builtin_bit_cast(unsigned, a), __builtin_bit_cast(unsigned, b), c);
}

// Smaller and greater, by type. The forms with mixed signs compare as unsigned numbers, as C does.
#define __CT_EXTREME(type, a_type, b_type)                                                         \
  __CT_BOTH type min(a_type a, b_type b) { return (type)a < (type)b ? (type)a : (type)b; }         \
  __CT_BOTH type max(a_type a, b_type b) { return (type)a > (type)b ? (type)a : (type)b; }
__CT_EXTREME(int, int, int)
__CT_EXTREME(unsigned, unsigned, unsigned)
__CT_EXTREME(unsigned, int, unsigned)
__CT_EXTREME(unsigned, unsigned, int)
__CT_EXTREME(long, long, long)
__CT_EXTREME(unsigned long, unsigned long, unsigned long)
__CT_EXTREME(unsigned long, long, unsigned long)
__CT_EXTREME(unsigned long, unsigned long, long)
__CT_EXTREME(long long, long long, long long)
__CT_EXTREME(unsigned long long, unsigned long long, unsigned long long)
__CT_EXTREME(unsigned long long, long long, unsigned long long)
__CT_EXTREME(unsigned long long, unsigned long long, long long)
#undef __CT_EXTREME
__CT_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
__CT_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
__CT_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
__CT_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
__CT_BOTH double min(float a, double b) { return __builtin_fmin(a, b); }
__CT_BOTH double max(float a, double b) { return __builtin_fmax(a, b); }
__CT_BOTH double min(double a, float b) { return __builtin_fmin(a, b); }
__CT_BOTH double max(double a, float b) { return __builtin_fmax(a, b); }
__CT_BOTH unsigned umin(unsigned a, unsigned b) { return min(a, b); }
__CT_BOTH unsigned umax(unsigned a, unsigned b) { return max(a, b); }
__CT_BOTH long long llmin(long long a, long long b) { return min(a, b); }
__CT_BOTH long long llmax(long long a, long long b) { return max(a, b); }
__CT_BOTH unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
__CT_BOTH unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

__CT_FN int abs(int a) { return a < 0 ? (int)-(unsigned)a : a; }
__CT_FN long abs(long a) { return a < 0 ? (long)-(unsigned long)a : a; }
__CT_FN long long abs(long long a) { return a < 0 ? (long long)-(unsigned long long)a : a; }
__CT_FN long labs(long a) { return abs(a); }
__CT_FN long long llabs(long long a) { return abs(a); }
