// Layers of a convolutional network in half precision. Pictures lie pixel by pixel, all channels of
// a pixel one behind the other.
#include "half.h"
#include "channels.h"
#include "tile.h"

enum {
  tile_pixels = 128,
  tile_outputs = 64,
  stages = 3,
  pixels_bytes = tile_pixels * row_bytes,
  stage_bytes = pixels_bytes + tile_outputs * row_bytes,
  copied_rows = 32 // by a load of each thread
};

typedef float pair __attribute__((ext_vector_type(2)));
typedef float four __attribute__((ext_vector_type(4)));

// The products of a convolution by 1 x 1 or 3 x 3 (side), step 1, zeros outside, as a product of matrices
// that no one writes down: a row of A is what one pixel's neighbourhood holds, and is fetched tap by tap.
// Weights have a row for each output, its taps one behind the other. Of the columns of A those from
// begin on, and before end, count: multiples of 32.
// Block 128; gridDim.y * 128 pixels at least, gridDim.x * 64 outputs, channels a multiple of 32.
// put gets the sums of a warp, its first pixel and its first output.
template <class Put>
INLINE void convolve(const half *in, const half *weights, int height, int width, int channels, int side, int pixels, int begin, int end,
                     Put put) {
  __shared__ __attribute__((aligned(64))) uint4 slices[stages][stage_bytes / 16];
  unsigned room = shared_address(slices), thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  unsigned row = thread / 4, chunk = thread % 4, target = place<true>(row, chunk);
  int first = blockIdx.y * tile_pixels, depth_all = side * side * channels;
  // Each thread brings a chunk of four pixels and of two outputs.
  int x[4], y[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int pixel = first + row + i * copied_rows;
    x[i] = pixel < pixels ? pixel % width : -2; // a column of zeros, with its neighbours
    y[i] = pixel / width % height;
  }
  const half *from = in + ((long long)first + row) * channels + chunk * 8;
  const half *from_weights = weights + ((long long)blockIdx.x * tile_outputs + row) * depth_all + begin + chunk * 8;
  int fetched = begin, channel = begin % channels;
  int dx = begin / channels % side - side / 2, dy = begin / channels / side - side / 2;
  auto fetch = [&](unsigned stage) {
    if (fetched < end) {
      unsigned to = room + stage * stage_bytes + target;
      const half *tap = from + ((long long)dy * width + dx) * channels + channel;
#pragma unroll
      for (int i = 0; i < 4; i++) {
        bool inside = (unsigned)(x[i] + dx) < (unsigned)width && (unsigned)(y[i] + dy) < (unsigned)height;
        copy_async(to + i * copied_rows * row_bytes, inside ? tap + (long long)i * copied_rows * channels : in, inside);
      }
#pragma unroll
      for (int i = 0; i < 2; i++) copy_async(to + pixels_bytes + i * copied_rows * row_bytes, from_weights + (long long)i * copied_rows * depth_all);
    }
    fetched += depth;
    from_weights += depth;
    channel += depth;
    if (channel == channels) {
      channel = 0;
      if (++dx > side / 2) {
        dx = -(side / 2);
        dy++;
      }
    }
    commit();
  };
#pragma unroll
  for (unsigned i = 0; i < stages - 1; i++) fetch(i);

  unsigned top = warp / 2 * warp_rows, left = warp % 2 * warp_cols;
  unsigned from_row_a = room + top * row_bytes + row_a<true>(lane);
  unsigned from_row_b = room + pixels_bytes + left * row_bytes + row_b<true>(lane);
  products sum = {};
  unsigned stage = 0, next = stages - 1;
  for (int at = begin; at < end; at += depth) {
    wait<stages - 2>();
    __syncthreads();
    fetch(next);
    next = next + 1 == stages ? 0 : next + 1;
    add_slice(sum, from_row_a + stage * stage_bytes, from_row_b + stage * stage_bytes);
    stage = stage + 1 == stages ? 0 : stage + 1;
  }
  put(sum, first + top, blockIdx.x * tile_outputs + left);
}

// Puts the sums of a warp to out.
INLINE void store_convolved(const products &sum, half *out, int outputs, int pixels, int top, int left) {
  unsigned lane = threadIdx.x % 32;
  int pixel = top + lane / 4;
  half *to = out + (long long)pixel * outputs + left + lane % 4 * 8;
  store(sum, [&](int row, uint4 part) {
    if (pixel + row < pixels) store16(to + (long long)row * outputs, part);
  });
}

// A convolution.
extern "C" __global__ void convolution(const half *in, const half *weights, half *out, int height, int width, int channels, int outputs,
                                       int side, int pixels) {
  convolve(in, weights, height, width, channels, side, pixels, 0, side * side * channels,
           [&](const products &sum, int top, int left) { store_convolved(sum, out, outputs, pixels, top, left); });
}

