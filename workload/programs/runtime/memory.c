// Memory: allocation, and what the program can ask of addresses.
#include <stdlib.h>

#include "runtime.h"

cudaError_t cotenant_allocate(void **ptr, size_t bytes, size_t align, uint64_t kind) {
  if (ptr == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  *ptr = NULL;
  if (bytes == 0)
    return cudaSuccess;
  if (bytes > SIZE_MAX - 4095)
    return cotenant_note(cudaErrorMemoryAllocation);
  if (kind != COTENANT_DEVICE_MEMORY)
    bytes = (bytes + 4095) & ~(size_t)4095; // pages of the host
  struct cotenant_request request = REQUEST(COTENANT_ALLOCATE, bytes, align, kind);
  struct cotenant_reply reply;
  cotenant_modules(); // variables come before what the program allocates
  cudaError_t error = cotenant_ask(&request, &reply);
  if (error != cudaSuccess)
    return error;
  if (kind != COTENANT_DEVICE_MEMORY && (error = cotenant_map(reply.value[0], bytes)) != cudaSuccess)
    return error;
  *ptr = (void *)reply.value[0];
  return cudaSuccess;
}

cudaError_t cotenant_find(const void *ptr, struct cotenant_reply *found) {
  struct cotenant_request request = REQUEST(COTENANT_FIND, (uint64_t)ptr);
  return cotenant_ask(&request, found);
}

static cudaError_t release(void *ptr, int host) {
  if (ptr == NULL)
    return cudaSuccess;
  struct cotenant_reply found;
  cudaError_t error = cotenant_find(ptr, &found);
  if (error != cudaSuccess || found.value[0] != (uint64_t)ptr ||
      host != (found.value[2] == COTENANT_HOST_MEMORY))
    return cotenant_note(cudaErrorInvalidValue);
  struct cotenant_request request = REQUEST(COTENANT_FREE, (uint64_t)ptr);
  error = cotenant_ask(&request, NULL);
  if (error == cudaSuccess && found.value[2] != COTENANT_DEVICE_MEMORY)
    cotenant_unmap((uint64_t)ptr, found.value[1]);
  return error;
}

// cudaMalloc allocates device memory, a multiple of 256 bytes apart. Its contents are zero at first.
cudaError_t cudaMalloc(void **ptr, size_t size) { return cotenant_allocate(ptr, size, 256, COTENANT_DEVICE_MEMORY); }

// cudaFree waits for the device and frees what cudaMalloc and its kin have allocated.
cudaError_t cudaFree(void *ptr) { return release(ptr, 0); }

// cudaMallocPitch allocates rows that each start at a multiple of 512 bytes.
cudaError_t cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  if (width > SIZE_MAX - 511 || (height > 0 && *pitch > SIZE_MAX / height))
    return cotenant_note(cudaErrorMemoryAllocation);
  return cotenant_allocate(ptr, *pitch * height, 512, COTENANT_DEVICE_MEMORY);
}

// cudaMalloc3D is cudaMallocPitch for planes of rows.
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent) {
  p->xsize = extent.width;
  p->ysize = extent.height;
  if (extent.depth > 0 && extent.height > SIZE_MAX / extent.depth)
    return cotenant_note(cudaErrorMemoryAllocation);
  return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

// cudaMallocManaged allocates memory that host and device reach at the same address.
cudaError_t cudaMallocManaged(void **ptr, size_t size, unsigned int flags) {
  (void)flags;
  if (size == 0)
    return cotenant_note(cudaErrorInvalidValue);
  return cotenant_allocate(ptr, size, 4096, COTENANT_MANAGED_MEMORY);
}

// cudaHostAlloc and cudaMallocHost allocate pinned memory of the host. Asynchronous copies of it
// overlap, and kernels reach it at the same address.
cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned int flags) {
  (void)flags;
  return cotenant_allocate(ptr, size, 4096, COTENANT_HOST_MEMORY);
}

cudaError_t cudaMallocHost(void **ptr, size_t size) { return cudaHostAlloc(ptr, size, 0); }

cudaError_t cudaFreeHost(void *ptr) { return release(ptr, 1); }

// A pool of memory is its attributes and what is allocated from it: memory is never kept back.
struct CUmemPoolHandle_st {
  uint64_t values[9]; // by enum cudaMemPoolAttr
};
static struct CUmemPoolHandle_st default_pool;
static cudaMemPool_t present = &default_pool;

// What has been allocated in streams, so that a free finds the pool.
static struct pooled {
  void *ptr;
  size_t bytes;
  cudaMemPool_t pool;
} *pooled;
static size_t pooled_count;

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  *pool = &default_pool;
  return cotenant_note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  *pool = present;
  return cotenant_note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device != 0 || pool == NULL)
    return cotenant_note(device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  present = pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
  if (props->handleTypes != cudaMemHandleTypeNone)
    return cotenant_unsupported("cudaMemPoolCreate for other processes");
  *pool = calloc(1, sizeof **pool);
  return *pool != NULL ? cudaSuccess : cotenant_note(cudaErrorMemoryAllocation);
}

