// __nv_bfloat16 and its pair: the upper half of a float. Arithmetic goes by single precision.
#pragma once

#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDA__)
#include "cotenant/small.h"

namespace __ct {
__CT_BOTH unsigned short bfloat_bits(float v) { // to nearest even
  unsigned b = __builtin_bit_cast(unsigned, v);
  return v != v ? 0x7fff : (unsigned short)((b + 0x7fff + (b >> 16 & 1)) >> 16);
}
__CT_BOTH float bfloat_value(unsigned short b) { return __builtin_bit_cast(float, (unsigned)b << 16); }
} // namespace __ct

__CT_SMALL_TYPES(__nv_bfloat16, __nv_bfloat162, __ct::bfloat_bits, __ct::bfloat_value)
__CT_SMALL(__nv_bfloat16, __nv_bfloat162)
__CT_SMALL_NAMES(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)
__CT_BOTH float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2(v.x, v.y); }
__CT_BOTH __nv_bfloat16 __float2bfloat16_rz(float v) {
  return __ct::from_bits<__nv_bfloat16>(v != v ? 0x7fff : (unsigned short)(__builtin_bit_cast(unsigned, v) >> 16));
}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif
