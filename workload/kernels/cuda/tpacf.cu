// Two-point angular correlation: histograms of the angles between all pairs of
// points on the sky, of the observed set with itself, of each random set with
// itself, and of the observed set with each random set.
//
// As in Parboil's source (tpacf/src/cuda) a thread holds a point of the second set
// and walks a tile of the first one in shared memory. It searches the bin of every
// pair, and only then leaves out the pairs that do not count. No pointer is
// __restrict__, so loads are plain ones.
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
extern "C" __global__ void genhists(const float *points, int sets, int count, int *histograms) {
  __shared__ struct { float x, y, z; } tile[threads];
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
      tile[thread].x = left[first + thread];
      tile[thread].y = left[count + first + thread];
      tile[thread].z = left[2 * count + first + thread];
    }
    __syncthreads();
    for (int next = across ? 0 : first + 1; next < count; next += threads) {
      int i = next + thread;
      float x = 0, y = 0, z = 0;
      if (i < count) x = right[i], y = right[count + i], z = right[2 * count + i];
      for (int j = 0; j < n; j++) {
        float cosine = tile[j].x * x + tile[j].y * y + tile[j].z * z;
        unsigned low = 0, high = bins;
        while (high > low + 1) {
          unsigned middle = (low + high) / 2;
          if (cosine < edges[middle])
            low = middle;
          else
            high = middle;
        }
        // Within a set every pair counts once.
        bool counts = cosine < edges[low] && cosine >= edges[high] && (across || i > first + j) && i < count;
        if (counts) atomicAdd(&counters[low][thread / (threads / copies)], 1);
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
