// Surface objects (programming guide: surface functions). An access is a load or a store of global memory
// at the array's place, behind loads of the description that the handle points to. The first coordinate is
// in bytes.
#pragma once

#include "../surface_types.h"
#include "define.h"

namespace __ct {
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

#define __CT_SURFACE(name, parameters, at)                                                         \
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
  }
#define __CT_UNPACK(...) __VA_ARGS__
__CT_SURFACE(surf1D, (int x), (x, 0, 0))
__CT_SURFACE(surf2D, (int x, int y), (x, y, 0))
__CT_SURFACE(surf3D, (int x, int y, int z), (x, y, z))
__CT_SURFACE(surf1DLayered, (int x, int layer), (x, 0, layer))
__CT_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer))
#undef __CT_SURFACE
#undef __CT_UNPACK
