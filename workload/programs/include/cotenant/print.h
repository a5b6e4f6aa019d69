// printf and assert in kernels. The compiler turns printf into vprintf with its arguments in memory;
// a failed assertion is a call that does not return.
#pragma once

#include "define.h"

extern "C" {
__device__ int printf(const char *, ...);
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             __SIZE_TYPE__ bytes_of_a_character) __attribute__((noreturn));
__CT_FN void __assert_fail(const char *message, const char *file, unsigned line, const char *function) {
  __assertfail(message, file, line, function, 1);
}
__device__ static __inline__ void abort() { __asm__ volatile("trap;"); }
}
