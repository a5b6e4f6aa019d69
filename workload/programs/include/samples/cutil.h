// The macros of cutil, with which programs for CUDA before version 5 check errors.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda_runtime.h"
#include "helper_string.h"
#include "helper_timer.h"

#define CUTBoolean bool
#define CUTTrue true
#define CUTFalse false

#define CUDA_SAFE_CALL_NO_SYNC(call)                                                               \
  do {                                                                                             \
    cudaError_t error = (call);                                                                    \
    if (error != cudaSuccess) {                                                                    \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error));    \
      exit(EXIT_FAILURE);                                                                          \
    }                                                                                              \
  } while (0)
#define CUDA_SAFE_CALL(call) CUDA_SAFE_CALL_NO_SYNC(call)
#define CUDA_SAFE_THREAD_SYNC() CUDA_SAFE_CALL(cudaDeviceSynchronize())
#define CUT_CHECK_ERROR(message)                                                                   \
  do {                                                                                             \
    cudaError_t error = cudaGetLastError();                                                        \
    if (error != cudaSuccess) {                                                                    \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, message, cudaGetErrorString(error));  \
      exit(EXIT_FAILURE);                                                                          \
    }                                                                                              \
  } while (0)
#define CUT_SAFE_CALL(call)                                                                        \
  do {                                                                                             \
    if (!(call)) {                                                                                 \
      fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #call);                            \
      exit(EXIT_FAILURE);                                                                          \
    }                                                                                              \
  } while (0)
#define CUT_DEVICE_INIT(argc, argv) CUDA_SAFE_CALL(cudaSetDevice(0))
#define CUT_EXIT(argc, argv) exit(EXIT_SUCCESS)
#define CUT_BANK_CHECKER(array, index) array[index]

// Timers by number.
static StopWatchInterface *__ct_timers[64];
static unsigned __ct_timer_count;
static inline bool cutCreateTimer(unsigned *name) {
  if (__ct_timer_count == 64) return false;
  *name = __ct_timer_count++;
  return sdkCreateTimer(&__ct_timers[*name]);
}
static inline bool cutDeleteTimer(unsigned name) { return sdkDeleteTimer(&__ct_timers[name]); }
static inline bool cutStartTimer(unsigned name) { return sdkStartTimer(&__ct_timers[name]); }
static inline bool cutStopTimer(unsigned name) { return sdkStopTimer(&__ct_timers[name]); }
static inline bool cutResetTimer(unsigned name) { return sdkResetTimer(&__ct_timers[name]); }
static inline float cutGetTimerValue(unsigned name) { return sdkGetTimerValue(&__ct_timers[name]); }
static inline float cutGetAverageTimerValue(unsigned name) { return sdkGetAverageTimerValue(&__ct_timers[name]); }

static inline bool cutCheckCmdLineFlag(int argc, const char **argv, const char *name) { return checkCmdLineFlag(argc, argv, name); }
static inline bool cutGetCmdLineArgumenti(int argc, const char **argv, const char *name, int *value) {
  if (!checkCmdLineFlag(argc, argv, name)) return false;
  *value = getCmdLineArgumentInt(argc, argv, name);
  return true;
}
static inline bool cutGetCmdLineArgumentf(int argc, const char **argv, const char *name, float *value) {
  if (!checkCmdLineFlag(argc, argv, name)) return false;
  *value = getCmdLineArgumentFloat(argc, argv, name);
  return true;
}
static inline bool cutCompareL2fe(const float *reference, const float *data, unsigned n, float epsilon) {
  float error = 0, size = 0;
  for (unsigned i = 0; i < n; i++) error += (reference[i] - data[i]) * (reference[i] - data[i]), size += reference[i] * reference[i];
  return sqrtf(error) < epsilon * sqrtf(size);
}
static inline bool cutComparefe(const float *reference, const float *data, unsigned n, float epsilon) {
  for (unsigned i = 0; i < n; i++)
    if (!(fabsf(reference[i] - data[i]) <= epsilon)) return false;
  return true;
}
