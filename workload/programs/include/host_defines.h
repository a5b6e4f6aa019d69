// The words that CUDA adds to C++ (CUDA C++ Programming Guide, language extensions), spelled as
// clang's attributes. A compiler that knows no CUDA reads them as nothing.
#pragma once

#if defined(__CUDA__)
#ifndef __CUDACC__
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 11
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// The host's side of a managed variable has pages of its own, for which the runtime library shows the
// device's memory.
#if defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device, aligned(4096)))
#else
#define __managed__ __attribute__((device, aligned(4096), section("ct_managed")))
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
// cotenant cc writes it as .reqnctapercluster.
#define __cluster_dims__(...) __attribute__((annotate("cluster_dims", __VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#endif

// __noinline__ is a keyword of clang's CUDA, and the C++ library uses the word in attributes.
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __thread__ __thread
#if defined(__CUDA__)
#define __grid_constant__ __attribute__((annotate("grid_constant")))
#else
#define __grid_constant__
#endif
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDART_CB
#ifndef __cdecl
#define __cdecl
#endif
// Tells pointers apart for the compiler, as C's restrict does.
#ifndef __restrict__
#define __restrict__ __restrict
#endif
