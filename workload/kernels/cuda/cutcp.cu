// Electrostatic potential of atoms on the points of a lattice, with a cutoff:
// every atom nearer than it adds charge / r * (1 - r^2/cutoff^2)^2.
//
// Atoms lie in bins of eight, each bin a cube as large as a region of 8x8x8
// points. A TB makes one region; it walks the bins that reach into it, 32 at a
// time through shared memory.
#include "cotenant.h"

enum { edge = 8, bin_depth = 8, cached_bins = 32, max_neighbours = 1024 };

// The offsets, in bins, of those that may hold an atom within the cutoff of a
// region: three words each.
extern "C" {
__constant__ int neighbours[3 * max_neighbours];
__constant__ int neighbour_count;
}

// Block 8x8x2, a thread makes four points along z. The grid is one layer of
// regions, layer is its position along z. atoms points to the bin of the
// lattice's first region, bins_x and bins_xy are the bins of a row and a layer.
// Unused places of a bin have charge 0. spacing is between points.
extern "C" __global__ void lattice6overlap(const float *atoms, int bins_x, int bins_xy, int layer,
                                           float spacing, float cutoff2, float inverse_cutoff2,
                                           float *lattice) {
  __shared__ __attribute__((aligned(16))) float4 cache[cached_bins][bin_depth];
  int thread = (threadIdx.z * edge + threadIdx.y) * edge + threadIdx.x;
  int words = cached_bins * bin_depth * 4;

  float x = (blockIdx.x * edge + threadIdx.x) * spacing;
  float y = (blockIdx.y * edge + threadIdx.y) * spacing;
  float z = (layer * edge + threadIdx.z) * spacing;
  float sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;

  int count = neighbour_count;
  for (int first = 0; first < count; first += cached_bins) {
    int bins = min((int)cached_bins, count - first);
    __syncthreads();
    // A bin is 32 words: one warp loads one bin.
    for (int i = thread; i < words; i += edge * edge * 2) {
      int slot = i / 32;
      if (slot < bins) {
        const int *offset = neighbours + 3 * (first + slot);
        int bin = blockIdx.x + offset[0] + (blockIdx.y + offset[1]) * bins_x + (layer + offset[2]) * bins_xy;
        ((float *)cache)[i] = atoms[bin * 32 + i % 32];
      }
    }
    __syncthreads();
    for (int slot = 0; slot < bins; slot++) {
      for (int i = 0; i < bin_depth; i++) {
        float4 atom = cache[slot][i];
        if (atom.w == 0) break; // atoms lie at the front of their bin
        float dx = atom.x - x, dy = atom.y - y, dz = atom.z - z;
        float flat = dx * dx + dy * dy;
#define POINT(sum, plane)                                                      \
  {                                                                            \
    float d = dz - 2 * plane * spacing;                                        \
    float r2 = flat + d * d;                                                   \
    if (r2 < cutoff2) {                                                        \
      float s = 1 - r2 * inverse_cutoff2;                                      \
      sum += atom.w * approx_rsqrt(r2) * s * s;                                \
    }                                                                          \
  }
        POINT(sum0, 0)
        POINT(sum1, 1)
        POINT(sum2, 2)
        POINT(sum3, 3)
      }
    }
  }

  // Points lie region by region; a warp writes 32 in a row.
  float *out = lattice + ((layer * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * (edge * edge * edge) + thread;
  out[0] = sum0;
  out[128] = sum1;
  out[256] = sum2;
  out[384] = sum3;
}
