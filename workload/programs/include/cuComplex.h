// Complex numbers as pairs, for host and device (CUDA's cuComplex.h).
#pragma once

#include <math.h>

#include "vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __CT_COMPLEX(C, T, suffix, tail, make)                                                     \
  static __inline__ __host__ __device__ C make_##tail(T x, T y) { return make(x, y); }             \
  static __inline__ __host__ __device__ T cuCreal##suffix(C v) { return v.x; }                     \
  static __inline__ __host__ __device__ T cuCimag##suffix(C v) { return v.y; }                     \
  static __inline__ __host__ __device__ C cuConj##suffix(C v) { return make(v.x, -v.y); }          \
  static __inline__ __host__ __device__ C cuCadd##suffix(C a, C b) { return make(a.x + b.x, a.y + b.y); } \
  static __inline__ __host__ __device__ C cuCsub##suffix(C a, C b) { return make(a.x - b.x, a.y - b.y); } \
  static __inline__ __host__ __device__ C cuCmul##suffix(C a, C b) {                               \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                     \
  }                                                                                                \
  static __inline__ __host__ __device__ C cuCdiv##suffix(C a, C b) { /* scaled against overflow */ \
    T s = (b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y), i = 1 / s;                              \
    a.x *= i, a.y *= i, b.x *= i, b.y *= i;                                                        \
    T n = 1 / (b.x * b.x + b.y * b.y);                                                             \
    return make((a.x * b.x + a.y * b.y) * n, (a.y * b.x - a.x * b.y) * n);                         \
  }                                                                                                \
  static __inline__ __host__ __device__ C cuCfma##suffix(C a, C b, C c) {                          \
    return make(a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y);                         \
  }
__CT_COMPLEX(cuFloatComplex, float, f, cuFloatComplex, make_float2)
__CT_COMPLEX(cuDoubleComplex, double, , cuDoubleComplex, make_double2)
#undef __CT_COMPLEX
static __inline__ __host__ __device__ float cuCabsf(cuFloatComplex v) { return hypotf(v.x, v.y); }
static __inline__ __host__ __device__ double cuCabs(cuDoubleComplex v) { return hypot(v.x, v.y); }
static __inline__ __host__ __device__ cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex v) { return make_double2(v.x, v.y); }
static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex v) {
  return make_float2((float)v.x, (float)v.y);
}
