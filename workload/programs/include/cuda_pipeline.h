// Asynchronous copies into shared memory by a thread (programming guide: pipeline primitives).
#pragma once

#include "cotenant/async.h"

#if defined(__CUDA__)
// Copies size bytes, of which the last zfill are zeros.
__CT_FN void __pipeline_memcpy_async(void *to, const void *from, __SIZE_TYPE__ size, __SIZE_TYPE__ zfill = 0) {
  __ct::copy_piece(to, from, size, size - zfill);
}
__CT_FN void __pipeline_commit() { __ct::commit_copies(); }
__CT_FN void __pipeline_wait_prior(__SIZE_TYPE__ n) { __ct::wait_copies(n); }
#endif
