// What it would save to open another centre at one of the points, as clustering of
// a stream of points asks again and again.
#include "cotenant.h"

// A point, as the host program keeps it: its coordinates lie elsewhere, and centre
// is the point that it belongs to.
struct point {
  float weight;
  const float *coordinates;
  long long centre;
  float cost;
};

// For each point, whether the candidate is nearer than its centre, and what that
// saves; and if not, what moving the point there would cost, charged to its centre,
// which may then be closed. Coordinates are column by column. A point has a row of
// its own in work, a word for each centre and one for the candidate; number tells a
// centre's word. Block 512.
extern "C" __global__ void compute_cost(int points, int dimensions, long long candidate, const point *all, int centres,
                                        int row, const float *coordinates, float *work, const int *number,
                                        unsigned char *switches) {
  int own = (blockIdx.x + gridDim.x * blockIdx.y) * blockDim.x + threadIdx.x;
  if (own >= points) return;
  float *lower = work + own * row;
  int its = candidate;
  float distance = 0;
#pragma unroll 1
  for (int i = 0; i < dimensions; i++) {
    float away = coordinates[i * points + own] - coordinates[i * points + its];
    distance += away * away;
  }
  float there = distance * all[own].weight;
  if (there < all[own].cost) {
    switches[own] = 1;
    lower[centres] += there - all[own].cost;
  } else {
    lower[number[all[own].centre]] += all[own].cost - there;
  }
}
