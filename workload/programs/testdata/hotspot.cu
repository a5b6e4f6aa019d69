// Steps of heat on a plate of 64 x 64 cells, from one array to another and back, checked on the CPU.
#include <math.h>
#include <string.h>

#include "check.h"

enum { SIDE = 64, STEPS = 6 };

extern "C" __global__ void heat(const float *power, const float *from, float *to, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * side + x;
  float c = from[i];
  float l = x > 0 ? from[i - 1] : c, r = x < side - 1 ? from[i + 1] : c;
  float u = y > 0 ? from[i - side] : c, d = y < side - 1 ? from[i + side] : c;
  to[i] = c + 0.1f * (l + r + u + d - 4 * c) + power[i];
}

static float power[SIDE * SIDE], cells[SIDE * SIDE], want[SIDE * SIDE], next[SIDE * SIDE];

int main() {
  for (int i = 0; i < SIDE * SIDE; i++) {
    power[i] = 0.5f;
    cells[i] = want[i] = 20;
  }
  float *dpower, *from, *to;
  OK(cudaMalloc(&dpower, sizeof power));
  OK(cudaMalloc(&from, sizeof cells));
  OK(cudaMalloc(&to, sizeof cells));
  OK(cudaMemcpy(dpower, power, sizeof power, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(from, cells, sizeof cells, cudaMemcpyHostToDevice));
  for (int s = 0; s < STEPS; s++) {
    heat<<<dim3(SIDE / 16, SIDE / 16), dim3(16, 16)>>>(dpower, from, to, SIDE);
    OK(cudaDeviceSynchronize());
    float *t = from;
    from = to;
    to = t;
    for (int i = 0; i < SIDE * SIDE; i++) {
      int x = i % SIDE, y = i / SIDE;
      float c = want[i], l = x > 0 ? want[i - 1] : c, r = x < SIDE - 1 ? want[i + 1] : c;
      float u = y > 0 ? want[i - SIDE] : c, d = y < SIDE - 1 ? want[i + SIDE] : c;
      next[i] = c + 0.1f * (l + r + u + d - 4 * c) + power[i];
    }
    memcpy(want, next, sizeof want);
  }
  OK(cudaMemcpy(cells, from, sizeof cells, cudaMemcpyDeviceToHost));
  for (int i = 0; i < SIDE * SIDE; i++)
    CHECK(fabsf(cells[i] - want[i]) < 1e-3f);
  printf("PASSED\n");
  return 0;
}
