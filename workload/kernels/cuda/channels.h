// Sums over the pixels of pictures that lie pixel by pixel, all channels of a pixel one behind the other.
#pragma once
#include "half.h"

enum { group = 64, rows = 16 }; // channels of a TB, and pixels that it takes at a time

// For 64 channels, sums of numbers over a part of the pixels, and of their products with others: of gives
// both of eight channels of a pixel, from the first of them on. Block 128, gridDim.x * 64 channels, in gridDim.y parts.
template <class Of> INLINE void sum_channels(Of of, float *firsts, float *seconds, int channels, int pixels) {
  __shared__ float of_first[rows][group], of_second[rows][group];
  int chunk = threadIdx.x % 8, row = threadIdx.x / 8, from = blockIdx.x * group + chunk * 8;
  float8 first = {}, second = {};
  for (int pixel = blockIdx.y * rows + row; pixel < pixels; pixel += gridDim.y * rows) {
    float8 a, b;
    of(pixel, from, a, b);
#pragma unroll
    for (int i = 0; i < 8; i++) {
      first.at[i] += a.at[i];
      second.at[i] += a.at[i] * b.at[i];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    of_first[row][chunk * 8 + i] = first.at[i];
    of_second[row][chunk * 8 + i] = second.at[i];
  }
  __syncthreads();
  int channel = threadIdx.x % group;
  float total = 0;
  for (int i = 0; i < rows; i++) total += threadIdx.x < group ? of_first[i][channel] : of_second[i][channel];
  (threadIdx.x < group ? firsts : seconds)[blockIdx.y * channels + blockIdx.x * group + channel] = total;
}
