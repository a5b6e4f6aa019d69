// State spaces: local arrays, tables in constant and global memory, vectors,
// static and dynamic shared memory, structs as parameters.
#include "cuda.h"
struct Box { float lo[3]; float hi[3]; int n; short flags; char tag; };
__constant__ float weights[5] = {0.25f, 0.5f, -1.0f, 2.0f, 1e-3f};
__constant__ int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ int counter = 7;
__device__ int *pointer = &counter;
__device__ double totals[16];
extern __shared__ float dynamic[];

__global__ void localArray(int *out, const int *in, int n) {
  int histogram[16];
  for (int i = 0; i < 16; i++) histogram[i] = i;
  for (int i = TX; i < n; i += NX) histogram[in[i] & 15]++;
  for (int i = 0; i < 16; i++) out[ID * 16 + i] = histogram[(i * 5) & 15];
}
__global__ void tables(float *out, int n, Box box) {
  int i = ID;
  if (i >= n) return;
  float s = 0;
  for (int k = 0; k < 5; k++) s += weights[(k + i) % 5] * box.lo[k % 3];
  out[i] = s + grid[i & 1][i % 3] + *pointer + box.hi[i % 3] * box.n + box.flags - box.tag;
}
__global__ void vectors(float4 *out, const float4 *__restrict__ in, double2 *d) {
  int i = ID;
  float4 a = in[i], b = in[i + 1];
  out[i] = float4{a.x + b.w, a.y * b.z, a.z - b.y, a.w};
  double2 t = d[i];
  d[i] = double2{t.y, t.x};
}
__global__ void reduce(float *out, const float *in) {
  __shared__ float part[128];
  part[TX] = in[ID];
  dynamic[TX] = in[ID] * 2;
  for (int s = 64; s > 0; s >>= 1) {
    barrier();
    if (TX < s) { part[TX] += part[TX + s]; dynamic[TX] += dynamic[TX + s]; }
  }
  if (TX == 0) { out[BX] = part[0]; out[BX + GX] = dynamic[0]; totals[BX & 15] = part[0]; }
}
