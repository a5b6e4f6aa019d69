// The way back through layers of a convolutional network in half precision: gradients of a batch's
// norms and of weights. The gradient of a convolution's input is a convolution too, by turned weights.
// Pictures lie pixel by pixel, all channels of a pixel one behind the other.
#include "half.h"
#include "channels.h"

// The sums of all parts of a channel.
struct pair { float first, second; };
INLINE pair sum_parts(const float *firsts, const float *seconds, int parts, int channels, int channel) {
  pair sum = {};
  for (int i = 0; i < parts; i++) {
    sum.first += firsts[i * channels + channel];
    sum.second += seconds[i * channels + channel];
  }
  return sum;
}

// The gradient of what relu was given: 0 where it gave 0.
INLINE float8 before_relu(const half *gradient, const half *given, long long at) {
  float8 g = load8(gradient + at), y = load8(given + at);
#pragma unroll
  for (int i = 0; i < 8; i++) g.at[i] = y.at[i] > 0 ? g.at[i] : 0;
  return g;
}

// For relu(norm(in)) that has given a result with a gradient: sums of the norm's gradient, and of its
// products with in, of 64 channels over a part of the pixels. Block 128, gridDim.x * 64 channels, in
// gridDim.y parts.
extern "C" __global__ void gradient_sums(const half *gradient, const half *given, const half *in, float *sums, float *products,
                                         int channels, int pixels) {
  sum_channels(
      [&](int pixel, int from, float8 &a, float8 &b) {
        long long at = (long long)pixel * channels + from;
        a = before_relu(gradient, given, at);
        b = load8(in + at);
      },
      sums, products, channels, pixels);
}

// The gradient of in, of which batch_sums has made sums and squares, and gradient_sums made
// gradient_sum and gradient_products; and those of scale and shift. masked gets the gradient of the
// norm. Block 128, gridDim.x * 64 channels.
extern "C" __global__ void batch_gradient(const half *gradient, const half *given, const half *in, const float *sums, const float *squares,
                                          const float *gradient_sum, const float *gradient_products, int parts, const float *scale,
                                          half *out, half *masked, float *of_scale, float *of_shift, int channels, int pixels,
                                          float epsilon) {
  __shared__ float of_gradient[group], of_in[group], constant[group];
  if (threadIdx.x < group) {
    int channel = blockIdx.x * group + threadIdx.x;
    float n = (float)pixels;
    pair ahead = sum_parts(sums, squares, parts, channels, channel), back = sum_parts(gradient_sum, gradient_products, parts, channels, channel);
    float mean = ahead.first / n, spread = approx_rsqrt(ahead.second / n - mean * mean + epsilon);
    float along = spread * (back.second - mean * back.first); // sum of the gradient times the normed in
    float factor = scale[channel] * spread;
    of_gradient[threadIdx.x] = factor;
    of_in[threadIdx.x] = -factor * spread * along / n;
    constant[threadIdx.x] = factor * (spread * along * mean - back.first) / n;
    if (blockIdx.y == 0) {
      of_scale[channel] = along;
      of_shift[channel] = back.first;
    }
  }
  __syncthreads();
  int chunk = threadIdx.x % 8, row = threadIdx.x / 8;
  float8 a, b, c;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    a.at[i] = of_gradient[chunk * 8 + i];
    b.at[i] = of_in[chunk * 8 + i];
    c.at[i] = constant[chunk * 8 + i];
  }
  for (int pixel = blockIdx.y * rows + row; pixel < pixels; pixel += gridDim.y * rows) {
    long long at = (long long)pixel * channels + blockIdx.x * group + chunk * 8;
    float8 g = before_relu(gradient, given, at), x = load8(in + at);
    store8(masked + at, g);
#pragma unroll
    for (int i = 0; i < 8; i++) x.at[i] = a.at[i] * g.at[i] + b.at[i] * x.at[i] + c.at[i];
    store8(out + at, x);
  }
}

// Weights of a convolution that takes gradients back: inputs and outputs exchanged, taps in the opposite
// order. Block 128, a thread for each weight.
extern "C" __global__ void turn_weights(const half *weights, half *turned, int outputs, int channels, int taps) {
  int at = blockIdx.x * 128 + threadIdx.x;
  if (at >= outputs * channels * taps) return;
  int output = at % outputs, tap = at / outputs % taps, channel = at / outputs / taps;
  turned[at] = weights[(output * taps + taps - 1 - tap) * channels + channel];
}

