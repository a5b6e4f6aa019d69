// The Euler equations of a gas on a mesh without structure: the fluxes through the
// four faces of each cell.
#include "cotenant.h"

enum { variables = 5, faces = 4, density = 0, momentum = 1, energy = 4, wall = -1 };

// The far field: its variables, and its fluxes of momentum and energy in each
// direction.
struct far_field {
  float variables[5], momentum[9], energy[3];
};
__constant__ struct far_field far;

// The state of a cell, and what follows from it.
struct state {
  float density, momentum[3], energy, velocity[3], pressure, speed, sound;
};

INLINE float root(float x) { return __nvvm_sqrt_rn_f(x); }

// Reads the variables of a cell, n apart.
INLINE state state_of(const float *all, int cell, int n) {
  const float gamma = 1.4f;
  state s;
  s.density = all[density * n + cell];
  s.energy = all[energy * n + cell];
  float square = 0;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    s.momentum[i] = all[(momentum + i) * n + cell];
    s.velocity[i] = s.momentum[i] / s.density;
    square += s.velocity[i] * s.velocity[i];
  }
  s.speed = root(square);
  s.pressure = (gamma - 1) * (s.energy - 0.5f * s.density * square);
  s.sound = root(gamma * s.pressure / s.density);
  return s;
}

// Fluxes through a face with a normal, half of it from each side.
INLINE float along(const float *normal, const float *flux) {
  return normal[0] * flux[0] + normal[1] * flux[1] + normal[2] * flux[2];
}

// Flux of momentum i in the direction of the normal.
INLINE float momentum_along(const state &s, const float *normal, int i) {
  return s.momentum[i] * along(normal, s.velocity) + normal[i] * s.pressure;
}

INLINE float energy_along(const state &s, const float *normal) {
  return along(normal, s.velocity) * (s.energy + s.pressure);
}

// Makes the fluxes of every cell, one thread each. Arrays have n cells; neighbours
// and the normals of faces are face by face, a normal's x, y and z too. Neighbour
// -1 is a wall, -2 the far field.
extern "C" __global__ void cuda_compute_flux(int n, const int *__restrict__ neighbours, const float *__restrict__ normals,
                                             const float *__restrict__ all, float *__restrict__ fluxes) {
  const float smoothing = 0.2f;
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= n) return;
  state own = state_of(all, cell, n);
  float flux[variables] = {0, 0, 0, 0, 0};
#pragma unroll 1
  for (int face = 0; face < faces; face++) {
    int neighbour = neighbours[face * n + cell];
    float normal[3];
#pragma unroll
    for (int i = 0; i < 3; i++) normal[i] = normals[(face * 3 + i) * n + cell];
    if (neighbour >= 0) {
      state other = state_of(all, neighbour, n);
      float area = root(along(normal, normal));
      float smooth = -area * smoothing * 0.5f * (own.speed + other.speed + own.sound + other.sound);
      flux[density] += smooth * (own.density - other.density) +
                       0.5f * (along(normal, own.momentum) + along(normal, other.momentum));
      flux[energy] += smooth * (own.energy - other.energy) +
                      0.5f * (energy_along(own, normal) + energy_along(other, normal));
#pragma unroll
      for (int i = 0; i < 3; i++)
        flux[momentum + i] += smooth * (own.momentum[i] - other.momentum[i]) +
                              0.5f * (momentum_along(own, normal, i) + momentum_along(other, normal, i));
    } else if (neighbour == wall) {
#pragma unroll
      for (int i = 0; i < 3; i++) flux[momentum + i] += normal[i] * own.pressure;
    } else {
      flux[density] += 0.5f * (along(normal, own.momentum) + along(normal, far.variables + momentum));
      flux[energy] += 0.5f * (energy_along(own, normal) + along(normal, far.energy));
#pragma unroll
      for (int i = 0; i < 3; i++)
        flux[momentum + i] += 0.5f * (momentum_along(own, normal, i) + along(normal, far.momentum + 3 * i));
    }
  }
#pragma unroll
  for (int i = 0; i < variables; i++) fluxes[i * n + cell] = flux[i];
}
