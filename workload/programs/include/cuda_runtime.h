// What nvcc gives every CUDA source: the runtime's API, vector types, launches, and on the device the
// functions of the programming guide. cotenant cc includes this header before a program's first
// line, so that the device's functions are known to the C++ library's headers.
#pragma once

// Names that libraries ask for: the samples' helpers before they declare what needs the runtime, Thrust
// before it takes the definitions of __host__ and __device__ away.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __HOST_DEFINES_H__

#include "host_defines.h"

#include "vector_types.h"

#include "vector_functions.h"

#if defined(__CUDA__) && defined(__cplusplus)
#include "device_launch_parameters.h"

#include "cotenant/atomic.h"
#include "cotenant/dpx.h"
#include "cotenant/integer.h"
#include "cotenant/lanes.h"
#include "cotenant/memory.h"
#include "cotenant/rounding.h"
#include "cotenant/warp.h"

#include "cotenant/functions.h"
#include "cotenant/heap.h"
#endif

#include "cuda_device_runtime_api.h"
#include "cuda_runtime_api.h"
#include "driver_types.h"

#if defined(__cplusplus) && !defined(__CUDA__)
#include "cotenant/channels.h"
#endif

#if defined(__CUDA__) && defined(__cplusplus)
#if defined(__CUDA_ARCH__)
// Without -target-sdk-version clang looks for the launch function of old toolkits, even where it
// compiles the device's side alone and launches nothing.
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
#endif

#include <assert.h>
#include <math.h>
#include <new>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cotenant/host.h"
#include "cotenant/print.h"
#include "cotenant/surface.h"
#include "cotenant/texture.h"

#if defined(__CT_PART)
// clang embeds the device's code of a file only if the host's code knows a kernel or a variable of it. In a part of
// a program there may be functions alone.
static __device__ __attribute__((used)) char __ct_part;
#endif
#endif
