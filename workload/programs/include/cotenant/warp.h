// Barriers, fences, votes, shuffles, matches and reductions (programming guide: synchronization,
// memory fence, warp vote, match, reduce and shuffle functions). __syncthreads is clang's own. What
// names lanes by a mask is inline PTX, because clang's built-in functions for it ask for options.
#pragma once

#include "define.h"

__CT_FN int __syncthreads_count(int p) { return __nvvm_bar0_popc(p); }
__CT_FN int __syncthreads_and(int p) { return __nvvm_bar0_and(p); }
__CT_FN int __syncthreads_or(int p) { return __nvvm_bar0_or(p); }
__CT_FN void __syncwarp(unsigned mask = 0xffffffffu) {
  __asm__ volatile("bar.warp.sync %0;" : : "r"(mask) : "memory");
}
__CT_FN void __barrier_sync(unsigned id) { __asm__ volatile("barrier.sync %0;" : : "r"(id) : "memory"); }
__CT_FN void __barrier_sync_count(unsigned id, unsigned threads) {
  __asm__ volatile("barrier.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

__CT_FN void __threadfence_block() { __nvvm_membar_cta(); }
__CT_FN void __threadfence() { __nvvm_membar_gl(); }
__CT_FN void __threadfence_system() { __nvvm_membar_sys(); }

__CT_FN unsigned __activemask() {
  unsigned mask;
  __asm__ volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
__CT_FN unsigned __lanemask_eq() { return __nvvm_read_ptx_sreg_lanemask_eq(); }
__CT_FN unsigned __lanemask_lt() { return __nvvm_read_ptx_sreg_lanemask_lt(); }
__CT_FN unsigned __lanemask_le() { return __nvvm_read_ptx_sreg_lanemask_le(); }
__CT_FN unsigned __lanemask_gt() { return __nvvm_read_ptx_sreg_lanemask_gt(); }
__CT_FN unsigned __lanemask_ge() { return __nvvm_read_ptx_sreg_lanemask_ge(); }

#define __CT_VOTE(name, operation)                                                                 \
  __CT_FN int name(unsigned mask, int p) {                                                         \
    int all;                                                                                       \
    __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." operation ".pred q, p, %2; " \
                     "selp.s32 %0, 1, 0, q; }" : "=r"(all) : "r"(p), "r"(mask));                   \
    return all;                                                                                    \
  }
__CT_VOTE(__all_sync, "all")
__CT_VOTE(__any_sync, "any")
__CT_VOTE(__uni_sync, "uni")
#undef __CT_VOTE
__CT_FN unsigned __ballot_sync(unsigned mask, int p) {
  unsigned lanes;
  __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                   : "=r"(lanes) : "r"(p), "r"(mask));
  return lanes;
}
// The forms without a mask, of CUDA before version 9, mean the threads that execute them together.
__CT_FN int __all(int p) { return __all_sync(__activemask(), p); }
__CT_FN int __any(int p) { return __any_sync(__activemask(), p); }
__CT_FN unsigned __ballot(int p) { return __ballot_sync(__activemask(), p); }

// A shuffle of 64 bits is two of 32 bits. The last operand of the instruction holds the width of
// a segment and the lane to stop at: 31, and 0 where lanes below are read.
#define __CT_SHUFFLE(name, operation, argument, stop)                                              \
  __CT_FN int name##_sync(unsigned mask, int v, argument, int width = 32) {                        \
    int got;                                                                                       \
    __asm__ volatile("shfl.sync." operation ".b32 %0, %1, %2, %3, %4;"                             \
                     : "=r"(got) : "r"(v), "r"(by), "r"(((32 - width) << 8) | stop), "r"(mask));   \
    return got;                                                                                    \
  }                                                                                                \
  __CT_FN unsigned name##_sync(unsigned mask, unsigned v, argument, int width = 32) {              \
    return (unsigned)name##_sync(mask, (int)v, by, width);                                         \
  }                                                                                                \
  __CT_FN float name##_sync(unsigned mask, float v, argument, int width = 32) {                    \
    return __builtin_bit_cast(float, name##_sync(mask, __builtin_bit_cast(int, v), by, width));    \
  }                                                                                                \
  __CT_FN unsigned long long name##_sync(unsigned mask, unsigned long long v, argument, int width = 32) { \
    unsigned low = name##_sync(mask, (unsigned)v, by, width);                                      \
    unsigned high = name##_sync(mask, (unsigned)(v >> 32), by, width);                             \
    return (unsigned long long)high << 32 | low;                                                   \
  }                                                                                                \
  __CT_FN long long name##_sync(unsigned mask, long long v, argument, int width = 32) {            \
    return (long long)name##_sync(mask, (unsigned long long)v, by, width);                         \
  }                                                                                                \
  __CT_FN unsigned long name##_sync(unsigned mask, unsigned long v, argument, int width = 32) {    \
    return (unsigned long)name##_sync(mask, (unsigned long long)v, by, width);                     \
  }                                                                                                \
  __CT_FN long name##_sync(unsigned mask, long v, argument, int width = 32) {                      \
    return (long)name##_sync(mask, (unsigned long long)v, by, width);                              \
  }                                                                                                \
  __CT_FN double name##_sync(unsigned mask, double v, argument, int width = 32) {                  \
    return __builtin_bit_cast(double, name##_sync(mask, __builtin_bit_cast(unsigned long long, v), by, width)); \
  }                                                                                                \
  template <class T> __CT_FN T name(T v, argument, int width = 32) {                               \
    return name##_sync(__activemask(), v, by, width);                                              \
  }
