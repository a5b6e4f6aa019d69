// Instructions for dynamic programming (CUDA math API: DPX), for host code too. Hopper has most of them in
// hardware; here each is a few instructions. relu: the result is 0 at least.
#pragma once

#include "define.h"

namespace __ct {
template <class T> __CT_BOTH T greater(T a, T b) { return a > b ? a : b; }
template <class T> __CT_BOTH T lesser(T a, T b) { return a < b ? a : b; }
template <class T> __CT_BOTH T wrapped_sum(T a, T b) { return (T)((unsigned)a + (unsigned)b); }
} // namespace __ct

// name of x, y and z of type T: of whole words, and of both halves.
#define __CT_DPX_WORD(name, T, expression)                                                         \
  __CT_BOTH T name(T x, T y, T z) { return expression; }
#define __CT_DPX_HALVES(name, T, expression)                                                       \
  __CT_BOTH unsigned name(unsigned a, unsigned b, unsigned c) {                                    \
    unsigned both = 0;                                                                             \
    for (int k = 0; k < 32; k += 16) {                                                             \
      T x = (T)(a >> k), y = (T)(b >> k), z = (T)(c >> k);                                         \
      both |= (unsigned)(unsigned short)(expression) << k;                                         \
    }                                                                                              \
    return both;                                                                                   \
  }
#define __CT_DPX(name, of, first)                                                                  \
  __CT_DPX_WORD(name##_s32, int, __ct::of<int>(first(int), z))                                     \
  __CT_DPX_WORD(name##_u32, unsigned, __ct::of<unsigned>(first(unsigned), z))                      \
  __CT_DPX_HALVES(name##_s16x2, short, __ct::of<short>(first(short), z))                           \
  __CT_DPX_HALVES(name##_u16x2, unsigned short, __ct::of<unsigned short>(first(unsigned short), z)) \
  __CT_DPX_WORD(name##_s32_relu, int, __ct::greater<int>(__ct::of<int>(first(int), z), 0))         \
  __CT_DPX_HALVES(name##_s16x2_relu, short, __ct::greater<short>(__ct::of<short>(first(short), z), 0))
#define __CT_SUM(T) __ct::wrapped_sum<T>(x, y)
#define __CT_GREATER(T) __ct::greater<T>(x, y)
#define __CT_LESSER(T) __ct::lesser<T>(x, y)
__CT_DPX(__viaddmax, greater, __CT_SUM)
__CT_DPX(__viaddmin, lesser, __CT_SUM)
__CT_DPX(__vimax3, greater, __CT_GREATER)
__CT_DPX(__vimin3, lesser, __CT_LESSER)
#undef __CT_SUM
#undef __CT_GREATER
#undef __CT_LESSER
#undef __CT_DPX

// Of two operands; the forms with a b also say whether the first one was taken, the greater half's answer first.
#define __CT_DPX2(name, sign)                                                                      \
  __CT_BOTH int __vi##name##_s32_relu(int a, int b) { return __vi##name##3_s32_relu(a, b, b); }    \
  __CT_BOTH unsigned __vi##name##_s16x2_relu(unsigned a, unsigned b) { return __vi##name##3_s16x2_relu(a, b, b); } \
  __CT_BOTH int __vib##name##_s32(int a, int b, bool *first) { return *first = a sign b, *first ? a : b; } \
  __CT_BOTH unsigned __vib##name##_u32(unsigned a, unsigned b, bool *first) { return *first = a sign b, *first ? a : b; } \
  __CT_BOTH unsigned __vib##name##_s16x2(unsigned a, unsigned b, bool *high, bool *low) {          \
    *high = (short)(a >> 16) sign (short)(b >> 16), *low = (short)a sign (short)b;                 \
    return __vi##name##3_s16x2(a, b, b);                                                           \
  }                                                                                                \
  __CT_BOTH unsigned __vib##name##_u16x2(unsigned a, unsigned b, bool *high, bool *low) {          \
    *high = a >> 16 sign b >> 16, *low = (a & 0xffff) sign (b & 0xffff);                           \
    return __vi##name##3_u16x2(a, b, b);                                                           \
  }
__CT_DPX2(max, >=)
__CT_DPX2(min, <=)
#undef __CT_DPX2
#undef __CT_DPX_WORD
#undef __CT_DPX_HALVES
