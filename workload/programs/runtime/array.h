// Arrays: what array.c and texture.c share.
#ifndef COTENANT_ARRAY_H
#define COTENANT_ARRAY_H

#include "runtime.h"

// An array is device memory with a channel descriptor: depth planes of height rows, a pitch apart. A plane
// is one of a third dimension or a layer.
struct cudaArray {
  void *data;
  size_t width, height, depth, pitch; // texels, rows, planes, bytes
  struct cudaExtent extent;           // as asked for
  unsigned int flags;
  struct cudaChannelFormatDesc desc;
};

// cotenant_texel is the size of a texel in bytes.
size_t cotenant_texel(const struct cudaChannelFormatDesc *desc);

#endif
