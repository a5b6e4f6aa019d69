// What these kernels need of CUDA, on top of the compiler's built-in functions
// alone: there is no CUDA toolkit behind them.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define INLINE static __inline__ __attribute__((device, always_inline))

// threadIdx, blockIdx, blockDim and gridDim: reading a member reads the special
// register.
#define SPECIAL(name, reg)                                                     \
  struct name##_t {                                                            \
    __declspec(property(get = get_x)) int x;                                   \
    __declspec(property(get = get_y)) int y;                                   \
    __declspec(property(get = get_z)) int z;                                   \
    INLINE_MEMBER int get_x() const { return __nvvm_read_ptx_sreg_##reg##_x(); } \
    INLINE_MEMBER int get_y() const { return __nvvm_read_ptx_sreg_##reg##_y(); } \
    INLINE_MEMBER int get_z() const { return __nvvm_read_ptx_sreg_##reg##_z(); } \
  };                                                                           \
  extern const __device__ __attribute__((weak)) name##_t name;
#define INLINE_MEMBER __device__ __inline__ __attribute__((always_inline))
SPECIAL(threadIdx, tid)
SPECIAL(blockIdx, ctaid)
SPECIAL(blockDim, ntid)
SPECIAL(gridDim, nctaid)
#undef SPECIAL

// Vectors, aligned so that one instruction moves them.
struct __attribute__((aligned(8))) float2 { float x, y; };
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
struct __attribute__((aligned(8))) uint2 { unsigned x, y; };
struct __attribute__((aligned(16))) uint4 { unsigned x, y, z, w; };

// Atomics of device memory, relaxed as CUDA's are.
INLINE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
INLINE unsigned atomicAdd(unsigned *p, unsigned v) { return __nvvm_atom_add_gen_i((int *)p, v); }
INLINE int atomicMin(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }
INLINE int atomicMax(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }
INLINE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
INLINE unsigned atomicCAS(unsigned *p, unsigned old, unsigned v) { return __nvvm_atom_cas_gen_i((int *)p, old, v); }

// The special-function unit's approximations.
INLINE float approx_sin(float x) { return __nvvm_sin_approx_f(x); }
INLINE float approx_cos(float x) { return __nvvm_cos_approx_f(x); }
INLINE float approx_rsqrt(float x) { return __nvvm_rsqrt_approx_f(x); }

INLINE int min(int a, int b) { return a < b ? a : b; }
INLINE int max(int a, int b) { return a > b ? a : b; }

// A texture object of integers in one channel, and its texel at a position in
// texels, as its mode for positions outside says.
typedef unsigned long long texture_t;
INLINE int texel(texture_t texture, float x, float y) {
  int red, green, blue, alpha;
  __asm__("tex.2d.v4.u32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
          : "=r"(red), "=r"(green), "=r"(blue), "=r"(alpha)
          : "l"(texture), "f"(x), "f"(y));
  return red;
}

// The texel of a texture of one dimension at an index.
INLINE float texel(texture_t texture, int at) {
  float red, green, blue, alpha;
  __asm__("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];"
          : "=f"(red), "=f"(green), "=f"(blue), "=f"(alpha)
          : "l"(texture), "r"(at));
  return red;
}
