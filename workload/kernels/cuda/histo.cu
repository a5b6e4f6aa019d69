// A histogram whose counters saturate at 255, for images whose values fall into
// a small part of very many bins. Bins are counted in regions of the size of a
// TB's shared memory, and in device memory where they are far from the others.
#include "cotenant.h"

enum {
  prescan_threads = 512,
  region_bins = 24576, // one byte each
  rows_per_tb = 16,
  parts = 14, // of the image, one TB each for every region
  saturated = 255,
};

// Widens range[0..1] to the first and last region within ten standard
// deviations of the mean, by a sample: the first eighth of each TB's part. Every
// thread has a mean and a deviation of its own, of which the TB takes the mean.
// Block 512.
extern "C" __global__ void prescan(const unsigned *image, int pixels, int *range) {
  __shared__ float means[prescan_threads], deviations[prescan_threads];
  int thread = threadIdx.x, part = pixels / gridDim.x;
  int start = blockIdx.x * part, end = start + part / 8;
  float mean = 0, square = 0;
  int count = 0;
  for (int i = start + thread; i < end; i += prescan_threads, count++) mean += image[i];
  if (count > 0) mean /= count;
  for (int i = start + thread; i < end; i += prescan_threads) square += (image[i] - mean) * (image[i] - mean);
  if (count > 0) square /= count;
  means[thread] = mean;
  deviations[thread] = __nvvm_sqrt_rn_f(square);
  for (int half = prescan_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) {
      means[thread] += means[thread + half];
      deviations[thread] += deviations[thread + half];
    }
  }
  if (thread == 0) {
    int sampling = min(prescan_threads, end - start);
    float centre = means[0] / sampling, reach = 10 * deviations[0] / sampling;
    atomicMin(&range[0], (int)(centre - reach) / region_bins);
    atomicMax(&range[1], (int)(centre + reach) / region_bins);
  }
}

// Where a bin is counted, a byte each: the region, row and column of its word,
// and the bit in it at which its byte begins. Rows have 256 words.
INLINE unsigned place_of(unsigned bin) {
  unsigned word = bin / 4 % (region_bins / 4);
  return bin / region_bins | word / 256 << 8 | word % 256 << 16 | bin % 4 * 8 << 24;
}

// Writes the place of every value. A thread does two neighbouring pixels of 16
// rows; width is even. Block width / 2.
extern "C" __global__ void intermediates(const uint2 *image, unsigned *places, int width) {
  int pair = threadIdx.x;
#pragma unroll
  for (int i = 0; i < rows_per_tb; i++) {
    int row = blockIdx.x * rows_per_tb + i;
    uint2 bins = image[row * (width / 2) + pair];
    places[row * width + pair] = place_of(bins.x);
    places[row * width + width / 2 + pair] = place_of(bins.y);
  }
}

INLINE unsigned bin_at(unsigned place) {
  return (place & 0xff) * region_bins + 4 * ((place >> 8 & 0xff) * 256 + (place >> 16 & 0xff)) + (place >> 24) / 8;
}

// Counts a value of the region in shared memory. A byte that goes round carries
// into the next one: overflow has what is to be added to the bytes.
INLINE void count_inside(unsigned *counters, unsigned *overflow, unsigned region, unsigned place) {
  if ((place & 0xff) != region) return;
  unsigned shift = place >> 24;
  unsigned before = atomicAdd(&counters[(place >> 8 & 0xff) * 256 + (place >> 16 & 0xff)], 1u << shift);
  if ((before >> shift & 0xff) != 0xff) return;
  unsigned bin = bin_at(place);
  atomicAdd(&overflow[bin], 256u);
  for (shift += 8; shift < 32; shift += 8) {
    bool around = (before >> shift & 0xff) == 0xff;
    atomicAdd(&overflow[++bin], around ? 255u : -1u);
    if (!around) break;
  }
}

// Counts a value of no region, two bins to a word.
INLINE void count_outside(unsigned *outside, unsigned first, unsigned last, unsigned place) {
  unsigned region = place & 0xff;
  if (region >= first && region <= last) return;
  unsigned bin = bin_at(place), shift = bin % 2 * 16;
  if ((outside[bin / 2] >> shift & 0xffff) < saturated) atomicAdd(&outside[bin / 2], 1u << shift);
}

// The published name, which C++ keeps for a function of its own.
extern "C" __global__ void count_region(const unsigned *places, int pixels, unsigned first, unsigned last, int bins,
                                        unsigned *counts, unsigned *outside, unsigned *overflow) __asm__("main");

// Counts one part of the image in one region, and in the first row of TBs what
// is in none. Grid 14 x regions, block 768. The shared memory is 24,576 bytes: a
// byte counter for each bin.
extern "C" __global__ void count_region(const unsigned *places, int pixels, unsigned first, unsigned last, int bins,
                                        unsigned *counts, unsigned *outside, unsigned *overflow) {
  __shared__ unsigned counters[region_bins / 4];
  for (int i = threadIdx.x; i < region_bins / 4; i += blockDim.x) counters[i] = 0;
  __syncthreads();

  unsigned region = first + blockIdx.y;
  int start = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  if (blockIdx.y == 0) {
    for (int i = start; i < pixels; i += step) {
      unsigned place = places[i];
      count_inside(counters, overflow, region, place);
      count_outside(outside, first, last, place);
    }
  } else {
    for (int i = start; i < pixels; i += step) count_inside(counters, overflow, region, places[i]);
  }
  __syncthreads();

  unsigned *out = counts + blockIdx.x * (bins / 4) + region * (region_bins / 4);
  for (int i = threadIdx.x; i < region_bins / 4; i += blockDim.x) out[i] = counters[i];
}

INLINE unsigned saturate(unsigned count) { return count < saturated ? count : saturated; }

// Bytes of four bins.
INLINE unsigned saturate(uint4 count) {
  return saturate(count.x) | saturate(count.y) << 8 | saturate(count.z) << 16 | saturate(count.w) << 24;
}

// Takes what was counted outside the regions, four bins at a time, and clears it.
INLINE void take_outside(uint2 *outside, unsigned *histogram, int i, int end) {
  for (; i < end; i += gridDim.x * blockDim.x) {
    uint2 of = outside[i];
    outside[i] = uint2{0, 0};
    histogram[i] = saturate(uint4{of.x & 0xffff, of.x >> 16, of.y & 0xffff, of.y >> 16});
  }
}

// Adds the parts of every region and its overflow, which it clears. A thread
// does four neighbouring bins at a time.
extern "C" __global__ void final(const unsigned *counts, int first, int last, int bins, uint2 *outside, uint4 *overflow,
                                 unsigned *histogram) {
  int start = blockIdx.x * blockDim.x + threadIdx.x;
  int low = first * (region_bins / 4), high = (last + 1) * (region_bins / 4);
  take_outside(outside, histogram, start, low);
  for (int i = low + start; i < high; i += gridDim.x * blockDim.x) {
    uint4 sum = overflow[i];
    overflow[i] = uint4{0, 0, 0, 0};
#pragma unroll
    for (int p = 0; p < parts; p++) {
      unsigned part = counts[p * (bins / 4) + i];
      sum.x += part & 0xff;
      sum.y += part >> 8 & 0xff;
      sum.z += part >> 16 & 0xff;
      sum.w += part >> 24;
    }
    histogram[i] = saturate(sum);
  }
  take_outside(outside, histogram, high + start, bins / 4);
}
