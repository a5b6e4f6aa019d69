// Arrays of texels, their copies, and surfaces.
#include <stdlib.h>

#include "array.h"
#include "surface_types.h"

size_t cotenant_texel(const struct cudaChannelFormatDesc *d) { return (size_t)(d->x + d->y + d->z + d->w) / 8; }

// cudaMalloc3DArray allocates an array of one, two or three dimensions; with cudaArrayLayered the depth is
// the number of layers, and with cudaArrayCubemap of six faces.
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                              unsigned int flags) {
  if (flags & cudaArrayTextureGather)
    return cotenant_unsupported("cudaMalloc3DArray for gathering");
  if ((flags & cudaArrayCubemap) && (flags & cudaArrayLayered))
    return cotenant_unsupported("cudaMalloc3DArray of layers of cube maps");
  if ((flags & cudaArrayCubemap) && (extent.depth != 6 || extent.width != extent.height))
    return cotenant_note(cudaErrorInvalidValue);
  if (extent.width == 0 || cotenant_texel(desc) == 0 || ((flags & cudaArrayLayered) && extent.depth == 0))
    return cotenant_note(cudaErrorInvalidValue);
  struct cudaArray *a = calloc(1, sizeof *a);
  if (a == NULL)
    return cotenant_note(cudaErrorMemoryAllocation);
  a->width = extent.width;
  a->height = extent.height > 0 ? extent.height : 1;
  a->depth = extent.depth > 0 ? extent.depth : 1;
  a->extent = extent;
  a->flags = flags;
  a->desc = *desc;
  cudaError_t error =
      cudaMallocPitch(&a->data, &a->pitch, a->width * cotenant_texel(desc), a->height * a->depth);
  if (error != cudaSuccess) {
    free(a);
    return error;
  }
  *array = a;
  return cudaSuccess;
}

// cudaMallocArray allocates an array of one dimension, or of two if height is not 0.
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
                            unsigned int flags) {
  struct cudaExtent extent = {width, height, 0};
  return cudaMalloc3DArray(array, desc, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == NULL)
    return cudaSuccess;
  cudaError_t error = cudaFree(array->data);
  free(array);
  return error;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array) {
  if (array == NULL)
    return cotenant_note(cudaErrorInvalidResourceHandle);
  if (desc != NULL)
    *desc = array->desc;
  if (extent != NULL)
    *extent = array->extent;
  if (flags != NULL)
    *flags = array->flags;
  return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array) {
  return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)array);
}

// end is one end of a copy in three dimensions: a place in memory, and its pitches.
struct end {
  char *at;
  size_t pitch, plane;
};

static struct end end_of(const struct cudaArray *a, const struct cudaPitchedPtr *p, const struct cudaPos *pos) {
  struct end e;
  if (a != NULL) { // positions are in texels
    e.pitch = a->pitch;
    e.plane = a->pitch * a->height;
    e.at = (char *)a->data + pos->x * cotenant_texel(&a->desc);
  } else {
    e.pitch = p->pitch;
    e.plane = p->pitch * p->ysize;
    e.at = (char *)p->ptr + pos->x;
  }
  e.at += pos->z * e.plane + pos->y * e.pitch;
  return e;
}

static cudaError_t copy(const struct cudaMemcpy3DParms *p, cudaStream_t stream, int async) {
  struct end to = end_of(p->dstArray, &p->dstPtr, &p->dstPos), from = end_of(p->srcArray, &p->srcPtr, &p->srcPos);
  const struct cudaArray *a = p->dstArray != NULL ? p->dstArray : p->srcArray;
  size_t width = a != NULL ? p->extent.width * cotenant_texel(&a->desc) : p->extent.width; // texels, or bytes
  size_t height = p->extent.height > 0 || a == NULL ? p->extent.height : 1;
  size_t depth = p->extent.depth > 0 || a == NULL ? p->extent.depth : 1;
  for (size_t z = 0; z < depth; z++) {
    cudaError_t error = cotenant_copy(to.at + z * to.plane, to.pitch, from.at + z * from.plane, from.pitch, width,
                                      height, p->kind, stream, async);
    if (error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}

// cudaMemcpy3D copies planes of rows between memory and arrays.
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { return copy(p, 0, 0); }

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) { return copy(p, stream, 1); }

// cudaCreateSurfaceObject makes a handle by which kernels read and write an array: the address of a
// description in the device's memory, which the device's functions read.
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *r) {
  if (r->resType != cudaResourceTypeArray || r->res.array.array == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  const struct cudaArray *a = r->res.array.array;
  struct cotenant_surface s = {(unsigned long long)a->data, a->pitch, a->pitch * a->height,
                               (int)(a->width * cotenant_texel(&a->desc)), (int)a->height, (int)a->depth, 0};
  void *at;
  cudaError_t error = cudaMalloc(&at, sizeof s);
  if (error != cudaSuccess)
    return error;
  *object = (cudaSurfaceObject_t)at;
  return cudaMemcpy(at, &s, sizeof s, cudaMemcpyHostToDevice);
}

// cudaBindSurfaceToArray puts the handle of an array's surface into the device's variable that stands for a
// reference.
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *reference, cudaArray_const_t array,
                                   const struct cudaChannelFormatDesc *desc) {
  (void)desc; // the array knows
  uint64_t at, bytes;
  cudaSurfaceObject_t before, object;
  struct cudaResourceDesc r = {.resType = cudaResourceTypeArray, .res.array.array = (cudaArray_t)array};
  cudaError_t error = cotenant_symbol(reference, &at, &bytes);
  if (error == cudaSuccess)
    error = cudaMemcpy(&before, (void *)at, sizeof before, cudaMemcpyDeviceToHost);
  if (error == cudaSuccess)
    error = cudaCreateSurfaceObject(&object, &r);
  if (error == cudaSuccess)
    error = cudaMemcpy((void *)at, &object, sizeof object, cudaMemcpyHostToDevice);
  if (error == cudaSuccess && before != 0)
    error = cudaDestroySurfaceObject(before);
  return error;
}

cudaError_t cudaGetSurfaceReference(const struct surfaceReference **reference, const void *symbol) {
  *reference = symbol;
  return cudaSuccess;
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return cudaFree((void *)object); }
