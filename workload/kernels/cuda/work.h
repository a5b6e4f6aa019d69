// Integer work around an access, by which kernels whose instruction counts are
// published, and larger than today's compilers give, come to them.
#pragma once

#include "cotenant.h"

enum { work_per_turn = 6 };

// Takes turns of eight instructions, six that depend on one another and two of
// the loop, and two more for the loop not to be entered. Returns zero, which the
// compiler does not know, so that what is added to it must wait.
INLINE int work(int turns) {
  int left = turns * work_per_turn;
#pragma unroll 1
  while (left > 0)
    __asm__ volatile("sub.s32 %0, %0, 1;\n\t"
                     "sub.s32 %0, %0, 1;\n\t"
                     "sub.s32 %0, %0, 1;\n\t"
                     "sub.s32 %0, %0, 1;\n\t"
                     "sub.s32 %0, %0, 1;\n\t"
                     "sub.s32 %0, %0, 1;"
                     : "+r"(left));
  return left;
}
