// The driver API on top of the runtime library: the same device, memory, streams and events. There is one
// context, which exists always.
#include <stdio.h>
#include <stdlib.h>

#include "cuda.h"
#include "runtime.h"

// driver makes an error of the driver of one of the runtime. Their numbers are the same but for names that
// only one has.
static CUresult driver(cudaError_t error) {
  switch (error) {
  case cudaErrorInvalidConfiguration:
  case cudaErrorInvalidPitchValue:
  case cudaErrorInvalidMemcpyDirection:
    return CUDA_ERROR_INVALID_VALUE;
  case cudaErrorInvalidDeviceFunction:
  case cudaErrorInvalidSymbol:
    return CUDA_ERROR_NOT_FOUND;
  default:
    return (CUresult)error;
  }
}

CUresult cuInit(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult cuDriverGetVersion(int *version) { return driver(cudaDriverGetVersion(version)); }

CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = cudaGetErrorName((cudaError_t)error);
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = cudaGetErrorString((cudaError_t)error);
  return CUDA_SUCCESS;
}

// The device.
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return driver(cudaSetDevice(ordinal));
}

CUresult cuDeviceGetCount(int *count) { return driver(cudaGetDeviceCount(count)); }

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) { return driver(cudaDeviceCanAccessPeer(can, device, peer)); }

CUresult cuDeviceGetName(char *name, int len, CUdevice device) {
  const char *text;
  cotenant_properties(&text);
  snprintf(name, (size_t)len, "%s", text);
  return driver(cudaSetDevice(device));
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return driver(cudaDeviceGetAttribute(value, attribute, device));
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  *bytes = cotenant_properties(NULL)->memory_bytes;
  return driver(cudaSetDevice(device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  *major = (int)cotenant_properties(NULL)->major;
  *minor = (int)cotenant_properties(NULL)->minor;
  return driver(cudaSetDevice(device));
}

// The context.
static CUcontext const the_context = (CUcontext)1;

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device) {
  (void)flags;
  *context = the_context;
  return driver(cudaSetDevice(device));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) { return cuCtxCreate(context, 0, device); }

CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return driver(cudaSetDevice(device)); }

CUresult cuCtxSetCurrent(CUcontext context) {
  return context == NULL || context == the_context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxDestroy(CUcontext context) { return cuCtxSetCurrent(context); }

CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxSetCurrent(context); }

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = the_context;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context) { return cuCtxGetCurrent(context); }

CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) { return driver(cudaDeviceSynchronize()); }

// Modules. A handle is the simulator's number of the module plus one.
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  if (image == NULL || strstr(image, ".version") == NULL) // a binary of a chip
    return driver(cotenant_note(cudaErrorInvalidKernelImage));
  struct cotenant_request request = REQUEST(COTENANT_MODULE, 0);
  struct cotenant_reply reply;
  cudaError_t error = cotenant_call(&request, image, strlen(image), &reply, NULL, 0);
  if (error == cudaSuccess)
    *module = (CUmodule)(reply.value[0] + 1);
  return driver(error);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                            void **values) {
  (void)count, (void)options, (void)values;
  return cuModuleLoadData(module, image);
}

CUresult cuModuleLoad(CUmodule *module, const char *file) {
  FILE *f = fopen(file, "rb");
  if (f == NULL)
    return CUDA_ERROR_FILE_NOT_FOUND;
  fseek(f, 0, SEEK_END);
  long bytes = ftell(f);
  rewind(f);
  char *text = bytes < 0 ? NULL : calloc(1, (size_t)bytes + 1);
  size_t got = text != NULL ? fread(text, 1, (size_t)bytes, f) : 0;
  fclose(f);
  CUresult result = got == (size_t)bytes && text != NULL ? cuModuleLoadData(module, text) : CUDA_ERROR_OUT_OF_MEMORY;
  free(text);
  return result;
}

// cuModuleUnload keeps the module, which takes little.
CUresult cuModuleUnload(CUmodule module) { return module == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS; }

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  struct cotenant_kernel *k = calloc(1, sizeof *k);
  cudaError_t error = cotenant_function((uint64_t)module - 1, name, k);
  if (error != cudaSuccess) {
    free(k);
    return driver(error);
  }
  *function = k;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  struct cotenant_request request = REQUEST(COTENANT_SYMBOL, (uint64_t)module - 1);
  struct cotenant_reply reply;
  cudaError_t error = cotenant_call(&request, name, strlen(name), &reply, NULL, 0);
  if (error == cudaSuccess && address != NULL)
    *address = reply.value[0];
  if (error == cudaSuccess && bytes != NULL)
    *bytes = reply.value[1];
  return driver(error);
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  (void)config;
  return function == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  return function == NULL ? CUDA_ERROR_INVALID_HANDLE : driver(cotenant_attribute(function, attribute, value));
}