enum {
  slice_pixels = 32,
  slice_row = group * 2,                 // bytes of a pixel's 64 channels
  slice_bytes = slice_pixels * slice_row,
  stage_bytes = 2 * slice_bytes,         // of gradients and of inputs
  stages = 3,
  warp_side = 32                         // of the products of a warp
};

// Where a chunk of 16 bytes of a pixel is in its slice: chunks of one channel of eight pixels, which
// ldmatrix reads at a time, lie in different banks.
INLINE unsigned place(unsigned pixel, unsigned chunk) { return pixel * slice_row + (chunk ^ pixel % 8) * 16; }

// The gradients of weights of 1 x 1 or 3 x 3 taps (side), in parts: for each output and each channel of each
// tap, the sum over a part of the pixels of the output's gradient times the input at the tap. It is a
// product of two matrices whose rows, not columns, are summed over, so both come to the tensor cores
// transposed. Block 128. A TB makes 64 outputs by 64 channels of a tap (blockIdx.x, blockIdx.y) of a part
// (blockIdx.z).
extern "C" __global__ void weight_gradient(const half *gradient, const half *in, float *sums, int height, int width, int channels,
                                           int outputs, int side, int pixels) {
  __shared__ __attribute__((aligned(128))) uint4 slices[stages][stage_bytes / 16];
  unsigned room = shared_address(slices), thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  int blocks = channels / group, tap = blockIdx.y / blocks, first_channel = blockIdx.y % blocks * group;
  int dx = tap % side - side / 2, dy = tap / side - side / 2;
  int each = (pixels + gridDim.z * slice_pixels - 1) / (gridDim.z * slice_pixels) * slice_pixels;
  int next = blockIdx.z * each, end = next + each < pixels ? next + each : pixels;

  unsigned row = thread / 8, chunk = thread % 8;
  auto fetch = [&](unsigned stage) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      int pixel = next + row + i * 16, x = pixel % width + dx, y = pixel / width % height + dy;
      bool there = pixel < end, inside = there && (unsigned)x < (unsigned)width && (unsigned)y < (unsigned)height;
      unsigned to = room + stage * stage_bytes + place(row + i * 16, chunk);
      copy_async(to, there ? gradient + (long long)pixel * outputs + blockIdx.x * group + chunk * 8 : gradient, there);
      copy_async(to + slice_bytes, inside ? in + ((long long)pixel + dy * width + dx) * channels + first_channel + chunk * 8 : in, inside);
    }
    next += slice_pixels;
    commit();
  };
  int left = (end - next + slice_pixels - 1) / slice_pixels;
#pragma unroll
  for (unsigned i = 0; i < stages - 1; i++) fetch(i);

  float sum[2][4][4] = {};
  unsigned top = warp / 2 * (warp_side / 8), beside = warp % 2 * (warp_side / 8); // in chunks
  unsigned stage = 0, ahead = stages - 1;
  for (; left > 0; left--) {
    wait<stages - 2>();
    __syncthreads();
    fetch(ahead);
    ahead = ahead + 1 == stages ? 0 : ahead + 1;
    unsigned of_gradient = room + stage * stage_bytes, of_in = of_gradient + slice_bytes;
#pragma unroll
    for (unsigned k = 0; k < slice_pixels; k += 16) {
      unsigned a[2][4], b[2][4];
#pragma unroll
      for (unsigned i = 0; i < 2; i++) {
        load_transposed(a[i], of_gradient + place(k + lane / 16 * 8 + lane % 8, top + i * 2 + lane / 8 % 2));
        load_transposed(b[i], of_in + place(k + lane / 8 % 2 * 8 + lane % 8, beside + i * 2 + lane / 16));
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) multiply_add(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
    stage = stage + 1 == stages ? 0 : stage + 1;
  }

  int taps = side * side;
  float *to = sums + ((long long)(blockIdx.z * outputs + blockIdx.x * group + top * 8 + lane / 4) * taps + tap) * channels + first_channel + beside * 8 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int part = 0; part < 2; part++)
#pragma unroll
      for (int j = 0; j < 4; j++)
        *(float2 *)(to + (long long)(i * 16 + part * 8) * taps * channels + j * 8) = {sum[i][j][part * 2], sum[i][j][part * 2 + 1]};
}

// A step of gradient descent. Block 128, a thread for each weight.
extern "C" __global__ void descend(half *weights, const float *gradients, int parts, float rate, int count) {
  int at = blockIdx.x * 128 + threadIdx.x;
  if (at >= count) return;
  float gradient = 0;
  for (int i = 0; i < parts; i++) gradient += gradients[i * count + at];
  weights[at] = to_half(to_float(weights[at]) - rate * gradient);
}
