// cutil of CUDA 4: the same macros under newer names.
#pragma once

#include "cutil.h"

#define cutilSafeCall(call) CUDA_SAFE_CALL(call)
#define cutilCheckMsg(message) CUT_CHECK_ERROR(message)
#define cutilCheckError(call) CUT_SAFE_CALL(call)
#define cutilDeviceSynchronize() cudaDeviceSynchronize()
#define cutilThreadSynchronize() cudaDeviceSynchronize()
