// Kernels.
#include <pthread.h>
#include <stdlib.h>

#include "graph.h"

// A configuration in angle brackets, between the push and the stub that pops it. Arguments may launch
// kernels themselves, so they are a stack.
static _Thread_local struct {
  dim3 grid, block;
  size_t shared;
  void *stream;
} configurations[16];
static _Thread_local int depth;

// __cudaPushCallConfiguration keeps the configuration of a launch. Not 0 makes the caller skip it.
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
  if (depth == 16)
    return 1;
  configurations[depth].grid = grid;
  configurations[depth].block = block;
  configurations[depth].shared = shared;
  configurations[depth++].stream = stream;
  return 0;
}

// __cudaPopCallConfiguration gives the configuration to the stub, which launches.
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (depth == 0)
    return cotenant_note(cudaErrorMissingConfiguration);
  depth--;
  *grid = configurations[depth].grid;
  *block = configurations[depth].block;
  *shared = configurations[depth].shared;
  *(void **)stream = configurations[depth].stream;
  return cudaSuccess;
}

void cotenant_pack(const struct cotenant_kernel *k, void **args, void *packed) {
  for (uint64_t i = 0; i < k->is.parameters; i++)
    memcpy((char *)packed + k->parameters[2 * i], args[i], k->parameters[2 * i + 1]);
}

// capture keeps a launch for a graph.
static void capture(struct CUgraphNode_st *n, struct cotenant_kernel *k, dim3 grid, dim3 block, size_t shared,
                    uint64_t flags, const void *parameters) {
  n->launch.kernel = k;
  n->launch.grid = grid;
  n->launch.block = block;
  n->launch.shared = shared;
  n->launch.flags = flags;
  n->launch.parameters = malloc(k->is.parameter_bytes + 1);
  if (n->launch.parameters == NULL)
    abort();
  memcpy(n->launch.parameters, parameters, k->is.parameter_bytes);
}

cudaError_t cotenant_launch(struct cotenant_kernel *k, dim3 grid, dim3 block, void **args, const void *packed,
                            size_t bytes, size_t shared, cudaStream_t stream, uint64_t flags) {
  if (block.x > 1024 || block.y > 1024 || block.z > 64)
    return cotenant_note(cudaErrorInvalidConfiguration);
  cudaError_t heap = cotenant_heap();
  if (heap != cudaSuccess)
    return heap;
  // More than the usual limit, of 48 KiB at most, must have been allowed by cudaFuncSetAttribute.
  if (k->is.shared_bytes + shared > 48 << 10 && shared > k->dynamic_shared)
    return cotenant_note(cudaErrorInvalidValue);
  char parameters[4096 + 8];
  if (k->is.parameter_bytes > sizeof parameters)
    return cotenant_note(cudaErrorInvalidValue);
  memset(parameters, 0, k->is.parameter_bytes);
  if (packed != NULL)
    memcpy(parameters, packed, bytes < k->is.parameter_bytes ? bytes : k->is.parameter_bytes);
  else if (args == NULL && k->is.parameters > 0)
    return cotenant_note(cudaErrorInvalidValue);
  else
    cotenant_pack(k, args, parameters);
  struct CUgraphNode_st *node = cotenant_captured(stream, cudaGraphNodeTypeKernel);
  if (node != NULL) {
    capture(node, k, grid, block, shared, flags, parameters);
    return cudaSuccess;
  }
  struct cotenant_request request =
      REQUEST(COTENANT_LAUNCH, k->is.function, grid.x, grid.y, grid.z,
              block.x | (uint64_t)block.y << 16 | (uint64_t)block.z << 32, shared, cotenant_stream(stream), flags);
  request.bytes = (uint32_t)k->is.parameter_bytes;
  // A launch like the last one of its kernel succeeds again: it needs no answer.
  static pthread_mutex_t accepting = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&accepting);
  int again = k->accepted_epoch == cotenant_epoch && memcmp(&request, &k->accepted, sizeof request) == 0;
  pthread_mutex_unlock(&accepting);
  if (again && cotenant_post(&request, parameters, k->is.parameter_bytes))
    return cudaSuccess;
  cudaError_t error = cotenant_call(&request, parameters, k->is.parameter_bytes, NULL, NULL, 0);
  if (error == cudaSuccess) {
    pthread_mutex_lock(&accepting);
    k->accepted = request;
    k->accepted_epoch = cotenant_epoch;
    pthread_mutex_unlock(&accepting);
  }
  return error;
}

