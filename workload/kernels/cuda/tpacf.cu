// Two-point angular correlation: histograms of the angles between all pairs of
// points on the sky, of the observed set with itself, of each random set with
// itself, and of the observed set with each random set.
#include "cotenant.h"

enum { threads = 256, bins = 20, copies = 128 };

// The cosines that part the bins, falling: bin b holds the pairs whose cosine c
// is edges[b] > c >= edges[b + 1].
extern "C" {
__constant__ float edges[bins + 1];
}

// TB 0 makes the histogram of the observed set, TBs 1 to sets those of the
// random sets, and TBs sets+1 to 2*sets those across. Points are unit vectors,
// set by set, x of a set first, then y and z. Block 256.
extern "C" __global__ void genhists(const float *__restrict__ points, int sets, int count, int *__restrict__ histograms) {
  __shared__ float tile_x[threads], tile_y[threads], tile_z[threads];
  __shared__ int counters[bins][copies];
  int thread = threadIdx.x;
  for (int i = thread; i < bins * copies; i += threads) counters[i / copies][i % copies] = 0;

  int tb = blockIdx.x;
  int across = tb > sets;
  const float *left = points + (across ? 0 : tb) * 3 * count;
  const float *right = points + (across ? tb - sets : tb) * 3 * count;
  for (int first = 0; first < count; first += threads) {
    __syncthreads();
    int n = min((int)threads, count - first);
    if (thread < n) {
      tile_x[thread] = right[first + thread];
      tile_y[thread] = right[count + first + thread];
      tile_z[thread] = right[2 * count + first + thread];
    }
    __syncthreads();
    for (int i = thread; i < count; i += threads) {
      // Within a set every pair counts once.
      int from = across ? 0 : max(0, i + 1 - first);
      float x = left[i], y = left[count + i], z = left[2 * count + i];
      for (int j = from; j < n; j++) {
        float cosine = x * tile_x[j] + y * tile_y[j] + z * tile_z[j];
        if (cosine >= edges[0] || cosine < edges[bins]) continue;
        int low = 0, high = bins;
        while (high > low + 1) {
          int middle = (low + high) / 2;
          if (cosine < edges[middle])
            low = middle;
          else
            high = middle;
        }
        atomicAdd(&counters[low][thread / (threads / copies)], 1);
      }
    }
  }
  __syncthreads();

  // A warp adds the copies of one bin at a time.
  for (int bin = thread / 32; bin < bins; bin += threads / 32) {
    int lane = thread % 32;
    int sum = 0;
    for (int i = lane; i < copies; i += 32) sum += counters[bin][i];
    counters[bin][lane] = sum;
  }
  __syncthreads();
  if (thread < bins) {
    int sum = 0;
    for (int i = 0; i < 32; i++) sum += counters[thread][i];
    histograms[tb * bins + thread] = sum;
  }
}
