// Asynchronous copies into shared memory by a thread (programming guide: pipeline primitives). A copy is
// done when its call returns, so that commits and waits have nothing left to do.
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__)
// Copies size bytes, of which the last zfill are zeros.
__CT_FN void __pipeline_memcpy_async(void *to, const void *from, __SIZE_TYPE__ size, __SIZE_TYPE__ zfill = 0) {
  memcpy(to, from, size - zfill);
  memset((char *)to + (size - zfill), 0, zfill);
}
__CT_FN void __pipeline_commit() {}
__CT_FN void __pipeline_wait_prior(__SIZE_TYPE__) {}
#endif
