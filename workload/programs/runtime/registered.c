// Memory of the program that cudaHostRegister maps for the device. Its pages become pages of the device's memory,
// with the same bytes at the same addresses of the host, and the device has them at an address of its own.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime.h"

static struct range {
  char *asked; // as the program has registered it, and so many bytes
  size_t size;
  char *host;   // its first page
  char *device; // which the device has here, and the host too
  size_t bytes; // of pages
} *ranges;
static size_t count;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

// overlapping is a range that has some of the pages' bytes, or NULL.
static struct range *overlapping(const char *host, size_t bytes) {
  for (size_t i = 0; i < count; i++)
    if (host < ranges[i].host + ranges[i].bytes && ranges[i].host < host + bytes)
      return &ranges[i];
  return NULL;
}

// holding is the range that the program has registered with an address, or NULL.
static struct range *holding(const char *host) {
  struct range *r = overlapping(host, 1);
  return r != NULL && host >= r->asked && host < r->asked + r->size ? r : NULL;
}

void *cotenant_registered(const void *host) {
  pthread_mutex_lock(&turn);
  struct range *r = holding(host);
  void *device = r == NULL ? NULL : r->device + ((const char *)host - r->host);
  pthread_mutex_unlock(&turn);
  return device;
}

// add maps a range of which no page is mapped.
static cudaError_t add(struct range r) {
  struct range *more = realloc(ranges, (count + 1) * sizeof *more);
  if (more == NULL)
    return cudaErrorMemoryAllocation;
  ranges = more;
  void *device;
  cudaError_t error = cotenant_allocate(&device, r.bytes, 4096, COTENANT_HOST_MEMORY);
  if (error != cudaSuccess)
    return error;
  memcpy(device, r.host, r.bytes);
  if ((error = cotenant_show(r.host, (uint64_t)device, r.bytes)) != cudaSuccess) {
    cudaFreeHost(device);
    return error;
  }
  r.device = device;
  ranges[count++] = r;
  return cudaSuccess;
}

// drop gives the program pages of its own for a range again. The device has nothing to do.
static cudaError_t drop(struct range *at) {
  struct range r = *at; // which may be in a page that goes
  if (mmap(r.host, r.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  memcpy(r.host, r.device, r.bytes);
  memmove(at, at + 1, (size_t)(ranges + --count - at) * sizeof *at);
  return cudaFreeHost(r.device);
}

// cudaHostRegister pins memory that the program has already, and with cudaHostRegisterMapped maps it. Copies of it stay
// pageable ones, which give the same results and wait. No other thread may write to the memory's pages meanwhile, and two
// ranges have no page in common.
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags) {
  if (ptr == NULL || size == 0 || size > SIZE_MAX / 2)
    return cotenant_note(cudaErrorInvalidValue);
  if ((flags & cudaHostRegisterMapped) == 0)
    return cudaSuccess;
  char *host = (char *)((uintptr_t)ptr & ~(uintptr_t)4095);
  size_t bytes = ((char *)ptr + size - host + 4095) & ~(size_t)4095;
  const char *here = __builtin_frame_address(0); // what is called meanwhile has its variables below
  if (host < here + 4096 && here - 16384 < host + bytes)
    return cotenant_unsupported("cudaHostRegister with cudaHostRegisterMapped of the stack");
  pthread_mutex_lock(&turn);
  cudaError_t error = overlapping(host, bytes) != NULL ? cudaErrorHostMemoryAlreadyRegistered
                                                       : add((struct range){.asked = ptr, .size = size, .host = host, .bytes = bytes});
  pthread_mutex_unlock(&turn);
  return cotenant_note(error);
}

// cudaHostUnregister gives the program pages of its own again, if the memory was mapped.
cudaError_t cudaHostUnregister(void *ptr) {
  if (ptr == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  cudaError_t error = cudaSuccess;
  if (cotenant_registered(ptr) != NULL && (error = cudaDeviceSynchronize()) != cudaSuccess)
    return error;
  pthread_mutex_lock(&turn);
  struct range *r = holding(ptr);
  if (r != NULL)
    error = r->asked == ptr ? drop(r) : cudaErrorHostMemoryNotRegistered;
  pthread_mutex_unlock(&turn);
  return cotenant_note(error);
}

void cotenant_unregister_all(void) {
  pthread_mutex_lock(&turn);
  int any = count > 0;
  pthread_mutex_unlock(&turn);
  if (any)
    cudaDeviceSynchronize(); // an error does not matter: the memory goes
  pthread_mutex_lock(&turn);
  for (size_t i = count; i-- > 0;)
    drop(&ranges[i]);
  pthread_mutex_unlock(&turn);
}

// cudaHostGetDevicePointer gives the device's address of memory of the host: that of pinned memory is the host's.
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags) {
  struct cotenant_reply found;
  (void)flags;
  if ((*device = cotenant_registered(host)) != NULL)
    return cudaSuccess;
  if (cotenant_find(host, &found) != cudaSuccess || found.value[2] == COTENANT_DEVICE_MEMORY)
    return cotenant_note(cudaErrorInvalidValue);
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host) {
  void *device;
  *flags = cudaHostAllocMapped;
  return cudaHostGetDevicePointer(&device, host, 0);
}
