// Asynchronous copies into shared memory and barriers in shared memory, as PTX has them from sm_80 on
// (PTX ISA: cp.async, mbarrier). For older GPUs a copy is done when its call returns.
#pragma once

#include "../cuda_runtime.h"

#if defined(__CUDA__)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __CT_ASYNC 1
#else
#define __CT_ASYNC 0
#endif

namespace cuda {
// A number of bytes, of which and of both addresses align is a divisor.
template <__SIZE_TYPE__ align> struct aligned_size_t {
  __SIZE_TYPE__ value;
  __host__ __device__ explicit aligned_size_t(__SIZE_TYPE__ bytes) : value(bytes) {}
  __host__ __device__ operator __SIZE_TYPE__() const { return value; }
};
} // namespace cuda

namespace __ct {
// What a type of sizes says of alignment.
template <class Size> struct alignment { static const __SIZE_TYPE__ value = 1; };
template <__SIZE_TYPE__ align> struct alignment<cuda::aligned_size_t<align>> { static const __SIZE_TYPE__ value = align; };

__CT_FN unsigned in_shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

#define __CT_COPY(name, cache, size)                                                               \
  __CT_FN void name(void *to, const void *from, unsigned bytes) {                                  \
    __asm__ volatile("cp.async." cache ".shared.global [%0], [%1], " #size ", %2;"                 \
                     : : "r"(in_shared(to)), "l"(from), "r"(bytes) : "memory");                    \
  }
__CT_COPY(copy4, "ca", 4)
__CT_COPY(copy8, "ca", 8)
__CT_COPY(copy16, "cg", 16)
#undef __CT_COPY

// Copies the first bytes of a piece of size 4, 8 or 16, which both addresses are multiples of, and fills it up with zeros.
__CT_FN void copy_piece(void *to, const void *from, __SIZE_TYPE__ size, __SIZE_TYPE__ bytes) {
#if __CT_ASYNC
  if (size == 16) return copy16(to, from, (unsigned)bytes);
  if (size == 8) return copy8(to, from, (unsigned)bytes);
  if (size == 4) return copy4(to, from, (unsigned)bytes);
#endif
  memcpy(to, from, bytes);
  memset((char *)to + bytes, 0, size - bytes);
}

// Copies the pieces of a number of bytes that fall to one of several threads. align is what the caller knows of both
// addresses and the size. What no asynchronous copy can take is copied at once.
__CT_FN void copy_share(void *to, const void *from, __SIZE_TYPE__ bytes, __SIZE_TYPE__ align, unsigned rank, unsigned threads) {
  char *t = (char *)to;
  const char *f = (const char *)from;
  __SIZE_TYPE__ known = align >= 16 ? 0 : (__SIZE_TYPE__)t | (__SIZE_TYPE__)f | (bytes < 16 ? bytes : 0), piece = known & 3 ? 1 : known & 7 ? 4 : known & 15 ? 8 : 16;
  __SIZE_TYPE__ rest = align >= 16 ? 0 : bytes % piece, whole = bytes - rest;
#if __CT_ASYNC
  if (__isShared(to) && __isGlobal(from) && piece >= 4) {
    if (piece == 16)
      for (__SIZE_TYPE__ i = rank * 16; i < whole; i += threads * 16) copy16(t + i, f + i, 16);
    else if (piece == 8)
      for (__SIZE_TYPE__ i = rank * 8; i < whole; i += threads * 8) copy8(t + i, f + i, 8);
    else
      for (__SIZE_TYPE__ i = rank * 4; i < whole; i += threads * 4) copy4(t + i, f + i, 4);
  } else
#endif
  {
    if (piece >= 4)
      for (__SIZE_TYPE__ i = rank * 4; i < whole; i += threads * 4) *(unsigned *)(t + i) = *(const unsigned *)(f + i);
    else
      rest = bytes, whole = 0;
  }
  for (__SIZE_TYPE__ i = whole + rank; i < whole + rest; i += threads) t[i] = f[i];
}

// The copies of a thread so far become a group.
__CT_FN void commit_copies() {
#if __CT_ASYNC
  __asm__ volatile("cp.async.commit_group;" : : : "memory");
#endif
}
// Waits for all groups but the last n.
template <unsigned n> __CT_FN void wait_copies() {
#if __CT_ASYNC
  __asm__ volatile("cp.async.wait_group %0;" : : "n"(n) : "memory");
#endif
}
// The same for a number that the compiler need not know. More than 8 count as 8.
__CT_FN void wait_copies(__SIZE_TYPE__ n) {
  switch (n) {
  case 0: return wait_copies<0>();
  case 1: return wait_copies<1>();
  case 2: return wait_copies<2>();
  case 3: return wait_copies<3>();
  case 4: return wait_copies<4>();
  case 5: return wait_copies<5>();
  case 6: return wait_copies<6>();
  case 7: return wait_copies<7>();
  default: return wait_copies<8>();
  }
}
} // namespace __ct
#endif
