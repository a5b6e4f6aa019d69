// Kernels that load one part of an SM at a time, as studies of interference use them: its places for
// thread blocks, the pipes of multiplications, issue slots, or memory.
#include "cotenant.h"

// Sleeps a number of times. Any block.
extern "C" __global__ void sleep(int *done, int rounds, int nanoseconds) {
  for (int i = 0; i < rounds; i++) __asm__ volatile("nanosleep.u32 %0;" ::"r"(nanoseconds));
  done[blockIdx.x * blockDim.x + threadIdx.x] = rounds;
}

// Multiplies `chains` numbers again and again, 16 times a round. Those of one chain wait for each
// other; the chains are independent.
template <class T, int chains> INLINE T multiply(T start, T factor, int rounds) {
  T v[chains];
#pragma unroll
  for (int j = 0; j < chains; j++) v[j] = start + (T)j;
  for (int i = 0; i < rounds; i++)
#pragma unroll
    for (int k = 0; k < 16; k++)
#pragma unroll
      for (int j = 0; j < chains; j++) v[j] *= factor;
  T sum = v[0];
#pragma unroll
  for (int j = 1; j < chains; j++) sum += v[j];
  return sum;
}

template <class T> INLINE void multiply(const T *in, T *out, T factor, int rounds, int chains) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  T v = in[at];
  if (chains == 1)
    v = multiply<T, 1>(v, factor, rounds);
  else if (chains == 2)
    v = multiply<T, 2>(v, factor, rounds);
  else if (chains == 3)
    v = multiply<T, 3>(v, factor, rounds);
  else
    v = multiply<T, 4>(v, factor, rounds);
  out[at] = v;
}

// Any block.
extern "C" __global__ void mul_fp32(const float *in, float *out, float factor, int rounds, int chains) {
  multiply(in, out, factor, rounds, chains);
}
extern "C" __global__ void mul_fp64(const double *in, double *out, double factor, int rounds, int chains) {
  multiply(in, out, factor, rounds, chains);
}

typedef unsigned words __attribute__((ext_vector_type(4)));

// Copies n times 16 bytes, a number of times. Any grid and block.
extern "C" __global__ void copy(const words *in, words *out, int n, int rounds) {
  for (int i = 0; i < rounds; i++)
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < n; at += gridDim.x * blockDim.x) out[at] = in[at];
}
