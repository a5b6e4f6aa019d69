// The matrix Q of non-Cartesian magnetic resonance imaging: for every voxel,
// the sum over all samples of k-space of their magnitude times a rotation.
#include "cotenant.h"

enum { batch = 1024 };

// One batch of samples: position in k-space and squared magnitude.
extern "C" {
__constant__ float4 samples[batch];
}

// magnitude[i] = |phi[i]|^2.
extern "C" __global__ void ComputePhiMag(const float *real, const float *imaginary,
                                         float *magnitude, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) magnitude[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

// Adds the first count samples of the batch to q, one voxel for each thread.
// The rotation is a whole turn for each unit of the product of k and x.
extern "C" __global__ void ComputeQ(int count, const float *x, const float *y,
                                    const float *z, float *q_real,
                                    float *q_imaginary) {
  int voxel = blockIdx.x * blockDim.x + threadIdx.x;
  float vx = x[voxel], vy = y[voxel], vz = z[voxel];
  float real = q_real[voxel], imaginary = q_imaginary[voxel];
#pragma unroll 4
  for (int i = 0; i < count; i++) {
    float4 k = samples[i];
    float turn = 6.2831853071795864769f * (k.x * vx + k.y * vy + k.z * vz);
    real += k.w * approx_cos(turn);
    imaginary += k.w * approx_sin(turn);
  }
  q_real[voxel] = real;
  q_imaginary[voxel] = imaginary;
}