static cudaError_t launch(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream,
                          uint64_t flags) {
  struct cotenant_kernel *k;
  cudaError_t error = cotenant_kernel(func, &k);
  if ((flags >> COTENANT_OF_WINDOW & COTENANT_WINDOWS) == 0)
    flags |= cotenant_window_of(stream);
  return error != cudaSuccess ? error : cotenant_launch(k, grid, block, args, NULL, 0, shared, stream, flags);
}

// cudaLaunchKernel puts a launch into a stream and returns.
cudaError_t cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream) {
  return launch(func, grid, block, args, shared, stream, 0);
}

// cudaLaunchCooperativeKernel launches a kernel with thread blocks that wait for each other: all must
// be resident at once.
cudaError_t cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream) {
  return launch(func, grid, block, args, shared, stream, COTENANT_COOPERATIVE);
}

// attribute is the value of an attribute of a launch, NULL without it.
static const cudaLaunchAttributeValue *attribute(const cudaLaunchConfig_t *c, cudaLaunchAttributeID id) {
  for (unsigned i = 0; i < c->numAttrs; i++)
    if (c->attrs[i].id == id)
      return &c->attrs[i].val;
  return NULL;
}

// cudaLaunchKernelExC launches a kernel with attributes.
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *func, void **args) {
  if (c == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  uint64_t flags = 0;
  const cudaLaunchAttributeValue *v = attribute(c, cudaLaunchAttributeCooperative);
  if (v != NULL && v->cooperative)
    flags = COTENANT_COOPERATIVE;
  if ((v = attribute(c, cudaLaunchAttributeClusterDimension)) != NULL) {
    uint64_t x = v->clusterDim.x, y = v->clusterDim.y, z = v->clusterDim.z;
    if (x == 0 || y == 0 || z == 0 || (x | y | z) > UINT16_MAX)
      return cotenant_note(cudaErrorInvalidClusterSize);
    flags |= (x | y << 16 | z << 32) << COTENANT_CLUSTER;
  }
  if ((v = attribute(c, cudaLaunchAttributeAccessPolicyWindow)) != NULL) {
    uint64_t flag;
    cudaError_t error = cotenant_window(&v->accessPolicyWindow, &flag);
    if (error != cudaSuccess)
      return error;
    flags |= flag;
  }
  return launch(func, c->gridDim, c->blockDim, args, c->dynamicSmemBytes, c->stream, flags);
}

// cudaOccupancyMaxPotentialClusterSize tells the size of clusters that every GPU with clusters takes.
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func, const cudaLaunchConfig_t *c) {
  struct cotenant_kernel *k;
  (void)c;
  *size = 8;
  return cotenant_kernel(func, &k);
}

// cudaOccupancyMaxActiveClusters tells how many clusters the thread blocks that fit on the SMs make.
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func, const cudaLaunchConfig_t *c) {
  int blocks;
  dim3 b = c->blockDim;
  cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, func, (int)(b.x * b.y * b.z), c->dynamicSmemBytes);
  const cudaLaunchAttributeValue *v = attribute(c, cudaLaunchAttributeClusterDimension);
  unsigned size = v == NULL ? 1 : v->clusterDim.x * v->clusterDim.y * v->clusterDim.z;
  if (error == cudaSuccess && size == 0)
    return cotenant_note(cudaErrorInvalidClusterSize);
  if (error == cudaSuccess)
    *clusters = (int)((unsigned)blocks * (unsigned)cotenant_properties(NULL)->sms / size);
  return error;
}

