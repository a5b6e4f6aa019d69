// Asynchronous copies by a group (programming guide: cooperative groups, memcpy_async).
#pragma once

#include "../cooperative_groups.h"
#include "../cotenant/async.h"

#if defined(__CUDA__)
namespace cooperative_groups {
// Copies bytes. Each call is a stage of its own for wait_prior.
template <class Group, class T, class Size> __CT_FN void memcpy_async(const Group &g, T *to, const T *from, const Size &bytes) {
  __ct::copy_share(to, from, (__SIZE_TYPE__)bytes, __ct::alignment<Size>::value, (unsigned)g.thread_rank(), (unsigned)g.size());
  __ct::commit_copies();
}
// Copies as many elements as the shorter of two arrays has.
template <class Group, class T, class ToSize, class FromSize>
__CT_FN void memcpy_async(const Group &g, T *to, const ToSize &toCount, const T *from, const FromSize &fromCount) {
  __SIZE_TYPE__ count = (__SIZE_TYPE__)toCount < (__SIZE_TYPE__)fromCount ? (__SIZE_TYPE__)toCount : (__SIZE_TYPE__)fromCount;
  memcpy_async(g, to, from, count * sizeof(T));
}
// Waits for the group's copies, of which the last stages may be left.
template <class Group> __CT_FN void wait(const Group &g) {
  __ct::wait_copies<0>();
  g.sync();
}
template <unsigned stages, class Group> __CT_FN void wait_prior(const Group &g) {
  __ct::wait_copies<stages>();
  g.sync();
}
} // namespace cooperative_groups
#endif
