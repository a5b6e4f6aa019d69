// __nv_bfloat16 and its pair: the upper half of a float. From sm_80 on the device rounds in one
// instruction, and multiplies and adds in one, of which a sum is one with 1 and a product one with -0;
// the rest goes by single precision.
#pragma once

#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDA__)
#include "cotenant/small.h"

namespace __ct {
__CT_BOTH unsigned short bfloat_bits(float v) { // to nearest even
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short h;
  __asm__("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(v));
  return h;
#else
  unsigned b = __builtin_bit_cast(unsigned, v);
  return v != v ? 0x7fff : (unsigned short)((b + 0x7fff + (b >> 16 & 1)) >> 16);
#endif
}
__CT_BOTH float bfloat_value(unsigned short b) { return __builtin_bit_cast(float, (unsigned)b << 16); }
} // namespace __ct

__CT_SMALL_TYPES(__nv_bfloat16, __nv_bfloat162, __ct::bfloat_bits, __ct::bfloat_value)
namespace __ct {
__CT_SMALL_PAIR(__nv_bfloat16, __nv_bfloat162, bfloat_pair, "bf16")
} // namespace __ct
#define __CT_SMALL_FN __CT_HOST
__CT_SMALL_BY_FLOAT(__nv_bfloat16, __nv_bfloat162) __CT_SMALL_EXTREMES_BY_FLOAT(__nv_bfloat16, __nv_bfloat162)
#undef __CT_SMALL_FN
#define __CT_SMALL_FN __CT_FN
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define __CT_BFLOAT_OPERATION(name, mode, constant, operands)                                      \
  __CT_SMALL_ASSEMBLY(__nv_bfloat16, __nv_bfloat162, name, mode,                                   \
    "{ .reg .b16 c; mov.b16 c, 0x" constant "; fma.rn.bf16 %0, " operands "; }",                   \
    "{ .reg .b32 c; mov.b32 c, 0x" constant constant "; fma.rn.bf16x2 %0, " operands "; }")
#define __CT_BFLOAT_OPERATIONS(name, constant, operands)                                           \
  __CT_BFLOAT_OPERATION(name, , constant, operands) __CT_BFLOAT_OPERATION(name, _rn, constant, operands)
__CT_BFLOAT_OPERATIONS(add, "3f80", "%1, c, %2")
__CT_BFLOAT_OPERATIONS(sub, "bf80", "%2, c, %1")
__CT_BFLOAT_OPERATIONS(mul, "8000", "%1, %2, c")
#undef __CT_BFLOAT_OPERATIONS
#undef __CT_BFLOAT_OPERATION
__CT_SMALL_ORDERS(__CT_SMALL_ORDER_BY_FLOAT, __nv_bfloat16)
__CT_SMALL_SATURATED(__nv_bfloat16, __nv_bfloat162)
__CT_SMALL_FUSED_ASSEMBLY(__nv_bfloat16, __nv_bfloat162, __hfma, "fma.rn.bf16 %0, %1, %2, %3;", "fma.rn.bf16x2 %0, %1, %2, %3;")
#else
__CT_SMALL_BY_FLOAT(__nv_bfloat16, __nv_bfloat162)
#endif
__CT_SMALL_EXTREMES(__nv_bfloat16, __nv_bfloat162, "bf16")
#undef __CT_SMALL_FN
__CT_SMALL(__nv_bfloat16, __nv_bfloat162)
__CT_SMALL_ATOMIC(__nv_bfloat16)
__CT_SMALL_ATOMIC_PAIR(__nv_bfloat162)
__CT_SMALL_NAMES(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, __ct::bfloat_pair)
__CT_BOTH float2 __bfloat1622float2(__nv_bfloat162 v) { return make_float2(v.x, v.y); }
__CT_BOTH __nv_bfloat16 __float2bfloat16_rz(float v) {
  return __ct::from_bits<__nv_bfloat16>(v != v ? 0x7fff : (unsigned short)(__builtin_bit_cast(unsigned, v) >> 16));
}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
#endif
