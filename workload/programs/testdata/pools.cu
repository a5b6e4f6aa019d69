// Memory from pools, in streams.
#include "check.h"

__global__ void set(int *p, int v) { p[threadIdx.x] = v; }

int main() {
  cudaMemPool_t pool, standard, present;
  cudaMemPoolProps props = {cudaMemAllocationTypePinned, cudaMemHandleTypeNone, {cudaMemLocationTypeDevice, 0}};
  OK(cudaDeviceGetDefaultMemPool(&standard, 0));
  OK(cudaMemPoolCreate(&pool, &props));
  OK(cudaDeviceSetMemPool(0, pool));
  OK(cudaDeviceGetMemPool(&present, 0));
  CHECK(present == pool && pool != standard);
  unsigned long long keep = 1 << 20, used, high;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  int *p, *q, host[32];
  OK(cudaMallocAsync(&p, 1000, s));
  OK(cudaMallocFromPoolAsync(&q, 500, standard, s));
  set<<<1, 32, 0, s>>>(p, 7);
  OK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, s));
  OK(cudaFreeAsync(p, s));
  OK(cudaStreamSynchronize(s));
  CHECK(host[31] == 7);
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
  CHECK(used == 0 && high == 1000);
  OK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(used == 500);
  OK(cudaFreeAsync(q, s));
  OK(cudaMemPoolTrimTo(pool, 0));
  OK(cudaMemPoolDestroy(pool));
  OK(cudaDeviceGetMemPool(&present, 0));
  CHECK(present == standard);
  printf("PASSED\n");
  return 0;
}
