// Streams, events, pinned memory, constant memory, copies of two dimensions and managed memory.
#include "check.h"

#define N 4096

__constant__ int table[4];
static __device__ int bias = 5;

__global__ void look(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = table[in[i] & 3] + bias;
}

__global__ void slow(int *out, int rounds) {
  int v = threadIdx.x;
  for (int i = 0; i < rounds; i++)
    v = v * 3 + 1;
  out[threadIdx.x] = v;
}

int main() {
  int constants[4] = {10, 20, 30, 40}, seven = 7;
  OK(cudaMemcpyToSymbol(table, constants, sizeof constants));
  size_t size;
  OK(cudaGetSymbolSize(&size, table));
  CHECK(size == sizeof constants);
  OK(cudaMemcpyToSymbol(bias, &seven, sizeof seven));

  cudaStream_t streams[3];
  int *in[3], *out[3], *pinnedIn[3], *pinnedOut[3];
  for (int s = 0; s < 3; s++) {
    OK(cudaStreamCreate(&streams[s]));
    OK(cudaMalloc(&in[s], N * sizeof(int)));
    OK(cudaMalloc(&out[s], N * sizeof(int)));
    OK(cudaMallocHost(&pinnedIn[s], N * sizeof(int)));
    OK(cudaHostAlloc(&pinnedOut[s], N * sizeof(int), cudaHostAllocDefault));
    for (int i = 0; i < N; i++) {
      pinnedIn[s][i] = i + s;
      pinnedOut[s][i] = -1;
    }
  }
  for (int s = 0; s < 3; s++) {
    OK(cudaMemcpyAsync(in[s], pinnedIn[s], N * sizeof(int), cudaMemcpyHostToDevice, streams[s]));
    look<<<N / 256, 256, 0, streams[s]>>>(in[s], out[s], N);
    OK(cudaMemcpyAsync(pinnedOut[s], out[s], N * sizeof(int), cudaMemcpyDeviceToHost, streams[s]));
  }
  for (int s = 0; s < 3; s++) {
    OK(cudaStreamSynchronize(streams[s]));
    for (int i = 0; i < N; i++)
      CHECK(pinnedOut[s][i] == constants[(i + s) & 3] + 7);
  }

  // An event tells when a kernel has ended, and its time.
  cudaEvent_t start, stop;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle);
  CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  OK(cudaEventRecord(start));
  slow<<<1, 64>>>(out[0], 1000);
  OK(cudaEventRecord(stop));
  OK(cudaEventSynchronize(stop));
  OK(cudaEventElapsedTime(&ms, start, stop));
  CHECK(ms > 0);
  float longer;
  OK(cudaEventRecord(start));
  slow<<<1, 64>>>(out[0], 4000);
  OK(cudaEventRecord(stop));
  int polls = 0;
  while (cudaEventQuery(stop) == cudaErrorNotReady)
    CHECK(polls++ < 2);
  OK(cudaEventElapsedTime(&longer, start, stop));
  CHECK(longer > 2 * ms && longer < 8 * ms);

  // The second stream waits for what the first has recorded.
  slow<<<1, 64, 0, streams[0]>>>(out[0], 2000);
  OK(cudaMemcpyAsync(pinnedOut[0], out[0], 64 * sizeof(int), cudaMemcpyDeviceToHost, streams[0]));
  OK(cudaEventRecord(start, streams[0]));
  OK(cudaStreamWaitEvent(streams[1], start, 0));
  OK(cudaMemcpyAsync(pinnedOut[1], out[0], 64 * sizeof(int), cudaMemcpyDeviceToHost, streams[1]));
  OK(cudaStreamSynchronize(streams[1]));
  for (int t = 0; t < 64; t++) {
    unsigned v = t;
    for (int i = 0; i < 2000; i++)
      v = v * 3 + 1;
    CHECK(pinnedOut[1][t] == (int)v && pinnedOut[0][t] == (int)v);
  }
  OK(cudaStreamQuery(streams[0]));

  // Rows.
  char *pitched;
  size_t pitch;
  OK(cudaMallocPitch(&pitched, &pitch, 100, 10));
  CHECK(pitch >= 100 && pitch % 32 == 0);
  char rows[10][100], back[10][100];
  for (int i = 0; i < 1000; i++)
    rows[i / 100][i % 100] = (char)i;
  OK(cudaMemset2D(pitched, pitch, 9, 100, 10));
  OK(cudaMemcpy2D(pitched, pitch, rows, 100, 50, 10, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(back, 100, pitched, pitch, 100, 10, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 1000; i++)
    CHECK(back[i / 100][i % 100] == (i % 100 < 50 ? (char)i : 9));

  // Managed memory has one address.
  int *managed;
  OK(cudaMallocManaged(&managed, N * sizeof(int)));
  for (int i = 0; i < N; i++)
    managed[i] = i;
  look<<<N / 256, 256>>>(managed, managed, N);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < N; i++)
    CHECK(managed[i] == constants[i & 3] + 7);
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, managed));
  CHECK(a.type == cudaMemoryTypeManaged);
  OK(cudaPointerGetAttributes(&a, in[0]));
  CHECK(a.type == cudaMemoryTypeDevice);
  OK(cudaPointerGetAttributes(&a, constants));
  CHECK(a.type == cudaMemoryTypeUnregistered);
  OK(cudaFree(managed));

  // Memory that is registered keeps its contents and neighbours, and the device has it at an address of its own.
  int *own = (int *)malloc(4 * N * sizeof(int)), *part = own + 5, *seen;
  for (int i = 0; i < 4 * N; i++)
    own[i] = i;
  CHECK(cudaHostGetDevicePointer(&seen, part, 0) == cudaErrorInvalidValue);
  OK(cudaHostRegister(part, N * sizeof(int), cudaHostRegisterMapped));
  CHECK(cudaHostRegister(part + 1, 4, cudaHostRegisterMapped) == cudaErrorHostMemoryAlreadyRegistered);
  OK(cudaHostGetDevicePointer(&seen, part, 0));
  OK(cudaPointerGetAttributes(&a, part + 2));
  CHECK(a.type == cudaMemoryTypeHost && a.devicePointer == seen + 2 && a.hostPointer == part + 2);
  look<<<N / 256, 256>>>(seen, seen, N);
  part[-1] = -1; // in a page that the kernel writes as it runs
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < N; i++)
    CHECK(part[i] == constants[(i + 5) & 3] + 7);
  CHECK(cudaHostUnregister(part + 1) == cudaErrorHostMemoryNotRegistered);
  OK(cudaHostUnregister(part));
  CHECK(cudaHostGetDevicePointer(&seen, part, 0) == cudaErrorInvalidValue);
  for (int i = 0; i < 4 * N; i++)
    CHECK(own[i] == (i == 4 ? -1 : i < 5 || i >= N + 5 ? i : constants[i & 3] + 7));
  OK(cudaHostRegister(own, N * sizeof(int), cudaHostRegisterMapped));
  OK(cudaHostUnregister(own));
  cudaGetLastError();
  OK(cudaHostRegister(part, N * sizeof(int), cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(&seen, part - 1, 0) == cudaErrorInvalidValue); // a neighbour in the page
  cudaGetLastError();

  for (int s = 0; s < 3; s++) {
    OK(cudaStreamDestroy(streams[s]));
    OK(cudaFreeHost(pinnedIn[s]));
  }
  CHECK(cudaStreamSynchronize(streams[0]) == cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  OK(cudaEventDestroy(start));
  OK(cudaDeviceReset()); // after which the program has what it registered, and the device's memory is other memory
  OK(cudaMalloc(&seen, 64 << 20));
  OK(cudaMemset(seen, 1, 64 << 20));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 4 * N; i++)
    CHECK(own[i] == (i == 4 ? -1 : i < 5 || i >= N + 5 ? i : constants[i & 3] + 7));
  free(own);
  printf("PASSED\n");
  return 0;
}