// A convolution that each of gridDim.z parts sums up over part columns of A, a multiple of 32. One part
// writes to out, several to sums, one behind the other, for add_parts.
extern "C" __global__ void convolution_parts(const half *in, const half *weights, half *out, float *sums, int height, int width,
                                             int channels, int outputs, int side, int pixels, int part) {
  int begin = blockIdx.z * part, all = side * side * channels;
  convolve(in, weights, height, width, channels, side, pixels, begin, begin + part < all ? begin + part : all,
           [&](const products &sum, int top, int left) {
             if (gridDim.z == 1) {
               store_convolved(sum, out, outputs, pixels, top, left);
               return;
             }
             unsigned lane = threadIdx.x % 32;
             int pixel = top + lane / 4;
             float *to = sums + ((long long)blockIdx.z * pixels + pixel) * outputs + left + lane % 4 * 2;
#pragma unroll
             for (int i = 0; i < warp_rows / 8; i++)
#pragma unroll
               for (int j = 0; j < warp_cols / 8; j++)
                 if (pixel + i * 8 < pixels)
                   *(pair *)(to + (long long)i * 8 * outputs + j * 8) = pair{sum.at[i / 2][j][i % 2 * 2], sum.at[i / 2][j][i % 2 * 2 + 1]};
           });
}

// out = the sum of parts. Block 128, a thread for each 8 of count numbers.
extern "C" __global__ void add_parts(const float *sums, int parts, half *out, int count) {
  int at = (blockIdx.x * 128 + threadIdx.x) * 8;
  if (at >= count) return;
  float8 sum = {};
  for (int part = 0; part < parts; part++) {
    const four *from = (const four *)(sums + (long long)part * count + at);
    four a = from[0], b = from[1];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      sum.at[i] += a[i];
      sum.at[i + 4] += b[i];
    }
  }
  store8(out + at, sum);
}

// Sums, and sums of squares, of 64 channels over a part of the pixels. Block 128, gridDim.x * 64
// channels, in gridDim.y parts.
extern "C" __global__ void batch_sums(const half *in, float *sums, float *squares, int channels, int pixels) {
  sum_channels(
      [&](int pixel, int from, float8 &a, float8 &b) { a = b = load8(in + (long long)pixel * channels + from); },
      sums, squares, channels, pixels);
}

// out = relu(norm(in)), or relu(norm(in) + more) if joined: each channel with mean 0 and variance 1 over
// all pixels, times its scale, plus its shift. Block 128, gridDim.x * 64 channels.
extern "C" __global__ void batch_norm(const half *in, const float *sums, const float *squares, int parts, const float *scale,
                                      const float *shift, const half *more, int joined, half *out, int channels, int pixels,
                                      float epsilon) {
  __shared__ float factor_of[group], offset_of[group];
  if (threadIdx.x < group) {
    int channel = blockIdx.x * group + threadIdx.x;
    float sum = 0, square = 0;
    for (int i = 0; i < parts; i++) {
      sum += sums[i * channels + channel];
      square += squares[i * channels + channel];
    }
    float mean = sum / (float)pixels, factor = scale[channel] * approx_rsqrt(square / (float)pixels - mean * mean + epsilon);
    factor_of[threadIdx.x] = factor;
    offset_of[threadIdx.x] = shift[channel] - mean * factor;
  }
  __syncthreads();
  int chunk = threadIdx.x % 8, row = threadIdx.x / 8;
  float8 factor, offset;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    factor.at[i] = factor_of[chunk * 8 + i];
    offset.at[i] = offset_of[chunk * 8 + i];
  }
  for (int pixel = blockIdx.y * rows + row; pixel < pixels; pixel += gridDim.y * rows) {
    long long at = (long long)pixel * channels + blockIdx.x * group + chunk * 8;
    float8 v = load8(in + at), plus = {};
    if (joined) plus = load8(more + at);
#pragma unroll
    for (int i = 0; i < 8; i++) v.at[i] = larger(v.at[i] * factor.at[i] + offset.at[i] + plus.at[i], 0);
    store8(out + at, v);
  }
}

// The greatest of 3 x 3 pixels around every second, in both directions. Block 128, a thread for each 8
// channels of a pixel of out, of height x width.
extern "C" __global__ void max_pool(const half *in, half *out, int height, int width, int channels, int pixels) {
  int at = blockIdx.x * 128 + threadIdx.x, chunk = at % (channels / 8), pixel = at / (channels / 8);
  if (pixel >= pixels) return;
  int x = pixel % width * 2, y = pixel / width % height * 2, picture = pixel / width / height;
  float8 most;
#pragma unroll
  for (int i = 0; i < 8; i++) most.at[i] = lowest;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (x + dx >= 0 && y + dy >= 0) { // and less than twice the size, which is even
        long long from = ((long long)picture * height * 2 + y + dy) * width * 2 + x + dx;
        float8 v = load8(in + from * channels + chunk * 8);
#pragma unroll
        for (int i = 0; i < 8; i++) most.at[i] = larger(most.at[i], v.at[i]);
      }
  store8(out + (long long)pixel * channels + chunk * 8, most);
}
