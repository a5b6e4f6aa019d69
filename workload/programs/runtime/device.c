// The device: the GPU that is simulated, the only one.
#include <pthread.h>
#include <stdio.h>

#include "runtime.h"

const struct cotenant_device *cotenant_properties(const char **name) {
  static struct {
    struct cotenant_device is;
    char name[256];
  } device;
  static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&asking);
  if (device.is.sms == 0) {
    struct cotenant_request request = REQUEST(COTENANT_DEVICE, 0);
    struct cotenant_reply reply;
    cotenant_call(&request, NULL, 0, &reply, &device, sizeof device - 1);
  }
  pthread_mutex_unlock(&asking);
  if (name != NULL)
    *name = device.name;
  return &device.is;
}

// only refuses devices that are not there.
static cudaError_t only(int device) { return cotenant_note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return only(device); }

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  (void)flags;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  *flags = cudaDeviceMapHost;
  return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int count) {
  for (int i = 0; i < count; i++)
    if (devices[i] != 0)
      return cotenant_note(cudaErrorInvalidDevice);
  return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
  (void)prop;
  *device = 0;
  return cudaSuccess;
}

// cudaGetDeviceProperties describes the GPU of the run.
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
  const char *name;
  cudaError_t error = only(device);
  if (error != cudaSuccess)
    return error;
  const struct cotenant_device *d = cotenant_properties(&name);
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", name);
  p->totalGlobalMem = d->memory_bytes;
  p->sharedMemPerBlock = d->shared_per_block;
  p->sharedMemPerBlockOptin = d->shared_optin;
  p->regsPerBlock = p->regsPerMultiprocessor = (int)d->registers_per_sm;
  p->warpSize = 32;
  p->memPitch = 2147483647;
  p->maxThreadsPerBlock = (int)d->threads_per_block;
  for (int i = 0; i < 3; i++) {
    p->maxThreadsDim[i] = (int)d->block[i];
    p->maxGridSize[i] = (int)d->grid[i];
  }
  p->clockRate = (int)d->clock_khz;
  p->totalConstMem = d->const_bytes;
  p->major = (int)d->major;
  p->minor = (int)d->minor;
  p->textureAlignment = p->surfaceAlignment = 512;
  p->texturePitchAlignment = 32;
  p->deviceOverlap = p->canMapHostMemory = p->concurrentKernels = 1;
  p->asyncEngineCount = (int)d->copy_engines;
  p->multiProcessorCount = (int)d->sms;
  p->maxTexture1D = p->maxTexture2D[0] = p->maxTexture2D[1] = 65536;
  p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
  p->maxTexture1DLayered[0] = p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = 32768;
  p->maxTexture1DLayered[1] = p->maxTexture2DLayered[2] = 2048;
  p->maxTexture1DLinear = 134217728;
  p->unifiedAddressing = p->managedMemory = p->cooperativeLaunch = 1;
  p->memoryClockRate = (int)d->memory_clock_khz;
  p->memoryBusWidth = (int)d->bus_bits;
  p->l2CacheSize = (int)d->l2_bytes;
  p->maxThreadsPerMultiProcessor = (int)d->threads_per_sm;
  p->sharedMemPerMultiprocessor = d->shared_per_sm;
  p->maxBlocksPerMultiProcessor = (int)d->blocks_per_sm;
  p->memoryPoolsSupported = p->streamPrioritiesSupported = 1;
  p->clusterLaunch = p->major >= 9;
  p->persistingL2CacheMaxSize = (int)d->persisting_bytes;
  p->accessPolicyMaxWindowSize = d->persisting_bytes > 0 ? COTENANT_LARGEST_WINDOW : 0;
  return cudaSuccess;
}