// cuLaunchKernel takes parameters one by one, or as a block in extra.
CUresult cuLaunchKernel(CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                        unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **params,
                        void **extra) {
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  const void *block = NULL;
  size_t bytes = 0;
  for (int i = 0; extra != NULL && extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      block = extra[i + 1];
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      bytes = *(size_t *)extra[i + 1];
  }
  dim3 grid = {gx, gy, gz}, threads = {bx, by, bz};
  return driver(cotenant_launch(function, grid, threads, params, block, bytes, shared, stream, cotenant_window_of(stream)));
}

// Memory.
CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  return bytes == 0 ? CUDA_ERROR_INVALID_VALUE : driver(cudaMalloc((void **)address, bytes));
}

CUresult cuMemFree(CUdeviceptr address) { return driver(cudaFree((void *)address)); }

CUresult cuMemAllocHost(void **address, size_t bytes) { return driver(cudaMallocHost(address, bytes)); }

CUresult cuMemFreeHost(void *address) { return driver(cudaFreeHost(address)); }

CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned int flags) {
  return driver(cudaMallocManaged((void **)address, bytes, flags));
}

CUresult cuMemGetInfo(size_t *free, size_t *total) { return driver(cudaMemGetInfo(free, total)); }

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return driver(cudaMemcpy((void *)to, from, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return driver(cudaMemcpy(to, (const void *)from, bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return driver(cudaMemcpy((void *)to, (const void *)from, bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return driver(cudaMemcpyAsync((void *)to, from, bytes, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return driver(cudaMemcpyAsync(to, (const void *)from, bytes, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return driver(cudaMemcpyAsync((void *)to, (const void *)from, bytes, cudaMemcpyDeviceToDevice, stream));
}

static CUresult fill(CUdeviceptr to, uint64_t value, size_t count, size_t size, CUstream stream) {
  if (count == 0)
    return CUDA_SUCCESS;
  return driver(cotenant_fill((void *)to, count * size, (unsigned)value, size, count, 1, stream));
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) { return fill(to, value, count, 1, 0); }

CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) { return fill(to, value, count, 2, 0); }

CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) { return fill(to, value, count, 4, 0); }

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  return fill(to, value, count, 4, stream);
}

// Streams and events.
CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  return driver(cudaStreamCreateWithFlags(stream, flags));
}

CUresult cuStreamDestroy(CUstream stream) { return driver(cudaStreamDestroy(stream)); }

CUresult cuStreamSynchronize(CUstream stream) { return driver(cudaStreamSynchronize(stream)); }

CUresult cuStreamQuery(CUstream stream) { return driver(cudaStreamQuery(stream)); }

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return driver(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuEventCreate(CUevent *event, unsigned int flags) { return driver(cudaEventCreateWithFlags(event, flags)); }

CUresult cuEventDestroy(CUevent event) { return driver(cudaEventDestroy(event)); }

CUresult cuEventRecord(CUevent event, CUstream stream) { return driver(cudaEventRecord(event, stream)); }

CUresult cuEventSynchronize(CUevent event) { return driver(cudaEventSynchronize(event)); }

CUresult cuEventQuery(CUevent event) { return driver(cudaEventQuery(event)); }

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end) {
  return driver(cudaEventElapsedTime(ms, start, end));
}

// Occupancy.
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int size, size_t shared) {
  if (function == NULL || size < 1 || (uint64_t)size > cotenant_properties(NULL)->threads_per_block)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = cotenant_fit(function, size, shared);
  return CUDA_SUCCESS;
}

// shared is what the caller of cuOccupancyMaxPotentialBlockSize says of dynamic shared memory.
struct shared {
  CUoccupancyB2DSize of;
  size_t bytes;
};

static size_t shared_of(int size, void *of) {
  struct shared *s = of;
  return s->of != NULL ? s->of(size) : s->bytes;
}

// cuOccupancyMaxPotentialBlockSize tells with which thread blocks, up to a limit, most threads fit on an SM.
CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *size, CUfunction function, CUoccupancyB2DSize of, size_t bytes, int limit) {
  if (function == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  struct shared s = {of, bytes};
  cotenant_block_size(grid, size, function, shared_of, &s, limit);
  return CUDA_SUCCESS;
}
