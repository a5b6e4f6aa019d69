// Clusters by the nearest of some centres: the points are first put column by
// column, so that neighbouring threads read neighbouring words.
#include "work.h"

enum { max_centres = 32, max_features = 34 };

extern "C" {
__constant__ float centres[max_centres * max_features]; // row by row
}

// Transposes the points from rows to columns, one thread for each point.
extern "C" __global__ void invert_mapping(const float *rows, float *columns, int points, int features,
                                          int turns) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
#pragma unroll 1
  for (int i = 0; i < features; i++) columns[i * points + point] = rows[point * features + i + work(turns)];
}

// Finds the nearest centre of each point, the first of several: columns is a
// texture. The grid is two-dimensional.
extern "C" __global__ void kmeansPoint(texture_t columns, int points, int features, int clusters, int *nearest) {
  int point = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  if (point >= points) return;
  int best = 0;
  float least = 3.4e38f;
  for (int c = 0; c < clusters; c++) {
    float distance = 0;
    for (int i = 0; i < features; i++) {
      float away = texel(columns, i * points + point) - centres[c * features + i];
      distance += away * away;
    }
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  nearest[point] = best;
}
