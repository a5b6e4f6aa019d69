// Points sorted into the cells of a grid, as lists in memory that the kernel
// allocates.
#include "heap.h"

struct Point { float x, y, z; };

struct __attribute__((aligned(16))) Element {
  Element *next;
  unsigned point, cell;
};

INLINE unsigned along(float x, int side) { return max(0, min(side - 1, (int)(x * side))); }

INLINE Element *atomicExch(Element **p, Element *v) {
  return (Element *)__nvvm_atom_xchg_gen_ll((long long *)p, (long long)v);
}

// A thread for each point, of coordinates from 0 to 1, which it puts before the list
// of its cell. A point that the heap has no room for is counted. Block 128.
extern "C" __global__ void sort_points(const Point *__restrict__ points, unsigned count, int side, Element **cells, unsigned *lost) {
  unsigned point = blockIdx.x * 128 + threadIdx.x;
  if (point >= count) return;
  Point at = points[point];
  unsigned cell = (along(at.z, side) * side + along(at.y, side)) * side + along(at.x, side);
  Element *element = (Element *)allocate<sizeof(Element)>();
  if (element == nullptr) {
    atomicAdd(lost, 1u);
    return;
  }
  element->next = atomicExch(&cells[cell], element);
  element->point = point;
  element->cell = cell;
}
