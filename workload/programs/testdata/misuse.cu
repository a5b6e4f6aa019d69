// Misuses the device in the way that the first argument says, and ends with 0 if each call returns the error
// that CUDA's documentation names. hostile.c does the same without device code.
#include <string.h>

#include "check.h"

__device__ int variable;

__global__ void write(int *out, int value) { out[threadIdx.x] = value; }
__global__ void endless(volatile int *out) {
  while (*out == 0)
    ;
}
__global__ void counting(volatile int *out) {
  for (;;)
    ++*out;
}
__global__ void stuck() {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 128;");
}
__global__ void trapped() { __trap(); }
__global__ void deep(int *out, int n) {
  volatile int frame[4000];
  frame[n] = n;
  out[0] = frame[n];
}

__global__ void shared(int *out, int n) {
  __shared__ volatile int s[32];
  s[threadIdx.x + n] = n;
  out[threadIdx.x] = s[threadIdx.x + n];
}
__global__ void numbered(int barrier) { asm volatile("bar.sync %0;" ::"r"(barrier)); }
__global__ void asserted(int n) { assert(threadIdx.x < n); }

static int *p, host[64];

// sticky expects that a kernel has failed: each call says so from then on.
static int sticky(cudaError_t error) {
  int *q;
  CHECK(cudaDeviceSynchronize() == error);
  CHECK(cudaMalloc(&q, 100) == error);
  write<<<1, 1>>>(p, 1);
  CHECK(cudaGetLastError() == error);
  CHECK(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost) == error);
  return 0;
}

static int host_pointer() {
  write<<<1, 32>>>(host, 1);
  return sticky(cudaErrorIllegalAddress);
}

static int outside() {
  write<<<1, 32>>>(p + (1 << 20), 1);
  return sticky(cudaErrorIllegalAddress);
}

static int guard() { // the first word behind the array
  write<<<1, 65>>>(p, 1);
  return sticky(cudaErrorIllegalAddress);
}

static int null() {
  write<<<1, 32>>>(NULL, 1);
  return sticky(cudaErrorIllegalAddress);
}

static int freed() {
  OK(cudaFree(p));
  CHECK(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemset(p, 0, 4) == cudaErrorInvalidValue);
  CHECK(cudaFree(p) == cudaErrorInvalidValue); // again
  write<<<1, 32>>>(p, 1);
  return sticky(cudaErrorIllegalAddress);
}

static int misaligned() {
  write<<<1, 1>>>((int *)((char *)p + 1), 1);
  return sticky(cudaErrorMisalignedAddress);
}

static int trap() {
  trapped<<<1, 32>>>();
  return sticky(cudaErrorLaunchFailure);
}

static int barrier() {
  stuck<<<1, 64>>>();
  return sticky(cudaErrorLaunchFailure);
}

static int spin() {
  OK(cudaMemset(p, 0, 4));
  endless<<<1, 1>>>(p);
  return sticky(cudaErrorLaunchFailure);
}

static int forever() {
  counting<<<1, 1>>>(p);
  return cudaDeviceSynchronize();
}

