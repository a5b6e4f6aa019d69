// malloc and free of kernels that do not have an allocator of their own.
#include "heap.h"

#define PROVIDED extern "C" __attribute__((device, used, noinline))

PROVIDED void *malloc(unsigned long bytes) { return allocate(bytes); }
PROVIDED void free(void *chunk) { deallocate((char *)chunk); }
