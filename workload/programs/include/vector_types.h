// CUDA's vector types with the alignments of the programming guide (built-in vector types): a
// vector of two or four elements is aligned to its size, at most 16 bytes, a vector of one or three
// as its element. C programs read this header too.
#pragma once

#include "host_defines.h"

#define __CT_VECTORS(name, type, align1, align2, align4)                                           \
  typedef struct __align__(align1) name##1 { type x; } name##1;                                    \
  typedef struct __align__(align2) name##2 { type x, y; } name##2;                                 \
  typedef struct name##3 { type x, y, z; } name##3;                                                \
  typedef struct __align__(align4) name##4 { type x, y, z, w; } name##4;

__CT_VECTORS(char, signed char, 1, 2, 4)
__CT_VECTORS(uchar, unsigned char, 1, 2, 4)
__CT_VECTORS(short, short, 2, 4, 8)
__CT_VECTORS(ushort, unsigned short, 2, 4, 8)
__CT_VECTORS(int, int, 4, 8, 16)
__CT_VECTORS(uint, unsigned int, 4, 8, 16)
__CT_VECTORS(long, long, 8, 16, 16)
__CT_VECTORS(ulong, unsigned long, 8, 16, 16)
__CT_VECTORS(longlong, long long, 8, 16, 16)
__CT_VECTORS(ulonglong, unsigned long long, 8, 16, 16)
__CT_VECTORS(float, float, 4, 8, 16)
__CT_VECTORS(double, double, 8, 16, 16)
#undef __CT_VECTORS

// dim3 is a size in up to three directions; what is not given is 1.
typedef struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
#if __cplusplus >= 201103L
#define __CT_CONSTEXPR constexpr
#else
#define __CT_CONSTEXPR
#endif
  __host__ __device__ __CT_CONSTEXPR dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ __CT_CONSTEXPR dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ operator uint3() const {
    uint3 v = {x, y, z};
    return v;
  }
#undef __CT_CONSTEXPR
#endif
} dim3;