static int sizes() {
  const size_t all = (size_t)-1, half = (size_t)1 << 63;
  int *q;
  size_t pitch;
  cudaPitchedPtr pitched;
  CHECK(cudaMalloc(&q, all) == cudaErrorMemoryAllocation);
  CHECK(cudaMallocHost(&q, all) == cudaErrorMemoryAllocation);
  CHECK(cudaMallocManaged(&q, all - 4000) == cudaErrorMemoryAllocation);
  CHECK(cudaMallocPitch(&q, &pitch, all, 2) == cudaErrorMemoryAllocation);
  CHECK(cudaMallocPitch(&q, &pitch, half, 2) == cudaErrorMemoryAllocation);
  CHECK(cudaMallocPitch(&q, &pitch, 512, half) == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc3D(&pitched, make_cudaExtent(512, half, half)) == cudaErrorMemoryAllocation);
  CHECK(cudaMemcpy(p, host, all, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(host, p, half, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaMemset(p, 0, all) == cudaErrorInvalidValue);
  CHECK(cudaMemset2D(p, half, 0, 4, half) == cudaErrorInvalidValue);
  OK(cudaMemset(p, 0, 0));
  return 0;
}

static int pitches() {
  CHECK(cudaMemcpy2D(p, (size_t)-512, host, 16, 8, 2, cudaMemcpyHostToDevice) != cudaSuccess);
  CHECK(cudaMemcpy2D(p, 16, host, (size_t)1 << 63, 8, 3, cudaMemcpyHostToDevice) != cudaSuccess);
  CHECK(cudaMemcpy2D(p, 4, host, 16, 8, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue);
  CHECK(cudaMemset2D(p, (size_t)-4, 0, 4, 2) == cudaErrorInvalidValue);
  return 0;
}

static int launches() {
  void *arguments[] = {&p, host};
  CHECK(cudaLaunchKernel((void *)write, dim3(1), dim3(1), NULL, 0, 0) == cudaErrorInvalidValue);
  CHECK(cudaLaunchKernel((void *)write, dim3(0), dim3(1), arguments, 0, 0) == cudaErrorInvalidConfiguration);
  CHECK(cudaLaunchKernel((void *)write, dim3(1, 1 << 20), dim3(1), arguments, 0, 0) == cudaErrorInvalidConfiguration);
  CHECK(cudaLaunchKernel((void *)write, dim3(1), dim3(1025), arguments, 0, 0) == cudaErrorInvalidConfiguration);
  CHECK(cudaLaunchKernel((void *)write, dim3(1), dim3(1, 1, 65), arguments, 0, 0) == cudaErrorInvalidConfiguration);
  CHECK(cudaLaunchKernel((void *)write, dim3(1), dim3(32), arguments, (size_t)-1, 0) == cudaErrorInvalidValue);
  CHECK(cudaLaunchKernel((void *)write, dim3(1), dim3(32), arguments, 0, (cudaStream_t)-9) == cudaErrorInvalidResourceHandle);
  CHECK(cudaLaunchKernel((void *)host, dim3(1), dim3(32), arguments, 0, 0) == cudaErrorInvalidDeviceFunction);
  CHECK(cudaLaunchKernel(NULL, dim3(1), dim3(32), arguments, 0, 0) == cudaErrorInvalidDeviceFunction);
  return 0;
}

static int symbols() {
  CHECK(cudaMemcpyToSymbol(host, host, 4) == cudaErrorInvalidSymbol);
  CHECK(cudaMemcpyToSymbol(variable, host, 4000) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(variable, host, 4, (size_t)-4) == cudaErrorInvalidValue);
  OK(cudaMemcpyToSymbol(variable, host, 4));
  return 0;
}

static int reset() {
  cudaEvent_t event;
  cudaStream_t stream;
  OK(cudaEventCreate(&event));
  OK(cudaStreamCreate(&stream));
  OK(cudaDeviceReset());
  CHECK(cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK(cudaFree(p) == cudaErrorInvalidValue);
  CHECK(cudaEventRecord(event) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
  OK(cudaMemcpyToSymbol(variable, host, 4));
  OK(cudaMalloc(&p, 128));
  write<<<1, 32>>>(p, 3);
  OK(cudaMemcpy(host, p, 128, cudaMemcpyDeviceToHost));
  CHECK(host[31] == 3);
  return 0;
}

static int handles() {
  cudaEvent_t event;
  cudaStream_t stream;
  OK(cudaEventCreate(&event));
  OK(cudaStreamCreate(&stream));
  OK(cudaEventDestroy(event));
  OK(cudaStreamDestroy(stream));
  CHECK(cudaEventDestroy(event) == cudaErrorInvalidResourceHandle); // again
  CHECK(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
  CHECK(cudaEventSynchronize((cudaEvent_t)-1) == cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamWaitEvent(0, event, 0) == cudaErrorInvalidResourceHandle);
  return 0;
}

static int local() { // in the frame of a thread
  deep<<<1, 1>>>(p, 1 << 20);
  return sticky(cudaErrorLaunchFailure);
}

static int behind_shared() {
  shared<<<1, 32>>>(p, 1 << 20);
  return sticky(cudaErrorLaunchFailure);
}

static int instruction() {
  numbered<<<1, 32>>>(16);
  return sticky(cudaErrorIllegalInstruction);
}

static int assertion() {
  asserted<<<1, 32>>>(3);
  return sticky(cudaErrorAssert);
}

static const struct {
  const char *name;
  int (*does)();
} kinds[] = {
    {"host-pointer", host_pointer}, {"outside", outside}, {"guard", guard},     {"null", null},
    {"freed", freed},               {"trap", trap},       {"barrier", barrier}, {"spin", spin}, {"forever", forever},
    {"misaligned", misaligned},     {"sizes", sizes},     {"pitches", pitches}, {"launches", launches},
    {"symbols", symbols},           {"reset", reset},     {"handles", handles}, {"local", local},
    {"shared", behind_shared},      {"instruction", instruction},            {"assertion", assertion},
};

int main(int argc, char **argv) {
  OK(cudaMalloc(&p, sizeof host));
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0)
      return kinds[i].does();
  return 9;
}
