// Errors: the last one of each thread, and their names.
#include <stdio.h>

#include "runtime.h"

static _Thread_local cudaError_t last;

cudaError_t cotenant_note(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady)
    last = error;
  return error;
}

cudaError_t cotenant_unsupported(const char *call) {
  static const char *told[64];
  for (int i = 0; i < 64; i++) {
    if (told[i] == call)
      break;
    if (told[i] == NULL) {
      told[i] = call;
      fprintf(stderr, "cotenant: %s is not supported; it returns cudaErrorNotSupported\n", call);
      break;
    }
  }
  return cotenant_note(cudaErrorNotSupported);
}

// sticky reports whether an error is of a kernel that has spoiled the context: all later calls return
// it, and cudaGetLastError does not forget it.
static int sticky(cudaError_t error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorAssert ||
         (error >= cudaErrorHardwareStackError && error <= cudaErrorLaunchFailure);
}

// cudaGetLastError returns the thread's last error and forgets it.
cudaError_t cudaGetLastError(void) {
  cudaError_t error = last;
  if (!sticky(error))
    last = cudaSuccess;
  return error;
}

// cudaPeekAtLastError returns the thread's last error and keeps it.
cudaError_t cudaPeekAtLastError(void) { return last; }

// cudaGetErrorName returns the name of an error as the program writes it, cudaGetErrorString what it means.
__CT_ERROR_FUNCTIONS()
