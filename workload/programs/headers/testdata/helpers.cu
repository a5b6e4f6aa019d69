// The helpers of the samples and of cutil, complex numbers.
#include <cuComplex.h>
#include <cutil_inline.h>
#include <device_functions.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <math_constants.h>
extern "C" __global__ void multiply(cuFloatComplex *a) {
  a[0] = cuCdivf(cuCmulf(a[1], a[2]), a[2]);
  a[0].x += CUDART_PI_F + cuCabsf(a[1]);
}
int main(int argc, char **argv) {
  findCudaDevice(argc, (const char **)argv);
  cuFloatComplex *a;
  checkCudaErrors(cudaMalloc(&a, 3 * sizeof *a));
  CUDA_SAFE_CALL(cudaMemset(a, 0, 3 * sizeof *a));
  StopWatchInterface *timer;
  sdkCreateTimer(&timer);
  multiply<<<1, 1>>>(a);
  getLastCudaError("multiply");
  cutilSafeCall(cudaFree(a));
  return MAX(0, (int)sdkGetTimerValue(&timer) * 0);
}
