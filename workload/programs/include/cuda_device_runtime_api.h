// The functions with which kernels launch kernels (CUDA C++ Programming Guide, dynamic parallelism). They
// are declared, for libraries that name them, and not there: a kernel that calls one is refused.
#pragma once

#include "driver_types.h"

#if defined(__CUDA__) && defined(__cplusplus)
extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *func, void *parameters, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream);
}

// The calls of kernels that are there. A kernel has no error of its own.
__CT_ERROR_FUNCTIONS(static __device__ inline)
static __device__ inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static __device__ inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }

// Programmatic dependent launches (sm_90): a kernel here begins when the one before has ended.
static __device__ inline void cudaGridDependencySynchronize() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __asm__ volatile("griddepcontrol.wait;" : : : "memory");
#endif
}
static __device__ inline void cudaTriggerProgrammaticLaunchCompletion() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __asm__ volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}
#endif
