// Norms and softmax over the rows of a matrix of half precision: a TB for each row, sums in
// single precision. A thread takes 16 bytes at a time. Block 128, n a multiple of 8.
#include "half.h"

enum { threads = 128, warps = threads / 32 };

// The sum, or the maximum, over the TB. Room is for one number of each warp, used once.
template <bool maximum> INLINE float over_block(float x, float *room) {
  x = maximum ? max_of(x) : sum_of(x);
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  x = room[0];
#pragma unroll
  for (int i = 1; i < warps; i++) x = maximum ? larger(x, room[i]) : x + room[i];
  return x;
}

// y = x / sqrt(mean of x^2 + epsilon) * weight
extern "C" __global__ void rmsnorm(const half *x, const half *weight, half *y, int n, float epsilon) {
  __shared__ float room[warps];
  x += (long long)blockIdx.x * n;
  y += (long long)blockIdx.x * n;
  float squares = 0;
  for (int at = threadIdx.x * 8; at < n; at += threads * 8) {
    float8 v = load8(x + at);
#pragma unroll
    for (int i = 0; i < 8; i++) squares += v.at[i] * v.at[i];
  }
  float factor = approx_rsqrt(over_block<false>(squares, room) / (float)n + epsilon);
  for (int at = threadIdx.x * 8; at < n; at += threads * 8) {
    float8 v = load8(x + at), w = load8(weight + at);
#pragma unroll
    for (int i = 0; i < 8; i++) v.at[i] *= factor * w.at[i];
    store8(y + at, v);
  }
}

// y = (x - mean) / sqrt(variance + epsilon) * weight + bias
extern "C" __global__ void layernorm(const half *x, const half *weight, const half *bias, half *y, int n, float epsilon) {
  __shared__ float room[2][warps];
  x += (long long)blockIdx.x * n;
  y += (long long)blockIdx.x * n;
  float sum = 0, squares = 0;
  for (int at = threadIdx.x * 8; at < n; at += threads * 8) {
    float8 v = load8(x + at);
#pragma unroll
    for (int i = 0; i < 8; i++) sum += v.at[i];
  }
  float mean = over_block<false>(sum, room[0]) / (float)n;
  for (int at = threadIdx.x * 8; at < n; at += threads * 8) {
    float8 v = load8(x + at);
#pragma unroll
    for (int i = 0; i < 8; i++) squares += (v.at[i] - mean) * (v.at[i] - mean);
  }
  float factor = approx_rsqrt(over_block<false>(squares, room[1]) / (float)n + epsilon);
  for (int at = threadIdx.x * 8; at < n; at += threads * 8) {
    float8 v = load8(x + at), w = load8(weight + at), b = load8(bias + at);
#pragma unroll
    for (int i = 0; i < 8; i++) v.at[i] = (v.at[i] - mean) * factor * w.at[i] + b.at[i];
    store8(y + at, v);
  }
}

// y = e^(x - maximum) / sum of them
extern "C" __global__ void softmax(const half *x, half *y, int n) {
  __shared__ float room[2][warps];
  x += (long long)blockIdx.x * n;
  y += (long long)blockIdx.x * n;
  float most = lowest, sum = 0;
  for (int at = threadIdx.x * 8; at < n; at += threads * 8) {
    float8 v = load8(x + at);
#pragma unroll
    for (int i = 0; i < 8; i++) most = larger(most, v.at[i]);
  }
  most = over_block<true>(most, room[0]);
  for (int at = threadIdx.x * 8; at < n; at += threads * 8) {
    float8 v = load8(x + at);
#pragma unroll
    for (int i = 0; i < 8; i++) sum += exp2((v.at[i] - most) * log2_e);
  }
  float factor = reciprocal(over_block<false>(sum, room[1]));
  for (int at = threadIdx.x * 8; at < n; at += threads * 8) {
    float8 v = load8(x + at);
#pragma unroll
    for (int i = 0; i < 8; i++) v.at[i] = exp2((v.at[i] - most) * log2_e) * factor;
    store8(y + at, v);
  }
}
