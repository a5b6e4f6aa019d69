// What the device headers share. Not a header of CUDA.
#pragma once

#include "../host_defines.h"

// A device function of these headers: always part of its caller, as in CUDA's own headers.
#define __CT_FN static __inline__ __device__ __attribute__((always_inline))
// The same for the host.
#define __CT_HOST static __inline__ __host__ __attribute__((always_inline))
// The same for both.
#define __CT_BOTH static __inline__ __host__ __device__ __attribute__((always_inline))

namespace __ct {
// As std::enable_if, for headers that must come before the C++ library's.
template <bool, class T = void> struct only_if {};
template <class T> struct only_if<true, T> { typedef T type; };
template <class T> struct is_integer { static const bool value = false; };
#define __CT_INTEGER(T) template <> struct is_integer<T> { static const bool value = true; };
__CT_INTEGER(bool) __CT_INTEGER(char) __CT_INTEGER(signed char) __CT_INTEGER(unsigned char)
__CT_INTEGER(short) __CT_INTEGER(unsigned short) __CT_INTEGER(int) __CT_INTEGER(unsigned int)
__CT_INTEGER(long) __CT_INTEGER(unsigned long) __CT_INTEGER(long long) __CT_INTEGER(unsigned long long)
#undef __CT_INTEGER
} // namespace __ct
