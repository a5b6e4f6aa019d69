// Host code of a program that compiles its device code elsewhere: what it needs is declared without it.
#include "check.h"
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <nvtx3/nvToolsExt.h>

int main() {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float2>(), one = cudaCreateChannelDesc<unsigned char>();
  CHECK(d.x == 32 && d.y == 32 && d.z == 0 && d.w == 0 && d.f == cudaChannelFormatKindFloat);
  CHECK(one.x == 8 && one.y == 0 && one.f == cudaChannelFormatKindUnsigned);
  CUctxCreateParams none = {};
  CUcontext context;
  int sms = 0, width = 0;
  CHECK(cuInit(0) == CUDA_SUCCESS && cuCtxCreate(&context, &none, 0, 0) == CUDA_SUCCESS);
  CHECK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0) == CUDA_SUCCESS && sms > 0);
  CHECK(cuDeviceGetAttribute(&width, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 0) == CUDA_SUCCESS && width == 65536);
  nvtxRangePush("allocation");
  curandState *states;
  OK(cudaProfilerStart());
  OK(cudaMalloc((void **)&states, 10 * sizeof *states));
  OK(cudaFree(states));
  nvtxRangePop();
  cudaEvent_t event;
  OK(cudaEventCreate(&event, cudaEventDisableTiming));
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 4096) == cudaErrorUnsupportedLimit);
  printf("PASSED\n");
}
