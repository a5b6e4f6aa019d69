// threadIdx, blockIdx, blockDim, gridDim and warpSize. clang's own header declares them; it leaves
// the conversions to uint3 and dim3 to us.
#pragma once

#include "vector_types.h"

#if defined(__CUDA__)
#include <__clang_cuda_builtin_vars.h>

#define __CT_AS_VECTOR(name)                                                                       \
  inline __device__ __cuda_builtin_##name##_t::operator dim3() const { return dim3(x, y, z); }     \
  inline __device__ __cuda_builtin_##name##_t::operator uint3() const {                            \
    uint3 v = {x, y, z};                                                                           \
    return v;                                                                                      \
  }
__CT_AS_VECTOR(threadIdx)
__CT_AS_VECTOR(blockIdx)
__CT_AS_VECTOR(blockDim)
__CT_AS_VECTOR(gridDim)
#undef __CT_AS_VECTOR
#endif
