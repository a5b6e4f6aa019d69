// Copies and fills. The simulator says when a copy may happen: after what comes before it in its
// stream, and after its time on the bus. Pageable memory of the host is then read or written here.
#include "graph.h"

// rows copies the bytes of rows, which may overlap.
static void rows(char *dst, size_t dpitch, const char *src, size_t spitch, size_t width, size_t height) {
  if (dpitch == width && spitch == width) {
    memmove(dst, src, width * height);
    return;
  }
  for (size_t i = 0; i < height; i++)
    memmove(dst + i * dpitch, src + i * spitch, width);
}

cudaError_t cotenant_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                          enum cudaMemcpyKind kind, cudaStream_t stream, int async) {
  if (width == 0 || height == 0)
    return cudaSuccess;
  if (dst == NULL || src == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  if ((unsigned)kind > cudaMemcpyDefault)
    return cotenant_note(cudaErrorInvalidMemcpyDirection);
  if (dpitch < width || spitch < width || (height > 1 && (dpitch > INT32_MAX || spitch > INT32_MAX)))
    return cotenant_note(cudaErrorInvalidPitchValue);
  struct CUgraphNode_st *node = cotenant_captured(stream, cudaGraphNodeTypeMemcpy);
  if (node != NULL) {
    struct cudaMemcpy3DParms whole = {.dstPtr = {dst, dpitch, width, height}, .srcPtr = {(void *)src, spitch, width, height},
                                      .extent = {width, height, 1}, .kind = kind};
    node->copy = whole;
    return cudaSuccess;
  }
  cotenant_modules();
  size_t dspan = dpitch * (height - 1) + width, sspan = spitch * (height - 1) + width;
  // What the simulator can reach: the device's memory, pinned and managed memory.
  char *to = cotenant_memory(dst, dspan);
  const char *from = cotenant_memory(src, sspan);
  if ((kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) && to == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  if ((kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) && from == NULL)
    return cotenant_note(cudaErrorInvalidValue);
  uint64_t flags = 0;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost || (kind == cudaMemcpyDefault && from == NULL))
    flags |= COTENANT_FROM_HOST;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost || (kind == cudaMemcpyDefault && to == NULL))
    flags |= COTENANT_TO_HOST;
  int moves = to != NULL && from != NULL;
  if (moves)
    flags |= COTENANT_MOVES;
  // A copy within the device does not keep the host waiting, nor does one of pinned memory if it is
  // asynchronous.
  int waits = !moves || (!async && flags != COTENANT_MOVES);
  if (waits)
    flags |= COTENANT_WAITS;
  struct cotenant_request request = REQUEST(COTENANT_COPY, to != NULL ? (uint64_t)dst : 0, dpitch,
                                            from != NULL ? (uint64_t)src : 0, spitch, width, height,
                                            cotenant_stream(stream), flags);
  cudaError_t error = cotenant_ask(&request, NULL);
  if (error == cudaSuccess && !moves)
    rows(to != NULL ? to : dst, dpitch, from != NULL ? from : src, spitch, width, height);
  return error;
}

// cudaMemcpy copies and waits; within the device it does not wait.
cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind) {
  return cotenant_copy(dst, count, src, count, count, 1, kind, 0, 0);
}

// cudaMemcpyAsync copies in a stream. Of pageable memory it waits for the copy.
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return cotenant_copy(dst, count, src, count, count, 1, kind, stream, 1);
}

// cudaMemcpy2D copies height rows of width bytes, each a pitch behind the one before.
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
  return cotenant_copy(dst, dpitch, src, spitch, width, height, kind, 0, 0);
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
  return cotenant_copy(dst, dpitch, src, spitch, width, height, kind, stream, 1);
}

// cudaMemcpyPeer copies between devices; there is one.
cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                                cudaStream_t stream) {
  if (dstDevice != 0 || srcDevice != 0)
    return cotenant_note(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count) {
  return cudaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, count, 0);
}

// within gives the address of bytes of a variable.
static cudaError_t within(const void *symbol, size_t offset, size_t count, void **address) {
  uint64_t at, bytes;
  cudaError_t error = cotenant_symbol(symbol, &at, &bytes);
  if (error != cudaSuccess)
    return error;
  if (offset > bytes || count > bytes - offset)
    return cotenant_note(cudaErrorInvalidValue);
  *address = (void *)(at + offset);
  return cudaSuccess;
}

// cudaMemcpyToSymbol copies to a variable of the device, from an offset on.
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
  void *to;
  cudaError_t error = within(symbol, offset, count, &to);
  return error != cudaSuccess ? error : cudaMemcpyAsync(to, src, count, kind, stream);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
  void *to;
  cudaError_t error = within(symbol, offset, count, &to);
  return error != cudaSuccess ? error : cudaMemcpy(to, src, count, kind);
}

// cudaMemcpyFromSymbol copies from a variable of the device, from an offset on.
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
  void *from;
  cudaError_t error = within(symbol, offset, count, &from);
  return error != cudaSuccess ? error : cudaMemcpyAsync(dst, from, count, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind) {
  void *from;
  cudaError_t error = within(symbol, offset, count, &from);
  return error != cudaSuccess ? error : cudaMemcpy(dst, from, count, kind);
}

// cudaGetSymbolAddress gives the device's address of a variable, cudaGetSymbolSize its bytes.
cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol) { return within(symbol, 0, 0, ptr); }

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  uint64_t address, bytes;
  cudaError_t error = cotenant_symbol(symbol, &address, &bytes);
  if (error == cudaSuccess)
    *size = bytes;
  return error;
}

cudaError_t cotenant_fill(void *to, size_t pitch, unsigned int value, size_t element, size_t width, size_t height,
                          cudaStream_t stream) {
  struct CUgraphNode_st *node = cotenant_captured(stream, cudaGraphNodeTypeMemset);
  if (node != NULL) {
    struct cudaMemsetParams all = {to, pitch, value, (unsigned)element, width, height};
    node->fill = all;
    return cudaSuccess;
  }
  width *= element;
  struct cotenant_request request = REQUEST(COTENANT_FILL, (uint64_t)to, height > 1 ? pitch : width, value, width, height,
                                            cotenant_stream(stream), element);
  return cotenant_ask(&request, NULL);
}

static cudaError_t fill(void *ptr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  if (width == 0 || height == 0)
    return cudaSuccess;
  if (pitch < width)
    return cotenant_note(cudaErrorInvalidPitchValue);
  return cotenant_fill(ptr, pitch, (unsigned)value & 255, 1, width, height, stream);
}

// cudaMemset and its kin set bytes in a stream and do not wait.
cudaError_t cudaMemset(void *ptr, int value, size_t count) { return fill(ptr, count, value, count, 1, 0); }

cudaError_t cudaMemsetAsync(void *ptr, int value, size_t count, cudaStream_t stream) {
  return fill(ptr, count, value, count, 1, stream);
}

cudaError_t cudaMemset2D(void *ptr, size_t pitch, int value, size_t width, size_t height) {
  return fill(ptr, pitch, value, width, height, 0);
}

cudaError_t cudaMemset2DAsync(void *ptr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
  return fill(ptr, pitch, value, width, height, stream);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e) {
  for (size_t z = 0; z < e.depth; z++) {
    cudaError_t error = fill((char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, e.width, e.height, 0);
    if (error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}
