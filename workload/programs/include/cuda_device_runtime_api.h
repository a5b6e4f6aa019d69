// The functions with which kernels launch kernels (CUDA C++ Programming Guide, dynamic parallelism). They
// are declared, for libraries that name them, and not there: a kernel that calls one is refused.
#pragma once

#include "driver_types.h"

#if defined(__CUDA__) && defined(__cplusplus)
extern "C" {
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *func, void *parameters, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream);
}

// The calls of kernels that are there: names of errors. A kernel has no error of its own.
static __device__ inline const char *cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define __CT_NAME(name, number, text) case number: return #name;
    __CT_ERRORS(__CT_NAME)
#undef __CT_NAME
  }
  return "unrecognized error code";
}
static __device__ inline const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define __CT_TEXT(name, number, text) case number: return text;
    __CT_ERRORS(__CT_TEXT)
#undef __CT_TEXT
  }
  return "unrecognized error code";
}
static __device__ inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static __device__ inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
#endif
