// A histogram whose counters saturate at 255, for images whose values fall into
// a small part of very many bins. Bins are counted in regions of the size of a
// TB's shared memory.
#include "cotenant.h"

enum {
  prescan_threads = 512,
  region_bins = 24576, // one byte each
  rows_per_tb = 16,
  parts = 14, // of the image, one TB each for every region
  saturated = 255,
};

// Widens range[0..1] to the first and last region that the image touches.
// Block 512.
extern "C" __global__ void prescan(const unsigned *__restrict__ image, int pixels, int *range) {
  __shared__ int low[prescan_threads], high[prescan_threads];
  int first = 0x7fffffff, last = 0;
  for (int i = blockIdx.x * prescan_threads + threadIdx.x; i < pixels; i += gridDim.x * prescan_threads) {
    int bin = image[i];
    first = min(first, bin);
    last = max(last, bin);
  }
  low[threadIdx.x] = first;
  high[threadIdx.x] = last;
  for (int half = prescan_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      low[threadIdx.x] = min(low[threadIdx.x], low[threadIdx.x + half]);
      high[threadIdx.x] = max(high[threadIdx.x], high[threadIdx.x + half]);
    }
  }
  if (threadIdx.x == 0) {
    atomicMin(&range[0], low[0] / region_bins);
    atomicMax(&range[1], high[0] / region_bins);
  }
}

// Splits every value into its region and the bin in it. A thread does two
// neighbouring pixels of 16 rows; width is even.
extern "C" __global__ void intermediates(const uint2 *__restrict__ image, uint2 *__restrict__ places, int width,
                                         int height) {
  int pair = threadIdx.x;
  if (pair >= width / 2) return;
#pragma unroll 4
  for (int i = 0; i < rows_per_tb; i++) {
    int row = blockIdx.x * rows_per_tb + i;
    if (row >= height) return;
    uint2 bins = image[row * (width / 2) + pair];
    uint2 place;
    place.x = bins.x / region_bins << 16 | bins.x % region_bins;
    place.y = bins.y / region_bins << 16 | bins.y % region_bins;
    places[row * (width / 2) + pair] = place;
  }
}

// The published name, which C++ keeps for a function of its own.
extern "C" __global__ void count_region(const unsigned *__restrict__ places, int pixels,
                                        const int *__restrict__ range, unsigned *__restrict__ counts) __asm__("main");

// Counts one part of the image in one region. Grid 14 x regions, block 768. The
// shared memory is 24,576 bytes: a byte counter for each bin.
extern "C" __global__ void count_region(const unsigned *__restrict__ places, int pixels,
                                        const int *__restrict__ range, unsigned *__restrict__ counts) {
  __shared__ unsigned counters[region_bins / 4];
  for (int i = threadIdx.x; i < region_bins / 4; i += blockDim.x) counters[i] = 0;
  __syncthreads();

  unsigned region = range[0] + blockIdx.y;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += parts * blockDim.x) {
    unsigned place = places[i];
    if (place >> 16 != region) continue;
    unsigned bin = place & 0xffff;
    unsigned shift = bin % 4 * 8;
    unsigned seen = counters[bin / 4];
    // A full counter must not carry into its neighbour.
    while ((seen >> shift & 0xff) != saturated) {
      unsigned before = atomicCAS(&counters[bin / 4], seen, seen + (1u << shift));
      if (before == seen) break;
      seen = before;
    }
  }
  __syncthreads();

  unsigned *out = counts + (blockIdx.y * parts + blockIdx.x) * (region_bins / 4);
  for (int i = threadIdx.x; i < region_bins / 4; i += blockDim.x) out[i] = counters[i];
}

// Adds two words of four byte counters, each saturating.
INLINE unsigned add_saturating(unsigned a, unsigned b) {
  unsigned low = (a & 0x00ff00ff) + (b & 0x00ff00ff);
  unsigned high = (a >> 8 & 0x00ff00ff) + (b >> 8 & 0x00ff00ff);
  low |= (low >> 8 & 0x00010001) * 0xff;
  high |= (high >> 8 & 0x00010001) * 0xff;
  return (low & 0x00ff00ff) | (high & 0x00ff00ff) << 8;
}

// Adds the parts of every region; bins outside the regions are zero. A thread
// does four neighbouring bins at a time.
extern "C" __global__ void final(const unsigned *__restrict__ counts, const int *__restrict__ range,
                                 unsigned *__restrict__ histogram, int bins) {
  int first = range[0], last = range[1];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < bins / 4; i += gridDim.x * blockDim.x) {
    int region = i / (region_bins / 4);
    unsigned sum = 0;
    if (region >= first && region <= last) {
      const unsigned *part = counts + (region - first) * parts * (region_bins / 4) + i % (region_bins / 4);
#pragma unroll
      for (int p = 0; p < parts; p++) sum = add_saturating(sum, part[p * (region_bins / 4)]);
    }
    histogram[i] = sum;
  }
}
