// Cooperative groups (programming guide: cooperative groups): thread blocks, tiles of a warp, coalesced
// threads, and the grid where all its thread blocks are resident.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)
#define __CT_MEMBER __device__ __inline__ __attribute__((always_inline))

namespace cooperative_groups {
// What all groups have. A group of a warp's threads holds their lanes as a mask; a thread block holds 0.
class thread_group {
public:
  __CT_MEMBER thread_group(unsigned lanes = 0) : mask(lanes) {}
  __CT_MEMBER unsigned long long size() const { return mask ? (unsigned)__popc(mask) : blockDim.x * blockDim.y * blockDim.z; }
  __CT_MEMBER unsigned long long num_threads() const { return size(); }
  __CT_MEMBER unsigned long long thread_rank() const {
    return mask ? (unsigned)__popc(mask & __lanemask_lt())
                : (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  __CT_MEMBER void sync() const {
    if (mask)
      __syncwarp(mask);
    else
      __syncthreads();
  }
  __CT_MEMBER bool is_valid() const { return true; }

protected:
  unsigned mask;
  friend __device__ thread_group tiled_partition(const thread_group &, unsigned);
};

class thread_block : public thread_group {
public:
  __CT_MEMBER unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  __CT_MEMBER unsigned num_threads() const { return size(); }
  __CT_MEMBER unsigned thread_rank() const { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  __CT_MEMBER void sync() const { __syncthreads(); }
  __CT_MEMBER dim3 group_index() const { return blockIdx; }
  __CT_MEMBER dim3 thread_index() const { return threadIdx; }
  __CT_MEMBER dim3 group_dim() const { return blockDim; }
  __CT_MEMBER dim3 dim_threads() const { return blockDim; }
};
__CT_FN thread_block this_thread_block() { return thread_block(); }

// Votes and matches of a group within a warp. Masks of results are by rank in the group.
class warp_group : public thread_group {
public:
  __CT_MEMBER warp_group(unsigned lanes) : thread_group(lanes) {}
  __CT_MEMBER unsigned size() const { return (unsigned)__popc(mask); }
  __CT_MEMBER unsigned num_threads() const { return size(); }
  __CT_MEMBER unsigned thread_rank() const { return (unsigned)__popc(mask & __lanemask_lt()); }
  __CT_MEMBER void sync() const { __syncwarp(mask); }
  __CT_MEMBER int any(int p) const { return __any_sync(mask, p); }
  __CT_MEMBER int all(int p) const { return __all_sync(mask, p); }
  __CT_MEMBER unsigned ballot(int p) const { return packed(__ballot_sync(mask, p)); }
  template <class T> __CT_MEMBER unsigned match_any(T v) const { return packed(__match_any_sync(mask, v)); }
  template <class T> __CT_MEMBER unsigned match_all(T v, int &same) const { return packed(__match_all_sync(mask, v, &same)); }

protected:
  // Lanes of the group moved together to the low end.
  __CT_MEMBER unsigned packed(unsigned lanes) const {
    unsigned step = mask & (0u - mask), run = mask / (step ? step : 1);
    if ((run & (run + 1)) == 0) return (lanes & mask) >> (__ffs((int)mask) - 1); // one run of lanes
    unsigned ranks = 0, rest = mask;
    for (int rank = 0; rest; rank++, rest &= rest - 1) ranks |= (lanes >> (__ffs((int)rest) - 1) & 1) << rank;
    return ranks;
  }
};

// Shuffles of groups: numbers by the warp's functions, other types word by word.
#define __CT_GROUP_SHUFFLE(name)                                                                            \
  template <class T>                                                                                        \
  __CT_MEMBER auto name(unsigned mask, T v, int by, int width, int)->decltype(__##name##_sync(mask, v, by, width)) { \
    return __##name##_sync(mask, v, by, width);                                                             \
  }                                                                                                         \
  template <class T> __CT_MEMBER T name(unsigned mask, T v, int by, int width, long) {                      \
    unsigned words[(sizeof(T) + 3) / 4] = {};                                                               \
    memcpy(words, &v, sizeof(T));                                                                           \
    for (unsigned &word : words) word = __##name##_sync(mask, word, by, width);                             \
    memcpy(&v, words, sizeof(T));                                                                           \
    return v;                                                                                               \
  }
namespace __ct_group {
__CT_GROUP_SHUFFLE(shfl)
__CT_GROUP_SHUFFLE(shfl_up)
__CT_GROUP_SHUFFLE(shfl_down)
__CT_GROUP_SHUFFLE(shfl_xor)
}
#undef __CT_GROUP_SHUFFLE

namespace __ct_group {
// count threads that follow one another in a warp.
template <unsigned count> class warp_tile : public warp_group {
public:
  __CT_MEMBER warp_tile(char * = 0) : warp_group(lanes()) {}
  __CT_MEMBER unsigned size() const { return count; }
  __CT_MEMBER unsigned num_threads() const { return count; }
  __CT_MEMBER unsigned thread_rank() const { return thread_block().thread_rank() & (count - 1); }
  __CT_MEMBER unsigned meta_group_rank() const { return thread_block().thread_rank() / count; }
  __CT_MEMBER unsigned meta_group_size() const { return (thread_block().size() + count - 1) / count; }
  template <class T> __CT_MEMBER T shfl(T v, int rank) const { return __ct_group::shfl(mask, v, rank, count, 0); }
  template <class T> __CT_MEMBER T shfl_up(T v, unsigned by) const { return __ct_group::shfl_up(mask, v, (int)by, count, 0); }
  template <class T> __CT_MEMBER T shfl_down(T v, unsigned by) const { return __ct_group::shfl_down(mask, v, (int)by, count, 0); }
  template <class T> __CT_MEMBER T shfl_xor(T v, unsigned by) const { return __ct_group::shfl_xor(mask, v, (int)by, count, 0); }

private:
  static __CT_MEMBER unsigned lanes() {
    unsigned first = thread_block().thread_rank() & 31 & ~(count - 1);
    return count == 32 ? 0xffffffffu : ((1u << (count & 31)) - 1) << first;
  }
};

// Whole warps. They meet at a counter, and one tells the others a value, in memory of the thread block: 16 bytes a warp, of
// which a tile uses those of its first warp.
template <unsigned count> class warps_tile : public thread_group {
  char *memory;
  __CT_MEMBER char *own() const { return memory + thread_block().thread_rank() / count * (count / 32) * 16; }

public:
  __CT_MEMBER warps_tile(char *memory = 0) : memory(memory) {}
  __CT_MEMBER unsigned size() const { return count; }
  __CT_MEMBER unsigned num_threads() const { return count; }
  __CT_MEMBER unsigned thread_rank() const { return thread_block().thread_rank() % count; }
  __CT_MEMBER unsigned meta_group_rank() const { return thread_block().thread_rank() / count; }
  __CT_MEMBER unsigned meta_group_size() const { return (thread_block().size() + count - 1) / count; }
  __CT_MEMBER void sync() const {
    unsigned *met = (unsigned *)(own() + 8);
    __syncwarp();
    if (thread_rank() % 32 == 0) {
      __threadfence_block();
      unsigned all = (atomicAdd(met, 1u) / (count / 32) + 1) * (count / 32);
      while ((int)(*(volatile unsigned *)met - all) < 0) {}
      __threadfence_block();
    }
    __syncwarp();
  }
  template <class T> __CT_MEMBER T shfl(T v, unsigned rank) const {
    static_assert(sizeof(T) <= 8, "a value of up to 8 bytes");
    if (thread_rank() == rank) memcpy(own(), &v, sizeof v);
    sync();
    memcpy(&v, own(), sizeof v);
    sync();
    return v;
  }
  // What an operation makes of the values of all threads.
  template <class T, class Operation> __CT_MEMBER T together(T v, Operation operation) const {
    static_assert(sizeof(T) <= 8, "a value of up to 8 bytes");
    for (unsigned by = 16; by > 0; by /= 2) v = operation(v, __ct_group::shfl_xor(0xffffffffu, v, by, 32, 0));
    char *slots = own();
    if (thread_rank() % 32 == 0) memcpy(slots + thread_rank() / 32 * 16, &v, sizeof v);
    sync();
    memcpy(&v, slots, sizeof v);
    for (unsigned w = 1; w < count / 32; w++) {
      T other;
      memcpy(&other, slots + w * 16, sizeof v);
      v = operation(v, other);
    }
    sync();
    return v;
  }
  __CT_MEMBER int any(int p) const {
    return together(p != 0, [](int a, int b) { return a | b; });
  }
  __CT_MEMBER int all(int p) const {
    return together(p != 0, [](int a, int b) { return a & b; });
  }
};

template <unsigned count, bool of_warps> struct tile {
  typedef warp_tile<count> type;
};
template <unsigned count> struct tile<count, true> {
  typedef warps_tile<count> type;
};
} // namespace __ct_group

// count threads that follow one another in a thread block.
template <unsigned count, class Parent = void> class thread_block_tile : public __ct_group::tile<count, (count > 32)>::type {
  static_assert(count && count <= 1024 && (count & (count - 1)) == 0, "a tile has a power of two of threads, up to 1024");
  typedef typename __ct_group::tile<count, (count > 32)>::type base;

public:
  __CT_MEMBER thread_block_tile(char *memory = 0) : base(memory) {}
  template <class Other> __CT_MEMBER thread_block_tile(const thread_block_tile<count, Other> &other) : base(other) {}
};
template <unsigned count, class Group> __CT_FN thread_block_tile<count, Group> tiled_partition(const Group &) {
  static_assert(count <= 32, "a tile of several warps is a part of this_thread_block(memory)");
  return thread_block_tile<count, Group>();
}

// A thread block with memory for tiles of several warps.
template <unsigned threads = 1024> struct block_tile_memory {
  __attribute__((aligned(16))) char bytes[(threads + 31) / 32 * 16];
};
class __ct_block_with_memory : public thread_block {
public:
  char *memory;
};
template <unsigned threads> __CT_FN __ct_block_with_memory this_thread_block(block_tile_memory<threads> &m) {
  __ct_block_with_memory b;
  b.memory = m.bytes;
  for (unsigned i = b.thread_rank(); i < (threads + 31) / 32; i += b.size()) *(unsigned *)(m.bytes + 16 * i + 8) = 0;
  b.sync();
  return b;
}
template <unsigned count> __CT_FN thread_block_tile<count, thread_block> tiled_partition(const __ct_block_with_memory &b) {
  return thread_block_tile<count, thread_block>(b.memory);
}
__device__ __inline__ thread_group tiled_partition(const thread_group &, unsigned count) {
  unsigned first = thread_block().thread_rank() & 31 & ~(count - 1);
  return thread_group(count >= 32 ? 0xffffffffu : ((1u << count) - 1) << first);
}

// Threads of a warp that execute together.
class coalesced_group : public warp_group {
public:
  __CT_MEMBER coalesced_group(unsigned lanes) : warp_group(lanes) {}
  template <class T> __CT_MEMBER T shfl(T v, int rank) const { return __ct_group::shfl(mask, v, lane(rank), 32, 0); }
  template <class T> __CT_MEMBER T shfl_up(T v, unsigned by) const {
    int rank = (int)thread_rank() - (int)by;
    return __ct_group::shfl(mask, v, lane(rank < 0 ? (int)thread_rank() : rank), 32, 0);
  }
  template <class T> __CT_MEMBER T shfl_down(T v, unsigned by) const {
    unsigned rank = thread_rank() + by;
    return __ct_group::shfl(mask, v, lane((int)(rank < size() ? rank : thread_rank())), 32, 0);
  }

private:
  __CT_MEMBER int lane(int rank) const { return mask == 0xffffffffu ? rank : (int)__fns(mask, 0, rank + 1); }
};
__CT_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <class Group> __CT_FN coalesced_group binary_partition(const Group &g, bool p) {
  unsigned active = __activemask(), set = __ballot_sync(active, p);
  (void)g;
  return coalesced_group(p ? set : active & ~set);
}
template <class Group, class T> __CT_FN coalesced_group labeled_partition(const Group &g, T label) {
  (void)g;
  return coalesced_group(__match_any_sync(__activemask(), label));
}

// All threads of a launch. The barrier is a counter that each thread block adds to; the first block's
// share turns the top bit when all have come (Xiao and Feng, IPDPS 2010). Its thread blocks must all be
// resident, as a cooperative launch makes sure.
static __device__ unsigned __ct_grid_barrier;
class grid_group : public thread_group {
public:
  __CT_MEMBER unsigned long long size() const { return (unsigned long long)num_blocks() * thread_block().size(); }
  __CT_MEMBER unsigned long long num_threads() const { return size(); }
  __CT_MEMBER unsigned long long thread_rank() const {
    return block_rank() * thread_block().size() + thread_block().thread_rank();
  }
  __CT_MEMBER unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  __CT_MEMBER unsigned long long block_rank() const {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __CT_MEMBER dim3 group_dim() const { return gridDim; }
  __CT_MEMBER dim3 dim_blocks() const { return gridDim; }
  __CT_MEMBER dim3 block_index() const { return blockIdx; }
  __CT_MEMBER bool is_valid() const { return true; }
  __CT_MEMBER void sync() const {
    __syncthreads();
    if (thread_block().thread_rank() == 0) {
      unsigned share = block_rank() == 0 ? 0x80000000u - (unsigned)(num_blocks() - 1) : 1u;
      __threadfence();
      unsigned before = atomicAdd(&__ct_grid_barrier, share);
      while (((before ^ *(volatile unsigned *)&__ct_grid_barrier) & 0x80000000u) == 0) {}
      __threadfence();
    }
    __syncthreads();
  }
};
__CT_FN grid_group this_grid() { return grid_group(); }

// The thread blocks of a cluster (sm_90), and their shared memory.
class cluster_group : public thread_group {
public:
#define __CT_SPECIAL(name, register)                                                               \
  static __CT_MEMBER unsigned name() {                                                             \
    unsigned v;                                                                                    \
    __asm__("mov.u32 %0, %%cluster_" register ";" : "=r"(v));                                      \
    return v;                                                                                      \
  }
#define __CT_SPECIALS(name, register)                                                              \
  __CT_SPECIAL(name##_x, register ".x")                                                            \
  __CT_SPECIAL(name##_y, register ".y")                                                            \
  __CT_SPECIAL(name##_z, register ".z")                                                            \
  static __CT_MEMBER dim3 name() { return dim3(name##_x(), name##_y(), name##_z()); }
  __CT_SPECIAL(block_rank, "ctarank")
  __CT_SPECIAL(num_blocks, "nctarank")
  __CT_SPECIALS(block_index, "ctaid")
  __CT_SPECIALS(dim_blocks, "nctaid")
#undef __CT_SPECIALS
#undef __CT_SPECIAL
  static __CT_MEMBER unsigned num_threads() { return num_blocks() * thread_block().size(); }
  static __CT_MEMBER unsigned size() { return num_threads(); }
  static __CT_MEMBER unsigned thread_rank() { return block_rank() * thread_block().size() + thread_block().thread_rank(); }
  static __CT_MEMBER dim3 dim_threads() {
    dim3 blocks = dim_blocks();
    return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
  }
  static __CT_MEMBER void barrier_arrive() { __asm__ volatile("barrier.cluster.arrive.aligned;" : : : "memory"); }
  static __CT_MEMBER void barrier_wait() { __asm__ volatile("barrier.cluster.wait.aligned;" : : : "memory"); }
  static __CT_MEMBER void sync() {
    barrier_arrive();
    barrier_wait();
  }
  // The address of another thread block's variable, and the thread block that an address is of.
  template <class T> static __CT_MEMBER T *map_shared_rank(T *p, unsigned rank) {
    T *there;
    __asm__("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(p), "r"(rank));
    return there;
  }
  static __CT_MEMBER unsigned query_shared_rank(const void *p) {
    unsigned rank;
    __asm__("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
    return rank;
  }
};
__CT_FN cluster_group this_cluster() { return cluster_group(); }

template <class Group> __CT_FN void sync(const Group &g) { g.sync(); }
template <class Group> __CT_FN unsigned long long thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> __CT_FN unsigned long long group_size(const Group &g) { return g.size(); }
} // namespace cooperative_groups
#undef __CT_MEMBER
#endif
