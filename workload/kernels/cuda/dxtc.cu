// DXT1 compression of an image: 4x4 pixels become two colours of 16 bits and for
// each pixel two bits, which of the four colours on the line between them it has.
#include "cotenant.h"

enum { threads = 64, pixels = 16, turns = 8 };

struct colour { float red, green, blue; };

// What the least squares of a split need: sums of the weights' products, and of the
// colours by the weight of the first end.
struct fit { float aa, bb, ab; colour ax; };

// The fit of a split of the colours, two bits for each as in the result.
INLINE fit fitted(const colour *sorted, unsigned split) {
  fit f = {0, 0, 0, {0, 0, 0}};
#pragma unroll 1
  for (int i = 0; i < pixels; i++, split >>= 2) {
    bool between = split & 2;
    float b = between ? 1.0f / 3 : 0;
    if (split & 1) b += between ? 1.0f / 3 : 1;
    float a = 1 - b;
    f.aa += a * a;
    f.bb += b * b;
    f.ab += a * b;
    f.ax.red += a * sorted[i].red;
    f.ax.green += a * sorted[i].green;
    f.ax.blue += a * sorted[i].blue;
  }
  return f;
}

// The step from 0 to most that is nearest to a part of one.
INLINE float step(float x, float most) {
  float at = __nvvm_floor_f(x * most + 0.5f);
  return at < 0 ? 0 : at > most ? most : at;
}

// Both ends of one channel, in steps, and the error of the split in it but for a sum
// that all splits have.
INLINE float ends(const fit &f, float ax, float sum, float most, float over, float &first, float &second) {
  float bx = sum - ax;
  first = step((ax * f.bb - bx * f.ab) * over, most);
  second = step((bx * f.aa - ax * f.ab) * over, most);
  float a = first * (1 / most), b = second * (1 / most);
  return a * a * f.aa + b * b * f.bb + 2 * (a * b * f.ab - a * ax - b * bx);
}

// A TB for each 4x4 pixels, whose words lie one behind the other, red in the lowest
// byte: splits are all ways to part 16 colours in a row among the four on a line.
// Block 64.
extern "C" __global__ void compress(const unsigned *__restrict__ splits, int count, const unsigned *__restrict__ image,
                                    uint2 *blocks) {
  __shared__ colour colours[pixels], sorted[pixels];
  __shared__ float covariance[6], along[pixels], errors[threads];
  __shared__ unsigned chosen[threads], places[pixels];
  int thread = threadIdx.x;
  if (thread < pixels) {
    unsigned pixel = image[blockIdx.x * pixels + thread];
    colour c = {(pixel & 255) * (1.0f / 255), (pixel >> 8 & 255) * (1.0f / 255), (pixel >> 16 & 255) * (1.0f / 255)};
    colours[thread] = c;
  }
  __syncthreads();
  const float *channels = &colours[0].red;
  colour sum = {0, 0, 0};
#pragma unroll 4
  for (int i = 0; i < pixels; i++) {
    sum.red += colours[i].red;
    sum.green += colours[i].green;
    sum.blue += colours[i].blue;
  }
  if (thread < 6) { // red by red, green and blue, green by green and blue, blue by blue
    int one = (thread > 2) + (thread > 4), other = thread - (thread > 2 ? 2 : 0) - (thread > 4);
    float mean = 0, product = 0, with = 0;
#pragma unroll 4
    for (int i = 0; i < pixels; i++) {
      mean += channels[3 * i + one];
      with += channels[3 * i + other];
      product += channels[3 * i + one] * channels[3 * i + other];
    }
    covariance[thread] = product - mean * with * (1.0f / pixels);
  }
  __syncthreads();

  // The axis along which the colours differ most.
  colour axis = {1, 1, 1};
  for (int i = 0; i < turns; i++) {
    float red = axis.red * covariance[0] + axis.green * covariance[1] + axis.blue * covariance[2];
    float green = axis.red * covariance[1] + axis.green * covariance[3] + axis.blue * covariance[4];
    float blue = axis.red * covariance[2] + axis.green * covariance[4] + axis.blue * covariance[5];
    float largest = red * red + green * green + blue * blue;
    if (largest > 0) {
      float scale = approx_rsqrt(largest);
      axis.red = red * scale;
      axis.green = green * scale;
      axis.blue = blue * scale;
    }
  }
  if (thread < pixels) {
    colour c = colours[thread];
    along[thread] = c.red * axis.red + c.green * axis.green + c.blue * axis.blue;
  }
  __syncthreads();
  if (thread < pixels) {
    int place = 0;
    float own = along[thread];
#pragma unroll 4
    for (int i = 0; i < pixels; i++) place += along[i] < own || (along[i] == own && i < thread);
    places[thread] = place;
    sorted[place] = colours[thread];
  }
  __syncthreads();

  float least = 3e38f;
  unsigned best = 0;
  float first, second;
#pragma unroll 1
  for (int i = thread; i < count; i += threads) {
    unsigned split = splits[i];
    fit f = fitted(sorted, split);
    float area = f.aa * f.bb - f.ab * f.ab;
    if (area < 0.1f) continue; // all in one
    float over = 1 / area;
    float error = ends(f, f.ax.red, sum.red, 31, over, first, second);
    error += ends(f, f.ax.green, sum.green, 63, over, first, second);
    error += ends(f, f.ax.blue, sum.blue, 31, over, first, second);
    if (error < least) {
      least = error;
      best = split;
    }
  }
  errors[thread] = least;
  chosen[thread] = best;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (thread < half && errors[thread + half] < errors[thread]) {
      errors[thread] = errors[thread + half];
      chosen[thread] = chosen[thread + half];
    }
    __syncthreads();
  }

  if (thread == 0) {
    unsigned split = chosen[0], indices = 0, one = 0, other = 0;
    fit f = fitted(sorted, split);
    float over = 1 / (f.aa * f.bb - f.ab * f.ab);
    ends(f, f.ax.red, sum.red, 31, over, first, second);
    one = (unsigned)first << 11;
    other = (unsigned)second << 11;
    ends(f, f.ax.green, sum.green, 63, over, first, second);
    one |= (unsigned)first << 5;
    other |= (unsigned)second << 5;
    ends(f, f.ax.blue, sum.blue, 31, over, first, second);
    one |= (unsigned)first;
    other |= (unsigned)second;
#pragma unroll 4
    for (int i = 0; i < pixels; i++) indices |= (split >> 2 * places[i] & 3) << 2 * i;
    // The larger is first, else there are but three colours and black.
    if (one < other) indices ^= 0x55555555;
    if (one == other) indices = 0;
    uint2 block = {one > other ? one | other << 16 : other | one << 16, indices};
    blocks[blockIdx.x] = block;
  }
}
