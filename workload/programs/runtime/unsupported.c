// Calls that are not supported: each returns cudaErrorNotSupported and is named once on stderr.
#include "runtime.h"

#define UNSUPPORTED(name, ...)                                                                                         \
  cudaError_t name(__VA_ARGS__) { return cotenant_unsupported(#name); }

#pragma clang diagnostic ignored "-Wunused-parameter"

// Graphs.
UNSUPPORTED(cudaStreamBeginCapture, cudaStream_t stream, enum cudaStreamCaptureMode mode)
UNSUPPORTED(cudaStreamEndCapture, cudaStream_t stream, cudaGraph_t *graph)
UNSUPPORTED(cudaStreamIsCapturing, cudaStream_t stream, enum cudaStreamCaptureStatus *status)
UNSUPPORTED(cudaGraphCreate, cudaGraph_t *graph, unsigned int flags)
UNSUPPORTED(cudaGraphDestroy, cudaGraph_t graph)
UNSUPPORTED(cudaGraphInstantiate, cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *node, char *log,
            size_t bytes)
UNSUPPORTED(cudaGraphLaunch, cudaGraphExec_t exec, cudaStream_t stream)
UNSUPPORTED(cudaGraphExecDestroy, cudaGraphExec_t exec)

// Arrays of three dimensions, and surfaces.
UNSUPPORTED(cudaMalloc3DArray, cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
            unsigned int flags)
UNSUPPORTED(cudaCreateSurfaceObject, cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
UNSUPPORTED(cudaDestroySurfaceObject, cudaSurfaceObject_t object)

// Memory of other processes.
UNSUPPORTED(cudaIpcGetMemHandle, cudaIpcMemHandle_t *handle, void *ptr)
UNSUPPORTED(cudaIpcOpenMemHandle, void **ptr, cudaIpcMemHandle_t handle, unsigned int flags)
UNSUPPORTED(cudaIpcCloseMemHandle, void *ptr)
