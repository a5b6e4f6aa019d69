// Textures, and the arrays of texels that they read.
#include <stdlib.h>

#include "array.h"


const char *cotenant_reference(const void *host, uint64_t *module);


// cudaCreateChannelDesc says how many bits the channels of a texel have.
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
  struct cudaChannelFormatDesc desc = {x, y, z, w, f};
  return desc;
}

// cudaMemcpy2DToArray copies rows to a place of an array, x in bytes.
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind) {
  return cotenant_copy((char *)dst->data + y * dst->pitch + x, dst->pitch, src, spitch, width, height, kind, 0, 0);
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind) {
  return cotenant_copy(dst, dpitch, (const char *)src->data + y * src->pitch + x, src->pitch, width, height, kind, 0,
                       0);
}

// cudaMemcpyToArray copies bytes that continue in the array's next row.
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                              enum cudaMemcpyKind kind) {
  size_t row = dst->width * cotenant_texel(&dst->desc);
  const char *from = src;
  while (count > 0) {
    size_t n = row - x < count ? row - x : count, whole = x == 0 && n == row ? count / row : 1;
    cudaError_t error = cudaMemcpy2DToArray(dst, x, y, from, n, n, whole, kind);
    if (error != cudaSuccess)
      return error;
    from += n * whole;
    count -= n * whole;
    y += whole;
    x = 0;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind) {
  size_t row = src->width * cotenant_texel(&src->desc);
  char *to = dst;
  while (count > 0) {
    size_t n = row - x < count ? row - x : count, whole = x == 0 && n == row ? count / row : 1;
    cudaError_t error = cudaMemcpy2DFromArray(to, n, src, x, y, n, whole, kind);
    if (error != cudaSuccess)
      return error;
    to += n * whole;
    count -= n * whole;
    y += whole;
    x = 0;
  }
  return cudaSuccess;
}

// texture describes memory for the simulator.
static struct cotenant_texture texture(const void *data, size_t width, size_t height, size_t pitch,
                                       const struct cudaChannelFormatDesc *d) {
  struct cotenant_texture t;
  memset(&t, 0, sizeof t);
  t.address = (uint64_t)data;
  t.width = width;
  t.height = height;
  t.pitch = pitch;
  t.depth = 1;
  t.channels = (uint64_t)((d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0));
  t.bits = (uint64_t)d->x;
  t.format = d->f;
  return t;
}

static struct cotenant_texture of_array(const struct cudaArray *a, const struct cudaChannelFormatDesc *d) {
  struct cotenant_texture t = texture(a->data, a->width, a->height, a->pitch, d);
  t.depth = a->depth;
  t.plane = a->pitch * a->height;
  return t;
}

// cudaCreateTextureObject makes a handle by which kernels read memory as a texture.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *how, const void *view) {
  struct cotenant_texture t;
  (void)view;
  switch (r->resType) {
  case cudaResourceTypeArray: {
    const struct cudaArray *a = r->res.array.array;
    t = of_array(a, &a->desc);
    break;
  }
  case cudaResourceTypeLinear: {
    size_t texel = cotenant_texel(&r->res.linear.desc);
    if (texel == 0)
      return cotenant_note(cudaErrorInvalidChannelDescriptor);
    t = texture(r->res.linear.devPtr, r->res.linear.sizeInBytes / texel, 1, 0, &r->res.linear.desc);
    break;
  }
  case cudaResourceTypePitch2D:
    t = texture(r->res.pitch2D.devPtr, r->res.pitch2D.width, r->res.pitch2D.height, r->res.pitch2D.pitchInBytes,
                &r->res.pitch2D.desc);
    break;
  default:
    return cotenant_unsupported("cudaCreateTextureObject of mipmapped arrays");
  }
  t.address_mode = how->addressMode[0];
  t.linear = how->filterMode == cudaFilterModeLinear;
  t.normalized = how->normalizedCoords != 0;
  t.as_float = how->readMode == cudaReadModeNormalizedFloat;
  struct cotenant_request request = REQUEST(COTENANT_TEXTURE_CREATE, 0);
  struct cotenant_reply reply;
  cudaError_t error = cotenant_call(&request, &t, sizeof t, &reply, NULL, 0);
  if (error == cudaSuccess)
    *object = reply.value[0];
  return error;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  struct cotenant_request request = REQUEST(COTENANT_TEXTURE_DESTROY, object);
  return cotenant_ask(&request, NULL);
}

// bind lets a texture reference read memory.
static cudaError_t bind(const struct textureReference *r, struct cotenant_texture t) {
  struct {
    struct cotenant_texture t;
    char name[256];
  } message;
  const char *name = cotenant_reference(r, &t.module);
  if (name == NULL || strlen(name) >= sizeof message.name)
    return cotenant_note(cudaErrorInvalidTexture);
  t.address_mode = r->addressMode[0];
  t.linear = r->filterMode == cudaFilterModeLinear;
  t.normalized = r->normalized != 0;
  message.t = t;
  strcpy(message.name, name);
  struct cotenant_request request = REQUEST(COTENANT_TEXTURE_BIND, 0);
  return cotenant_call(&request, &message, sizeof t + strlen(name), NULL, NULL, 0);
}

// cudaBindTexture binds linear memory. The address is aligned, so the offset is 0.
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *r, const void *ptr,
                            const struct cudaChannelFormatDesc *desc, size_t size) {
  size_t texel = cotenant_texel(desc);
  if (texel == 0)
    return cotenant_note(cudaErrorInvalidChannelDescriptor);
  // By default the size is all that there is.
  struct cotenant_request request = REQUEST(COTENANT_FIND, (uint64_t)ptr);
  struct cotenant_reply found;
  cudaError_t error = cotenant_ask(&request, &found);
  if (error != cudaSuccess)
    return error;
  size_t most = found.value[0] + found.value[1] - (uint64_t)ptr;
  if (size > most)
    size = most;
  if (offset != NULL)
    *offset = 0;
  return bind(r, texture(ptr, size / texel, 1, 0, desc));
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *r, const void *ptr,
                              const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch) {
  if (offset != NULL)
    *offset = 0;
  return bind(r, texture(ptr, width, height, pitch, desc));
}

cudaError_t cudaBindTextureToArray(const struct textureReference *r, cudaArray_const_t a,
                                   const struct cudaChannelFormatDesc *desc) {
  return bind(r, of_array(a, desc));
}

cudaError_t cudaUnbindTexture(const struct textureReference *r) {
  (void)r;
  return cudaSuccess;
}
