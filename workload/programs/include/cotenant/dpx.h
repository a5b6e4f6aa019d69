// Instructions for dynamic programming (CUDA math API: DPX), for host code too. Hopper has most of them in
// hardware; here each is a few instructions. relu: the result is 0 at least.
#pragma once

#include "integer.h"
#include "lanes.h"

// Three operands of type T: op is the greater or the lesser of two, of what first makes of x and y.
#define __CT_DPX(name, T, first, op)                                                               \
  __CT_BOTH T name(T x, T y, T z) { return op(first, z); }
#define __CT_DPX_RELU(name, T, of, most)                                                           \
  __CT_BOTH T name##_relu(T x, T y, T z) { return most(of(x, y, z), 0); }
#define __CT_DPX3(name, first, first_s2, first_u2, op, op_s2, op_u2)                               \
  __CT_DPX(name##_s32, int, (int)(first), op) __CT_DPX(name##_u32, unsigned, first, op)            \
  __CT_DPX(name##_s16x2, unsigned, first_s2, op_s2) __CT_DPX(name##_u16x2, unsigned, first_u2, op_u2) \
  __CT_DPX_RELU(name##_s32, int, name##_s32, max) __CT_DPX_RELU(name##_s16x2, unsigned, name##_s16x2, __vmaxs2)
__CT_DPX3(__viaddmax, (unsigned)x + (unsigned)y, __vadd2(x, y), __vadd2(x, y), max, __vmaxs2, __vmaxu2)
__CT_DPX3(__viaddmin, (unsigned)x + (unsigned)y, __vadd2(x, y), __vadd2(x, y), min, __vmins2, __vminu2)
__CT_DPX3(__vimax3, max(x, y), __vmaxs2(x, y), __vmaxu2(x, y), max, __vmaxs2, __vmaxu2)
__CT_DPX3(__vimin3, min(x, y), __vmins2(x, y), __vminu2(x, y), min, __vmins2, __vminu2)
#undef __CT_DPX3
#undef __CT_DPX_RELU
#undef __CT_DPX

// Of two operands; the forms with a b also say whether the first one was taken, for the upper half first.
#define __CT_DPX2(name, sign)                                                                      \
  __CT_BOTH int __vi##name##_s32_relu(int a, int b) { return max(name(a, b), 0); }                 \
  __CT_BOTH unsigned __vi##name##_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__v##name##s2(a, b), 0); } \
  __CT_BOTH int __vib##name##_s32(int a, int b, bool *first) { return *first = a sign b, name(a, b); } \
  __CT_BOTH unsigned __vib##name##_u32(unsigned a, unsigned b, bool *first) { return *first = a sign b, name(a, b); } \
  __CT_BOTH unsigned __vib##name##_s16x2(unsigned a, unsigned b, bool *high, bool *low) {          \
    *high = (short)(a >> 16) sign (short)(b >> 16), *low = (short)a sign (short)b;                 \
    return __v##name##s2(a, b);                                                                    \
  }                                                                                                \
  __CT_BOTH unsigned __vib##name##_u16x2(unsigned a, unsigned b, bool *high, bool *low) {          \
    *high = a >> 16 sign b >> 16, *low = (a & 0xffff) sign (b & 0xffff);                           \
    return __v##name##u2(a, b);                                                                    \
  }
__CT_DPX2(max, >=)
__CT_DPX2(min, <=)
#undef __CT_DPX2
