// Each misuse returns the error that CUDA's documentation names, and the device works on.
#include <string.h>

#include "check.h"

__global__ void set(int *out, int value) { out[threadIdx.x] = value; }
__global__ void spell(int *out, int error) { out[threadIdx.x] = cudaGetErrorString((cudaError_t)error)[threadIdx.x]; }
__global__ void __launch_bounds__(64) small(int *out) { out[threadIdx.x] = 1; }

#define FAILS(call, error)                                                                                             \
  do {                                                                                                                 \
    CHECK((call) == (error));                                                                                          \
    CHECK(cudaPeekAtLastError() == (error));                                                                           \
    CHECK(cudaGetLastError() == (error));                                                                              \
    CHECK(cudaGetLastError() == cudaSuccess);                                                                          \
  } while (0)

int main() {
  int *p, host[32];
  FAILS(cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
  CHECK(p == NULL);
  OK(cudaMalloc(&p, 0));
  OK(cudaFree(NULL));
  OK(cudaMalloc(&p, sizeof host));
  FAILS(cudaFree((char *)p + 4), cudaErrorInvalidValue);
  FAILS(cudaFree(host), cudaErrorInvalidValue);
  FAILS(cudaMemcpy(p, host, 2 * sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  FAILS(cudaMemcpy(host, host, sizeof host, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  FAILS(cudaMemcpy(p, NULL, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  FAILS(cudaMemcpy(p, host, sizeof host, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
  FAILS(cudaMemset(p, 0, 2 * sizeof host), cudaErrorInvalidValue);
  FAILS(cudaMemcpy2D(p, 4, host, 16, 8, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
  FAILS(cudaSetDevice(3), cudaErrorInvalidDevice);
  FAILS(cudaFuncSetCacheConfig((void (*)())main, cudaFuncCachePreferL1), cudaErrorInvalidDeviceFunction);
  FAILS((set<<<1, 2000>>>(p, 1), cudaPeekAtLastError()), cudaErrorInvalidConfiguration);
  FAILS((set<<<0, 32>>>(p, 1), cudaPeekAtLastError()), cudaErrorInvalidConfiguration);
  FAILS((set<<<1, 32, 1 << 20>>>(p, 1), cudaPeekAtLastError()), cudaErrorInvalidValue);
  FAILS((small<<<1, 128>>>(p), cudaPeekAtLastError()), cudaErrorLaunchOutOfResources);
  FAILS((set<<<1, 32, 0, (cudaStream_t)77>>>(p, 1), cudaPeekAtLastError()), cudaErrorInvalidResourceHandle);
  FAILS(cudaMemcpyToSymbol(host, host, 4), cudaErrorInvalidSymbol);
  CHECK(strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
  spell<<<1, 8>>>(p, cudaErrorUnsupportedLimit);
  OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 8; i++) CHECK(host[i] == cudaGetErrorString(cudaErrorUnsupportedLimit)[i]);
  CHECK(strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") == 0);

  cudaDeviceProp prop;
  OK(cudaGetDeviceProperties(&prop, 0));
  int value;
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  CHECK(value == prop.multiProcessorCount && value > 0 && prop.warpSize == 32);
  OK(cudaDeviceGetAttribute(&value, cudaDevAttrAsyncEngineCount, 0));
  CHECK(value == prop.asyncEngineCount && value == 6);
  size_t free, total;
  OK(cudaMemGetInfo(&free, &total));
  CHECK(free == total - sizeof host);
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, small));
  CHECK(a.maxThreadsPerBlock == 64 && a.numRegs > 0);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, set, 256, 0));
  CHECK(value == prop.maxThreadsPerMultiProcessor / 256);

  set<<<1, 32>>>(p, 42);
  OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++)
    CHECK(host[i] == 42);
  // Freed memory is given out again, and reads as zero.
  int *q;
  OK(cudaFree(p));
  OK(cudaMalloc(&q, sizeof host));
  CHECK(q == p);
  OK(cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(host[5] == 0);
  printf("PASSED\n");
  return 0;
}
