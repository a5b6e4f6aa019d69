// make_NAME functions of the vector types, for host and device.
#pragma once

#include "vector_types.h"

#define __CT_MAKE(name, type)                                                                      \
  static __inline__ __host__ __device__ name##1 make_##name##1(type x) {                           \
    name##1 v = {x};                                                                               \
    return v;                                                                                      \
  }                                                                                                \
  static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y) {                   \
    name##2 v = {x, y};                                                                            \
    return v;                                                                                      \
  }                                                                                                \
  static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z) {           \
    name##3 v = {x, y, z};                                                                         \
    return v;                                                                                      \
  }                                                                                                \
  static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) {   \
    name##4 v = {x, y, z, w};                                                                      \
    return v;                                                                                      \
  }

__CT_MAKE(char, signed char)
__CT_MAKE(uchar, unsigned char)
__CT_MAKE(short, short)
__CT_MAKE(ushort, unsigned short)
__CT_MAKE(int, int)
__CT_MAKE(uint, unsigned int)
__CT_MAKE(long, long)
__CT_MAKE(ulong, unsigned long)
__CT_MAKE(longlong, long long)
__CT_MAKE(ulonglong, unsigned long long)
__CT_MAKE(float, float)
__CT_MAKE(double, double)
#undef __CT_MAKE
