// A program as people wrote them for nvcc of 2010: blanks in the brackets of a launch, and C without
// declarations.
#include <stdio.h>

extern "C" int twice(int);

__global__ void set(int *p, int value) { p[threadIdx.x] = value; }

struct pair {
  unsigned char low, high;
};

int main() {
  int wide = 7;
  pair narrowed = {wide, 2}; // of which nvcc warns
  int *p, got[32];
  cudaMalloc((void **)&p, sizeof(got));
  set<< <1, 32>> >(p, twice(21));
  cudaMemcpy(got, p, sizeof(got), cudaMemcpyDeviceToHost);
  printf(got[31] == 42 && narrowed.low == 7 ? "PASSED\n" : "FAILED\n");
  return got[31] != 42;
}
