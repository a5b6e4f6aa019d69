// The two convolving layers of a network that reads handwritten digits: images of
// 29x29, 6 feature maps of 13x13 in the first layer, 50 of 5x5 in the second. A
// neuron sees 5x5 of what lies before it, its neighbour the 5x5 two further.
#include "cotenant.h"

enum {
  image_edge = 29, image_size = image_edge * image_edge,
  first_maps = 6, first_edge = 13, first_size = first_edge * first_edge,
  second_maps = 50, second_edge = 5, second_size = second_edge * second_edge,
  seen = 25
};

// Where, from the corner of what a neuron sees, each of the 25 lies: in an image
// and in a map of the first layer.
extern "C" {
__constant__ int in_image[seen];
__constant__ int in_map[seen];
}

// The hyperbolic tangent as CUDA's library has it: a polynomial near zero, else by
// the exponential.
INLINE float tangent(float x) {
  float size = x < 0 ? -x : x;
  if (size < 0.55f) {
    float square = x * x;
    return x + x * square * (-0.33333287f + square * (0.13328464f + square * (-0.05314674f + square * 0.01729575f)));
  }
  float far = 1 - 2 / (__nvvm_ex2_approx_f(size * (2 * 1.44269504f)) + 1);
  return x < 0 ? -far : far;
}

// The neuron's answer. The suite's factors are of double precision.
INLINE float answer(float x) { return 1.7159 * tangent(0.66666667 * x); }

// A TB for each map of each image. Weights are those of one map after another, a
// bias and 25. Indexes are unsigned, as the number of the image makes them. Block 13x13.
extern "C" __global__ void firstLayer(float *images, float *weights, float *neurons) {
  int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
  unsigned image = blockIdx.y;
  int weight = map * (1 + seen), corner = 2 * y * image_edge + 2 * x;
  float sum = weights[weight++];
  for (int i = 0; i < seen; i++) sum += images[corner + in_image[i] + image * image_size] * weights[weight + i];
  neurons[map * first_size + y * first_edge + x + image * (first_maps * first_size)] = answer(sum);
}

// A TB for each map of each image. Weights are those of one map after another, a
// bias and 6 for each of the 25; the suite leaves five unused behind them. Block 5x5.
extern "C" __global__ void secondLayer(float *before, float *weights, float *neurons) {
  int map = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
  unsigned image = blockIdx.y;
  int weight = map * (1 + seen) * first_maps, corner = 2 * x + 2 * y * first_edge;
  float sum = weights[weight++];
  for (int i = 0; i < seen; i++)
#pragma unroll
    for (int m = 0; m < first_maps; m++)
      sum += before[m * first_size + corner + in_map[i] + image * (first_maps * first_size)] * weights[weight + i * first_maps + m];
  neurons[map * second_size + y * second_edge + x + image * (second_maps * second_size)] = answer(sum);
}