// cudaFuncGetAttributes tells what a kernel needs.
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *func) {
  struct cotenant_kernel *k;
  cudaError_t error = cotenant_kernel(func, &k);
  if (error != cudaSuccess)
    return error;
  const struct cotenant_device *d = cotenant_properties(NULL);
  memset(a, 0, sizeof *a);
  a->sharedSizeBytes = k->is.shared_bytes;
  a->constSizeBytes = k->is.const_bytes;
  a->localSizeBytes = k->is.local_bytes;
  a->numRegs = (int)k->is.registers;
  a->maxThreadsPerBlock = (int)(k->is.max_threads != 0 ? k->is.max_threads : d->threads_per_block);
  a->ptxVersion = cotenant_target(k);
  a->binaryVersion = (int)(10 * d->major + d->minor);
  a->maxDynamicSharedSizeBytes =
      (int)(k->dynamic_shared != 0 ? k->dynamic_shared : d->shared_per_block - k->is.shared_bytes);
  return cudaSuccess;
}

// cotenant_attribute sets an attribute of a kernel: the dynamic shared memory that a launch may ask for.
cudaError_t cotenant_attribute(struct cotenant_kernel *k, int attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return cudaSuccess;
  if (value < 0 || k->is.shared_bytes + (uint64_t)value > cotenant_properties(NULL)->shared_optin)
    return cotenant_note(cudaErrorInvalidValue);
  k->dynamic_shared = (uint64_t)value;
  return cudaSuccess;
}

// cudaFuncSetAttribute allows a kernel more dynamic shared memory.
cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attribute, int value) {
  struct cotenant_kernel *k;
  cudaError_t error = cotenant_kernel(func, &k);
  return error != cudaSuccess ? error : cotenant_attribute(k, attribute, value);
}

// cudaFuncSetCacheConfig and cudaFuncSetSharedMemConfig are hints that the preset's GPU does not take.
cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config) {
  struct cotenant_kernel *k;
  (void)config;
  return cotenant_kernel(func, &k);
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config) {
  struct cotenant_kernel *k;
  (void)config;
  return cotenant_kernel(func, &k);
}

int cotenant_fit(const struct cotenant_kernel *k, int size, size_t shared) {
  const struct cotenant_device *d = cotenant_properties(NULL);
  uint64_t threads = ((uint64_t)size + 31) / 32 * 32, fit = d->blocks_per_sm;
  uint64_t need[] = {threads, threads * k->is.registers, k->is.shared_bytes + shared};
  uint64_t have[] = {d->threads_per_sm, d->registers_per_sm, d->shared_per_sm};
  for (int i = 0; i < 3; i++)
    if (need[i] > 0 && have[i] / need[i] < fit)
      fit = have[i] / need[i];
  return (int)fit;
}

// cudaOccupancyMaxActiveBlocksPerMultiprocessor tells how many thread blocks of a kernel fit on an SM.
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int size, size_t shared) {
  struct cotenant_kernel *k;
  cudaError_t error = cotenant_kernel(func, &k);
  if (error != cudaSuccess)
    return error;
  if (size < 1 || (uint64_t)size > cotenant_properties(NULL)->threads_per_block)
    return cotenant_note(cudaErrorInvalidValue);
  *blocks = cotenant_fit(k, size, shared);
  return cudaSuccess;
}

void cotenant_block_size(int *grid, int *size, const struct cotenant_kernel *k, size_t (*shared_of)(int, void *), void *of, int limit) {
  const struct cotenant_device *d = cotenant_properties(NULL);
  uint64_t own = k->is.max_threads != 0 ? k->is.max_threads : d->threads_per_block;
  if (limit < 1 || (uint64_t)limit > own)
    limit = (int)own;
  *grid = *size = 0;
  for (int s = limit, most = 0; s > 0; s = (s - 1) / 32 * 32) {
    int blocks = cotenant_fit(k, s, shared_of(s, of));
    if (blocks * s > most) {
      most = blocks * s;
      *size = s;
      *grid = blocks * (int)d->sms;
    }
  }
}

cudaError_t __cotenantBlockSize(int *grid, int *size, const void *func, size_t (*shared_of)(int, void *), void *of, int limit) {
  struct cotenant_kernel *k;
  cudaError_t error = cotenant_kernel(func, &k);
  if (error == cudaSuccess)
    cotenant_block_size(grid, size, k, shared_of, of, limit);
  return error;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func, int size,
                                                                   size_t shared, unsigned int flags) {
  (void)flags;
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, func, size, shared);
}
