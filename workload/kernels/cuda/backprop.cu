// The training of a network of three layers: the sums of the inputs of the hidden
// layer, and the change of its weights. Weights are rows of one for each input, a
// column for each hidden unit; row 0 and column 0 are of the biases.
#include "work.h"

enum { units = 16 }; // of the hidden layer, and inputs of a TB

INLINE float raised(float base, int exponent) {
  float power = 1;
  for (int i = 0; i < exponent; i++) power *= base;
  return power;
}

// The place of a weight: of thread x, y the one of hidden unit x + 1 and input
// y + 1 of the TB's 16.
INLINE int place() {
  return (blockIdx.y * units + threadIdx.y + 1) * (units + 1) + threadIdx.x + 1;
}

// Multiplies the TB's 16 rows of weights with their inputs and adds the products
// up, in a tree of four steps: partial gets a sum for each hidden unit. The
// products, with what the tree left in their place, are put where the weights
// were. Block 16x16, grid 1 x inputs / 16.
extern "C" __global__ void layerforward(const float *__restrict__ input, float *weights, float *__restrict__ partial,
                                        int turns) {
  __shared__ float node[units], products[units][units];
  int unit = threadIdx.x, row = threadIdx.y, at = place();
  if (unit == 0) node[row] = input[blockIdx.y * units + row + 1];
  __syncthreads();
  products[row][unit] = weights[at];
  __syncthreads();
  products[row][unit] *= node[row];
  __syncthreads();
  for (int step = 1; step <= 4; step++) {
    int stride = raised(2, step);
    int from = row + stride / 2 + work(turns);
    if (row % stride == 0) products[row][unit] += products[from][unit];
    __syncthreads();
  }
  weights[at] = products[row][unit];
  __syncthreads();
  if (unit == 0) partial[blockIdx.y * units + row] = products[0][row];
}

// Changes the weights by the errors of the hidden units, and by a part of their
// last change. Block 16x16, grid 1 x inputs / 16.
extern "C" __global__ void adjust_weights(const float *__restrict__ delta, const float *__restrict__ input, float *weights,
                                          float *change) {
  const float rate = 0.3f, momentum = 0.3f;
  int unit = threadIdx.x + 1, row = blockIdx.y * units + threadIdx.y + 1, at = place();
  float by = rate * delta[unit] * input[row] + momentum * change[at];
  weights[at] += by;
  change[at] = by;
  if (row == 1) { // the biases, whose input is 1
    by = rate * delta[unit] + momentum * change[unit];
    weights[unit] += by;
    change[unit] = by;
  }
}
