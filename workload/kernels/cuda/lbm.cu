// One time step of the lattice-Boltzmann method: D3Q19, single relaxation time,
// a cavity whose lid moves.
//
// The 19 distributions lie one after another (structure of arrays), rows are
// padded to 128 cells, and one plane of cells lies before and behind the
// domain, so that every cell has its neighbours in memory. A cell pulls the
// distributions that stream into it, collides and writes its own.
#include "cotenant.h"

enum { pitch = 128, fluid = 0, wall = 1, lid = 2 };

INLINE float weigh(float weight, float density, float along, float squared) {
  return weight * density * (1 + 3 * along + 4.5f * along * along - squared);
}

// One TB for each row (y = blockIdx.x, z = blockIdx.y), one thread for each
// cell. cells is the distance between distributions, in elements. from, to and
// kind point to the domain's first cell.
extern "C" __global__ void StreamCollide(const float *from, float *to,
                                         const int *kind, int cells, float omega) {
  int row = pitch, plane = pitch * gridDim.x;
  int at = threadIdx.x + row * blockIdx.x + plane * blockIdx.y;

// F(name, index, dx, dy, dz, opposite, weight) for each direction.
#define DIRECTIONS(F)                                                          \
  F(c, 0, 0, 0, 0, 0, 1.f / 3)                                                 \
  F(n, 1, 0, 1, 0, 2, 1.f / 18)                                                \
  F(s, 2, 0, -1, 0, 1, 1.f / 18)                                               \
  F(e, 3, 1, 0, 0, 4, 1.f / 18)                                                \
  F(w, 4, -1, 0, 0, 3, 1.f / 18)                                               \
  F(t, 5, 0, 0, 1, 6, 1.f / 18)                                                \
  F(b, 6, 0, 0, -1, 5, 1.f / 18)                                               \
  F(ne, 7, 1, 1, 0, 10, 1.f / 36)                                              \
  F(nw, 8, -1, 1, 0, 9, 1.f / 36)                                              \
  F(se, 9, 1, -1, 0, 8, 1.f / 36)                                              \
  F(sw, 10, -1, -1, 0, 7, 1.f / 36)                                            \
  F(nt, 11, 0, 1, 1, 14, 1.f / 36)                                             \
  F(nb, 12, 0, 1, -1, 13, 1.f / 36)                                            \
  F(st, 13, 0, -1, 1, 12, 1.f / 36)                                            \
  F(sb, 14, 0, -1, -1, 11, 1.f / 36)                                           \
  F(et, 15, 1, 0, 1, 18, 1.f / 36)                                             \
  F(eb, 16, 1, 0, -1, 17, 1.f / 36)                                            \
  F(wt, 17, -1, 0, 1, 16, 1.f / 36)                                            \
  F(wb, 18, -1, 0, -1, 15, 1.f / 36)

#define PULL(name, index, dx, dy, dz, opposite, weight)                        \
  float name = from[index * cells + at - (dx) - (dy)*row - (dz)*plane];
  DIRECTIONS(PULL)

  int what = kind[at];
  if (what == wall) {
#define BOUNCE(name, index, dx, dy, dz, opposite, weight) to[opposite * cells + at] = name;
    DIRECTIONS(BOUNCE)
    return;
  }

  float density = c + n + s + e + w + t + b + ne + nw + se + sw + nt + nb + st + sb + et + eb + wt + wb;
  float vx = 0.005f, vy = 0.002f, vz = 0;
  if (what != lid) {
    float inverse = 1 / density;
    vx = (e - w + ne - nw + se - sw + et + eb - wt - wb) * inverse;
    vy = (n - s + ne + nw - se - sw + nt + nb - st - sb) * inverse;
    vz = (t - b + nt - nb + st - sb + et - eb + wt - wb) * inverse;
  }
  float squared = 1.5f * (vx * vx + vy * vy + vz * vz);

#define COLLIDE(name, index, dx, dy, dz, opposite, weight)                     \
  to[index * cells + at] =                                                     \
      (1 - omega) * name + omega * weigh(weight, density, (dx)*vx + (dy)*vy + (dz)*vz, squared);
  DIRECTIONS(COLLIDE)
}
