// Copies by a group. They are done when the call returns; wait is the group's barrier.
#pragma once

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {
template <class Group, class T> __CT_FN void memcpy_async(const Group &g, T *to, const T *from, __SIZE_TYPE__ bytes) {
  unsigned char *t = (unsigned char *)to;
  const unsigned char *f = (const unsigned char *)from;
  unsigned long long rank = g.thread_rank(), n = g.size(), done = 0;
  if ((((__SIZE_TYPE__)t | (__SIZE_TYPE__)f) & 3) == 0) {
    done = bytes & ~(__SIZE_TYPE__)3;
    for (unsigned long long i = rank; i < bytes / 4; i += n) ((unsigned *)t)[i] = ((const unsigned *)f)[i];
  }
  for (unsigned long long i = done + rank; i < bytes; i += n) t[i] = f[i];
}
template <class Group> __CT_FN void wait(const Group &g) { g.sync(); }
template <unsigned stages, class Group> __CT_FN void wait_prior(const Group &g) { g.sync(); }
} // namespace cooperative_groups
#endif
