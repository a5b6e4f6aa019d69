// Reductions of a group within a warp: every thread gets the result.
#pragma once

#include "../cooperative_groups.h"

#if defined(__CUDA__)
namespace cooperative_groups {
#define __CT_OPERATION(name, expression)                                                           \
  template <class T = void> struct name {                                                          \
    __device__ T operator()(T a, T b) const { return expression; }                                 \
  };
__CT_OPERATION(plus, a + b)
__CT_OPERATION(less, a < b ? a : b)
__CT_OPERATION(greater, a > b ? a : b)
__CT_OPERATION(bit_and, a & b)
__CT_OPERATION(bit_or, a | b)
__CT_OPERATION(bit_xor, a ^ b)
#undef __CT_OPERATION

template <unsigned count, class T, class Operation>
__CT_FN T reduced(const __ct_group::warp_tile<count> &g, T v, Operation operation) {
  for (unsigned by = count / 2; by > 0; by /= 2) v = operation(v, g.shfl_xor(v, by));
  return v;
}
template <unsigned count, class T, class Operation>
__CT_FN T reduced(const __ct_group::warps_tile<count> &g, T v, Operation operation) {
  return g.together(v, operation);
}
template <unsigned count, class Parent, class T, class Operation>
__CT_FN T reduce(const thread_block_tile<count, Parent> &g, T v, Operation operation) {
  return reduced(g, v, operation);
}
template <class T, class Operation> __CT_FN T reduce(const coalesced_group &g, T v, Operation operation) {
  unsigned n = g.size(), rank = g.thread_rank(), reach = 1;
  while (reach < n) reach *= 2;
  for (unsigned by = reach / 2; by > 0; by /= 2) {
    T w = g.shfl_down(v, by);
    if (rank + by < n && rank < by) v = operation(v, w);
  }
  return g.shfl(v, 0);
}
} // namespace cooperative_groups
#endif
