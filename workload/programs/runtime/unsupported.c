// Calls that are not supported: each returns cudaErrorNotSupported and is named once on stderr.
#include "runtime.h"

#define UNSUPPORTED(name, ...)                                                                                         \
  cudaError_t name(__VA_ARGS__) { return cotenant_unsupported(#name); }

#pragma clang diagnostic ignored "-Wunused-parameter"

// Memory of other processes.
UNSUPPORTED(cudaIpcGetMemHandle, cudaIpcMemHandle_t *handle, void *ptr)
UNSUPPORTED(cudaIpcOpenMemHandle, void **ptr, cudaIpcMemHandle_t handle, unsigned int flags)
UNSUPPORTED(cudaIpcCloseMemHandle, void *ptr)
UNSUPPORTED(cudaIpcGetEventHandle, cudaIpcEventHandle_t *handle, cudaEvent_t event)
UNSUPPORTED(cudaIpcOpenEventHandle, cudaEvent_t *event, cudaIpcEventHandle_t handle)