__CT_SHUFFLE(__shfl, "idx", int by, 31)
__CT_SHUFFLE(__shfl_up, "up", unsigned by, 0)
__CT_SHUFFLE(__shfl_down, "down", unsigned by, 31)
__CT_SHUFFLE(__shfl_xor, "bfly", int by, 31)
#undef __CT_SHUFFLE

// The bits of a value of four or eight bytes, as match compares them.
#define __CT_MATCH(type, bits, size, letter)                                                       \
  __CT_FN unsigned __match_any_sync(unsigned mask, type v) {                                       \
    unsigned lanes;                                                                                \
    __asm__ volatile("match.any.sync.b" size " %0, %1, %2;"                                        \
                     : "=r"(lanes) : letter(__builtin_bit_cast(bits, v)), "r"(mask));              \
    return lanes;                                                                                  \
  }                                                                                                \
  __CT_FN unsigned __match_all_sync(unsigned mask, type v, int *equal) {                           \
    unsigned lanes;                                                                                \
    int all;                                                                                       \
    __asm__ volatile("{ .reg .pred p; match.all.sync.b" size " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" \
                     : "=r"(lanes), "=r"(all) : letter(__builtin_bit_cast(bits, v)), "r"(mask));   \
    *equal = all;                                                                                  \
    return lanes;                                                                                  \
  }
__CT_MATCH(int, int, "32", "r")
__CT_MATCH(unsigned, int, "32", "r")
__CT_MATCH(float, int, "32", "r")
__CT_MATCH(long, long long, "64", "l")
__CT_MATCH(unsigned long, long long, "64", "l")
__CT_MATCH(long long, long long, "64", "l")
__CT_MATCH(unsigned long long, long long, "64", "l")
__CT_MATCH(double, long long, "64", "l")
#undef __CT_MATCH

#define __CT_REDUCE(name, type, operation)                                                         \
  __CT_FN type name(unsigned mask, type v) {                                                       \
    type all;                                                                                      \
    __asm__ volatile("redux.sync." operation " %0, %1, %2;" : "=r"(all) : "r"(v), "r"(mask));      \
    return all;                                                                                    \
  }
__CT_REDUCE(__reduce_add_sync, int, "add.s32")
__CT_REDUCE(__reduce_add_sync, unsigned, "add.u32")
__CT_REDUCE(__reduce_min_sync, int, "min.s32")
__CT_REDUCE(__reduce_min_sync, unsigned, "min.u32")
__CT_REDUCE(__reduce_max_sync, int, "max.s32")
__CT_REDUCE(__reduce_max_sync, unsigned, "max.u32")
__CT_REDUCE(__reduce_and_sync, unsigned, "and.b32")
__CT_REDUCE(__reduce_or_sync, unsigned, "or.b32")
__CT_REDUCE(__reduce_xor_sync, unsigned, "xor.b32")
#undef __CT_REDUCE
