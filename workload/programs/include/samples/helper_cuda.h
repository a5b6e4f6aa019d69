// The common macros of the CUDA samples' helper_cuda.h and helper_functions.h: error checks, the
// choice of a device, arguments of the command line, and timers of the host's clock.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime.h"
#include "helper_string.h"
#include "helper_timer.h"

#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

static inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

template <class T> static inline void check(T result, const char *call, const char *file, int line) {
  if (result == (T)0) return;
  fprintf(stderr, "%s:%d: %s gives error %d: %s\n", file, line, call, (int)result, cudaGetErrorString((cudaError_t)result));
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(call) check((call), #call, __FILE__, __LINE__)

static inline void __getLastCudaError(const char *message, const char *file, int line) {
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s:%d: %s: error %d: %s\n", file, line, message, (int)error, cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
static inline void __printLastCudaError(const char *message, const char *file, int line) {
  cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess)
    fprintf(stderr, "%s:%d: %s: error %d: %s\n", file, line, message, (int)error, cudaGetErrorString(error));
}
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)

// Cores of an SM by compute capability (programming guide: compute capabilities, arithmetic units).
static inline int _ConvertSMVer2Cores(int major, int minor) {
  switch (major) {
  case 2: return minor ? 48 : 32;
  case 3: return 192;
  case 5: return 128;
  case 6: return minor ? 128 : 64;
  case 7: return 64;
  case 8: return minor ? 128 : 64;
  default: return 128;
  }
}

static inline int gpuDeviceInit(int device) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (count == 0) {
    fprintf(stderr, "gpuDeviceInit: no device supports CUDA\n");
    exit(EXIT_FAILURE);
  }
  if (device < 0) device = 0;
  if (device >= count) return -device;
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
static inline int gpuGetMaxGflopsDeviceId() { return 0; }
static inline int findCudaDevice(int argc, const char **argv) {
  int device = 0;
  if (checkCmdLineFlag(argc, argv, "device")) device = getCmdLineArgumentInt(argc, argv, "device");
  device = gpuDeviceInit(device);
  if (device < 0) exit(EXIT_FAILURE);
  cudaDeviceProp prop;
  checkCudaErrors(cudaGetDeviceProperties(&prop, device));
  printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, prop.name, prop.major, prop.minor);
  return device;
}
static inline bool checkCudaCapabilities(int major, int minor) {
  cudaDeviceProp prop;
  checkCudaErrors(cudaGetDeviceProperties(&prop, 0));
  return prop.major > major || (prop.major == major && prop.minor >= minor);
}