// The device can always reach a pool, and there is no other.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count) {
  (void)pool;
  for (size_t i = 0; i < count; i++)
    if (list[i].location.id != 0)
      return cotenant_note(cudaErrorInvalidDevice);
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location) {
  (void)pool;
  *flags = location->id == 0 ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  if (pool == NULL || pool == &default_pool)
    return cotenant_note(cudaErrorInvalidValue);
  if (present == pool)
    present = &default_pool;
  for (size_t i = 0; i < pooled_count; i++)
    if (pooled[i].pool == pool)
      pooled[i].pool = &default_pool;
  free(pool);
  return cudaSuccess;
}

// wide reports whether an attribute is of 64 bits; the others are ints.
static int wide(enum cudaMemPoolAttr attr) { return attr >= cudaMemPoolAttrReleaseThreshold; }

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
  if (pool == NULL || attr < cudaMemPoolReuseFollowEventDependencies || attr > cudaMemPoolAttrUsedMemHigh)
    return cotenant_note(cudaErrorInvalidValue);
  pool->values[attr] = wide(attr) ? *(uint64_t *)value : (uint64_t) * (int *)value;
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value) {
  if (pool == NULL || attr < cudaMemPoolReuseFollowEventDependencies || attr > cudaMemPoolAttrUsedMemHigh)
    return cotenant_note(cudaErrorInvalidValue);
  if (wide(attr))
    *(uint64_t *)value = pool->values[attr];
  else
    *(int *)value = (int)pool->values[attr];
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) {
  (void)bytes;
  return cotenant_note(pool != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

// account adds to what a pool has given out.
static void account(cudaMemPool_t pool, uint64_t bytes) {
  uint64_t *v = pool->values, used = v[cudaMemPoolAttrUsedMemCurrent] += bytes;
  v[cudaMemPoolAttrReservedMemCurrent] = used;
  if (used > v[cudaMemPoolAttrUsedMemHigh])
    v[cudaMemPoolAttrUsedMemHigh] = v[cudaMemPoolAttrReservedMemHigh] = used;
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  if (cotenant_capturing(stream))
    return cotenant_unsupported("an allocation in a captured stream");
  cudaError_t error = cudaMalloc(ptr, size);
  if (error != cudaSuccess || *ptr == NULL)
    return error;
  struct pooled *list = realloc(pooled, (pooled_count + 1) * sizeof *pooled), entry = {*ptr, size, pool};
  if (list == NULL)
    return cotenant_note(cudaErrorMemoryAllocation);
  pooled = list;
  pooled[pooled_count++] = entry;
  account(pool, size);
  return cudaSuccess;
}

// cudaMallocAsync and cudaFreeAsync order allocation with a stream; here it happens at once, and a free
// waits for the stream.
cudaError_t cudaMallocAsync(void **ptr, size_t size, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(ptr, size, present, stream);
}

cudaError_t cudaFreeAsync(void *ptr, cudaStream_t stream) {
  cudaError_t error = cudaStreamSynchronize(stream);
  if (error != cudaSuccess || (error = cudaFree(ptr)) != cudaSuccess)
    return error;
  for (size_t i = 0; i < pooled_count; i++)
    if (pooled[i].ptr == ptr) {
      account(pooled[i].pool, -(uint64_t)pooled[i].bytes);
      pooled[i] = pooled[--pooled_count];
      break;
    }
  return cudaSuccess;
}

// cudaMemGetInfo tells how much device memory is free, and how much there is.
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  struct cotenant_request request = REQUEST(COTENANT_MEMORY_INFO, 0);
  struct cotenant_reply reply;
  cudaError_t error = cotenant_ask(&request, &reply);
  *free = reply.value[0];
  *total = reply.value[1];
  return error;
}

// cudaPointerGetAttributes tells what memory an address is of.
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *ptr) {
  struct cotenant_reply found;
  memset(a, 0, sizeof *a);
  void *device = cotenant_registered(ptr);
  if (device != NULL) {
    *a = (struct cudaPointerAttributes){.type = cudaMemoryTypeHost, .devicePointer = device, .hostPointer = (void *)ptr};
    return cudaSuccess;
  }
  cudaError_t before = cudaPeekAtLastError();
  if (cotenant_find(ptr, &found) != cudaSuccess) { // it is memory of the host that CUDA does not know
    if (before == cudaSuccess)
      cudaGetLastError();
    a->hostPointer = (void *)ptr;
    return cudaSuccess;
  }
  a->type = found.value[2] == COTENANT_HOST_MEMORY      ? cudaMemoryTypeHost
            : found.value[2] == COTENANT_MANAGED_MEMORY ? cudaMemoryTypeManaged
                                                        : cudaMemoryTypeDevice;
  a->devicePointer = (void *)ptr;
  if (a->type != cudaMemoryTypeDevice)
    a->hostPointer = (void *)ptr;
  return cudaSuccess;
}

// cudaMemAdvise and cudaMemPrefetchAsync are hints: managed memory is the device's already.
cudaError_t cudaMemAdvise(const void *ptr, size_t count, enum cudaMemoryAdvise advice, int device) {
  (void)ptr, (void)count, (void)advice, (void)device;
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void *ptr, size_t count, int device, cudaStream_t stream) {
  (void)ptr, (void)count, (void)device, (void)stream;
  return cudaSuccess;
}
