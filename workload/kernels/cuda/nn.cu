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

// The neuron's answer, 1.7159 tanh(2/3 x).
INLINE float answer(float x) {
  float power = __nvvm_ex2_approx_f(x * (4.0f / 3 * 1.44269504f));
  return 1.7159f - 2 * 1.7159f / (power + 1);
}

// A TB for each map of each image. Weights are those of one map after another, a
// bias and 25. Block 13x13.
extern "C" __global__ void firstLayer(const float *images, const float *weights, float *neurons) {
  int map = blockIdx.x, image = blockIdx.y;
  const float *weight = weights + map * (1 + seen);
  const float *corner = images + image * image_size + 2 * threadIdx.y * image_edge + 2 * threadIdx.x;
  float sum = weight[0];
#pragma unroll 5
  for (int i = 0; i < seen; i++) sum += corner[in_image[i]] * weight[1 + i];
  neurons[(image * first_maps + map) * first_size + threadIdx.y * first_edge + threadIdx.x] = answer(sum);
}

// A TB for each map of each image. Weights are those of one map after another, a
// bias and 6 for each of the 25. Block 5x5.
extern "C" __global__ void secondLayer(const float *before, const float *weights, float *neurons) {
  int map = blockIdx.x, image = blockIdx.y;
  const float *weight = weights + map * (1 + seen * first_maps);
  const float *corner = before + image * first_maps * first_size + 2 * threadIdx.y * first_edge + 2 * threadIdx.x;
  float sum = weight[0];
#pragma unroll 1
  for (int i = 0; i < seen; i++) {
    const float *at = corner + in_map[i];
#pragma unroll
    for (int m = 0; m < first_maps; m++) sum += at[m * first_size] * weight[1 + i * first_maps + m];
  }
  neurons[(image * second_maps + map) * second_size + threadIdx.y * second_edge + threadIdx.x] = answer(sum);
}
