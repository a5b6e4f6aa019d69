// Surface objects and references (programming guide: surface functions). An access is a load or a store of
// global memory at the array's place, behind loads of the description that the handle points to. The first
// coordinate is in bytes. The compiler makes a .surfref of a reference, which holds the handle.
#pragma once

#include "../cuda_runtime_api.h"
#include "../surface_types.h"
#include "define.h"

template <class T, int dimensions = cudaSurfaceType1D>
struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {};

template <class T, int d>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, d> &s, cudaArray_const_t array,
                                                 const struct cudaChannelFormatDesc &desc) {
  return cudaBindSurfaceToArray((const surfaceReference *)&s, array, &desc);
}
template <class T, int d>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, d> &s, cudaArray_const_t array) {
  return cudaBindSurfaceToArray((const surfaceReference *)&s, array, 0);
}

namespace __ct {
// On the device a reference is its address.
template <int d> __CT_FN cudaSurfaceObject_t object_of(surface<void, d> reference) {
  return **(const volatile cudaSurfaceObject_t **)&reference;
}

// element finds an element of a surface; NULL if it lies outside and shall be left alone.
static __inline__ __device__ char *element(cudaSurfaceObject_t object, int bytes, int x, int y, int z,
                                           cudaSurfaceBoundaryMode mode) {
  const cotenant_surface *s = (const cotenant_surface *)object;
  bool inside = x >= 0 && x + bytes <= s->width && y >= 0 && y < s->height && z >= 0 && z < s->depth;
  if (!inside && mode == cudaBoundaryModeTrap)
    __asm__ volatile("trap;");
  if (!inside && mode == cudaBoundaryModeZero)
    return 0;
  if (!inside) {
    x = x < 0 ? 0 : x + bytes > s->width ? s->width - bytes : x;
    y = y < 0 ? 0 : y >= s->height ? s->height - 1 : y;
    z = z < 0 ? 0 : z >= s->depth ? s->depth - 1 : z;
  }
  return (char *)s->data + z * s->plane + y * s->pitch + x;
}
} // namespace __ct

#define __CT_SURFACE(name, type, parameters, names, at)                                                         \
  template <class T>                                                                               \
  __CT_FN T name##read(cudaSurfaceObject_t object, __CT_UNPACK parameters,                         \
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                      \
    const char *p = __ct::element(object, sizeof(T), __CT_UNPACK at, mode);                        \
    T v = {};                                                                                      \
    if (p != 0)                                                                                    \
      v = *(const T *)p;                                                                           \
    return v;                                                                                      \
  }                                                                                                \
  template <class T>                                                                               \
  __CT_FN void name##read(T *to, cudaSurfaceObject_t object, __CT_UNPACK parameters,               \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                   \
    const char *p = __ct::element(object, sizeof(T), __CT_UNPACK at, mode);                        \
    T v = {};                                                                                      \
    *to = p != 0 ? *(const T *)p : v;                                                              \
  }                                                                                                \
  template <class T>                                                                               \
  __CT_FN void name##write(T v, cudaSurfaceObject_t object, __CT_UNPACK parameters,                \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    char *p = __ct::element(object, sizeof(T), __CT_UNPACK at, mode);                              \
    if (p != 0)                                                                                    \
      *(T *)p = v;                                                                                 \
  }                                                                                                \
  template <class T>                                                                               \
  __CT_FN T name##read(surface<void, type> reference, __CT_UNPACK parameters,                      \
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                      \
    T v;                                                                                           \
    name##read(&v, __ct::object_of(reference), __CT_UNPACK names, mode);                           \
    return v;                                                                                      \
  }                                                                                                \
  template <class T>                                                                               \
  __CT_FN void name##read(T *to, surface<void, type> reference, __CT_UNPACK parameters,            \
                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                   \
    name##read(to, __ct::object_of(reference), __CT_UNPACK names, mode);                           \
  }                                                                                                \
  template <class T>                                                                               \
  __CT_FN void name##write(T v, surface<void, type> reference, __CT_UNPACK parameters,             \
                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                  \
    name##write(v, __ct::object_of(reference), __CT_UNPACK names, mode);                           \
  }
#define __CT_UNPACK(...) __VA_ARGS__
__CT_SURFACE(surf1D, cudaSurfaceType1D, (int x), (x), (x, 0, 0))
__CT_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), (x, y), (x, y, 0))
__CT_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), (x, y, z), (x, y, z))
__CT_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), (x, layer), (x, 0, layer))
__CT_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), (x, y, layer), (x, y, layer))
#undef __CT_SURFACE
#undef __CT_UNPACK
