// What it would save to open another centre at one of the points, as clustering of
// a stream of points asks again and again.
#include "cotenant.h"

enum { at_once = 4 }; // dimensions, loaded before the first is worked on

// For each point, whether the candidate is nearer than its centre, and what that
// saves; and if not, what moving the point there would cost, charged to its centre,
// which may then be closed. Coordinates are column by column. A point has a row of
// its own in lower, a word for each centre and one for the candidate. Block 512.
extern "C" __global__ void compute_cost(int points, int dimensions, int candidate, int centres,
                                               const float *__restrict__ coordinates, const float *__restrict__ weight,
                                               const float *__restrict__ cost, const int *__restrict__ centre,
                                               float *lower, unsigned char *switches) {
  int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point >= points) return;
  float distance = 0;
  const float *own_at = coordinates + point, *its_at = coordinates + candidate;
  long long column = points;
  int left = dimensions;
#pragma unroll 1
  for (; left >= at_once; left -= at_once) {
    float own[at_once], its[at_once];
#pragma unroll
    for (int i = 0; i < at_once; i++, own_at += column, its_at += column) {
      own[i] = *own_at;
      its[i] = *its_at;
    }
#pragma unroll
    for (int i = 0; i < at_once; i++) distance += (own[i] - its[i]) * (own[i] - its[i]);
  }
#pragma unroll 1
  for (; left > 0; left--, own_at += column, its_at += column) distance += (*own_at - *its_at) * (*own_at - *its_at);
  float saved = distance * weight[point] - cost[point];
  float *row = lower + point * (centres + 1);
  if (saved < 0) {
    switches[point] = 1;
    row[centres] += saved;
  } else {
    row[centre[point]] -= saved;
  }
}
