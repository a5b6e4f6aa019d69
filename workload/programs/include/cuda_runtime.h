// What CUDA programs include first: the runtime API, and for device code the built-in variables and
// functions that our tests need.
#pragma once

#include "host_defines.h"
#include "vector_types.h"
#include "vector_functions.h"
#include "device_launch_parameters.h"
#include "cuda_runtime_api.h"

#if defined(__CUDA__) && defined(__cplusplus)
__device__ inline int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
__device__ inline unsigned int atomicAdd(unsigned int *p, unsigned int v) { return __nvvm_atom_add_gen_i((int *)p, v); }
__device__ inline float atomicAdd(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }
#endif