// cudaDeviceGetAttribute tells a single property.
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
  struct cudaDeviceProp p;
  cudaError_t error = cudaGetDeviceProperties(&p, device);
  if (error != cudaSuccess)
    return error;
  switch (attr) {
#define A(name, field)                                                                                                 \
  case cudaDevAttr##name:                                                                                              \
    *value = (int)(field);                                                                                             \
    return cudaSuccess;
    A(MaxThreadsPerBlock, p.maxThreadsPerBlock)
    A(MaxBlockDimX, p.maxThreadsDim[0])
    A(MaxBlockDimY, p.maxThreadsDim[1])
    A(MaxBlockDimZ, p.maxThreadsDim[2])
    A(MaxGridDimX, p.maxGridSize[0])
    A(MaxGridDimY, p.maxGridSize[1])
    A(MaxGridDimZ, p.maxGridSize[2])
    A(MaxSharedMemoryPerBlock, p.sharedMemPerBlock)
    A(TotalConstantMemory, p.totalConstMem)
    A(WarpSize, p.warpSize)
    A(MaxPitch, p.memPitch)
    A(MaxRegistersPerBlock, p.regsPerBlock)
    A(ClockRate, p.clockRate)
    A(TextureAlignment, p.textureAlignment)
    A(MultiProcessorCount, p.multiProcessorCount)
    A(MaxTexture1DWidth, p.maxTexture1D)
    A(MaxTexture2DWidth, p.maxTexture2D[0])
    A(MaxTexture2DHeight, p.maxTexture2D[1])
    A(MaxTexture3DWidth, p.maxTexture3D[0])
    A(MaxTexture3DHeight, p.maxTexture3D[1])
    A(MaxTexture3DDepth, p.maxTexture3D[2])
    A(MaxTexture2DLayeredWidth, p.maxTexture2DLayered[0])
    A(MaxTexture2DLayeredHeight, p.maxTexture2DLayered[1])
    A(MaxTexture2DLayeredLayers, p.maxTexture2DLayered[2])
    A(MaxTexture1DLayeredWidth, p.maxTexture1DLayered[0])
    A(MaxTexture1DLayeredLayers, p.maxTexture1DLayered[1])
    A(SurfaceAlignment, p.surfaceAlignment)
    A(GpuOverlap, 1)
    A(PciBusId, 0)
    A(PciDeviceId, 0)
    A(PciDomainId, 0)
    A(TccDriver, 0)
    A(EccEnabled, 0)
    A(HostNativeAtomicSupported, 0)
    A(SingleToDoublePrecisionPerfRatio, p.singleToDoublePrecisionPerfRatio)
    A(PageableMemoryAccess, 0)
    A(ComputePreemptionSupported, 0)
    A(CanUseHostPointerForRegisteredMem, 0)
    A(KernelExecTimeout, 0)
    A(Integrated, 0)
    A(CanMapHostMemory, 1)
    A(ComputeMode, cudaComputeModeDefault)
    A(ConcurrentKernels, 1)
    A(MemoryClockRate, p.memoryClockRate)
    A(GlobalMemoryBusWidth, p.memoryBusWidth)
    A(L2CacheSize, p.l2CacheSize)
    A(MaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor)
    A(AsyncEngineCount, p.asyncEngineCount)
    A(UnifiedAddressing, 1)
    A(ComputeCapabilityMajor, p.major)
    A(ComputeCapabilityMinor, p.minor)
    A(StreamPrioritiesSupported, p.streamPrioritiesSupported)
    A(MaxSharedMemoryPerMultiprocessor, p.sharedMemPerMultiprocessor)
    A(MaxRegistersPerMultiprocessor, p.regsPerMultiprocessor)
    A(ManagedMemory, 1)
    A(ConcurrentManagedAccess, 0)
    A(CooperativeLaunch, 1)
    A(CooperativeMultiDeviceLaunch, 0)
    A(MaxSharedMemoryPerBlockOptin, p.sharedMemPerBlockOptin)
    A(MaxBlocksPerMultiprocessor, p.maxBlocksPerMultiProcessor)
    A(MemoryPoolsSupported, 1)
    A(ClusterLaunch, p.major >= 9)
    A(MaxPersistingL2CacheSize, p.persistingL2CacheMaxSize)
    A(MaxAccessPolicyWindowSize, p.accessPolicyMaxWindowSize)
#undef A
  }
  return cotenant_note(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int len, int device) {
  cudaError_t error = only(device);
  if (error == cudaSuccess)
    snprintf(id, (size_t)len, "0000:00:00.0");
  return error;
}

// There is no other device.
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to) {
  (void)attribute, (void)from, (void)to;
  *value = 0;
  return cotenant_note(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  *can = 0;
  cudaError_t error = only(device);
  return error != cudaSuccess ? error : only(peer);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  (void)peer, (void)flags;
  return cotenant_note(cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  (void)peer;
  return cotenant_note(cudaErrorPeerAccessNotEnabled);
}

// cudaDeviceSynchronize waits until all commands of the program have completed.
cudaError_t cudaDeviceSynchronize(void) {
  struct cotenant_request request = REQUEST(COTENANT_STREAM_SYNCHRONIZE, COTENANT_ALL_STREAMS);
  return cotenant_ask(&request, NULL);
}

cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

static size_t limits[7] = {1024, 1 << 20, 8 << 20};

// cudaDeviceReset waits for all commands and frees all memory.
cudaError_t cudaDeviceReset(void) {
  struct cotenant_request request = REQUEST(COTENANT_RESET, 0);
  cotenant_forget_heap();
  cotenant_unregister_all();
  cotenant_forget_windows();
  limits[cudaLimitPersistingL2CacheSize] = 0;
  return cotenant_ask(&request, NULL);
}

cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }

// Preferences for caches and banks are hints, which the preset's GPU does not take.
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  (void)config;
  return cudaSuccess;
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
  (void)config;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

// cudaDeviceSetLimit sets aside a part of the L2. Other limits are kept and have no effect: the stack of a thread is as large
// as its kernel needs, and 64 KiB more for functions that call themselves.
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  if ((unsigned)limit >= sizeof limits / sizeof limits[0])
    return cotenant_note(cudaErrorInvalidValue);
  if (limit == cudaLimitPersistingL2CacheSize) {
    cudaError_t error = cotenant_set_aside(value);
    if (error != cudaSuccess)
      return error;
  }
  limits[limit] = value;
  return cudaSuccess;
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  if ((unsigned)limit >= sizeof limits / sizeof limits[0])
    return cotenant_note(cudaErrorInvalidValue);
  *value = limits[limit];
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = 0;
  *greatest = -5; // as GPUs of compute capability 7.0 and later
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) { return cudaSuccess; }

cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
