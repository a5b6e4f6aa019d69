// Two halves or four bytes in one word (CUDA math API: SIMD intrinsics). A name ends with the number
// of lanes; before it, s and u tell signed from unsigned lanes and ss, us saturate the result.
#pragma once

#include "define.h"

namespace __ct {
template <int lanes> struct lane;
template <> struct lane<2> { typedef short s; typedef unsigned short u; };
template <> struct lane<4> { typedef signed char s; typedef unsigned char u; };

__CT_BOTH int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
} // namespace __ct

// A function of each lane: S and U are the lane's types, bits its width, a and b its values.
#define __CT_LANES(name, lanes, type, parameters, lane_b, expression)                              \
  __CT_BOTH unsigned name##lanes parameters {                                                      \
    typedef __ct::lane<lanes>::s S __attribute__((unused));                                                               \
    typedef __ct::lane<lanes>::u U __attribute__((unused));                                                               \
    const int bits = 32 / lanes, least = -(1 << (bits - 1)), most = (1 << (bits - 1)) - 1, all = (1 << bits) - 1; \
    (void)least, (void)most, (void)all;                                                            \
    unsigned result = 0;                                                                           \
    _Pragma("unroll") for (int i = 0; i < lanes; i++) {                                            \
      int a = (type)(x >> (i * bits)), b = (type)(lane_b >> (i * bits));                           \
      (void)b;                                                                                     \
      result |= (unsigned)(U)(expression) << (i * bits);                                           \
    }                                                                                              \
    return result;                                                                                 \
  }
#define __CT_TWO(name, type, expression)                                                           \
  __CT_LANES(name, 2, type, (unsigned x, unsigned y), y, expression)                               \
  __CT_LANES(name, 4, type, (unsigned x, unsigned y), y, expression)
#define __CT_ONE(name, type, expression)                                                           \
  __CT_LANES(name, 2, type, (unsigned x), x, expression)                                           \
  __CT_LANES(name, 4, type, (unsigned x), x, expression)

__CT_TWO(__vadd, U, a + b)
__CT_TWO(__vaddss, S, __ct::clamp(a + b, least, most))
__CT_TWO(__vaddus, U, __ct::clamp(a + b, 0, all))
__CT_TWO(__vsub, U, a - b)
__CT_TWO(__vsubss, S, __ct::clamp(a - b, least, most))
__CT_TWO(__vsubus, U, __ct::clamp(a - b, 0, all))
__CT_TWO(__vavgs, S, (a + b + (a + b >= 0)) >> 1)
__CT_TWO(__vavgu, U, (a + b + 1) >> 1)
__CT_TWO(__vhaddu, U, (a + b) >> 1)
__CT_TWO(__vabsdiffs, S, a < b ? b - a : a - b)
__CT_TWO(__vabsdiffu, U, a < b ? b - a : a - b)
__CT_TWO(__vmaxs, S, a > b ? a : b)
__CT_TWO(__vmaxu, U, a > b ? a : b)
__CT_TWO(__vmins, S, a < b ? a : b)
__CT_TWO(__vminu, U, a < b ? a : b)
__CT_ONE(__vabs, S, a < 0 ? -a : a)
__CT_ONE(__vabsss, S, __ct::clamp(a < 0 ? -a : a, least, most))
__CT_ONE(__vneg, S, -a)
__CT_ONE(__vnegss, S, __ct::clamp(-a, least, most))

// Comparisons give all ones (__vcmp) or one (__vset) in a lane.
#define __CT_COMPARE(name, type, operator)                                                         \
  __CT_TWO(__vcmp##name, type, a operator b ? all : 0)                                             \
  __CT_TWO(__vset##name, type, a operator b)
__CT_COMPARE(eq, U, ==)
__CT_COMPARE(ne, U, !=)
__CT_COMPARE(ges, S, >=)
__CT_COMPARE(geu, U, >=)
__CT_COMPARE(gts, S, >)
__CT_COMPARE(gtu, U, >)
__CT_COMPARE(les, S, <=)
__CT_COMPARE(leu, U, <=)
__CT_COMPARE(lts, S, <)
__CT_COMPARE(ltu, U, <)
#undef __CT_COMPARE
#undef __CT_TWO
#undef __CT_ONE
#undef __CT_LANES

// Sums of the lanes' absolute differences.
__CT_FN unsigned __vsads2(unsigned x, unsigned y) { unsigned d = __vabsdiffs2(x, y); return (d & 0xffff) + (d >> 16); }
__CT_FN unsigned __vsadu2(unsigned x, unsigned y) { unsigned d = __vabsdiffu2(x, y); return (d & 0xffff) + (d >> 16); }
__CT_FN unsigned __vsads4(unsigned x, unsigned y) {
  unsigned d = __vabsdiffs4(x, y);
  return (d & 255) + (d >> 8 & 255) + (d >> 16 & 255) + (d >> 24);
}
__CT_FN unsigned __vsadu4(unsigned x, unsigned y) {
  unsigned d = __vabsdiffu4(x, y);
  return (d & 255) + (d >> 8 & 255) + (d >> 16 & 255) + (d >> 24);
}
