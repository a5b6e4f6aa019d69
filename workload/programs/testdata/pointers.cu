// Calls through pointers: from tables, of virtual functions, of a function that the host passes; threads of a warp call
// different ones. A pointer to nothing is an error of the launch.
#include "check.h"

typedef int (*Operation)(int, int);
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ __noinline__ float other(float a) { return a; }
__device__ float (*apart)(float) = other;
__device__ Operation table[] = {add, subtract, multiply};
__device__ Operation chosen = multiply;
__global__ void apply(int *out, Operation passed) {
  int i = threadIdx.x;
  out[i] = table[i % 3](i, 3);
  if (i & 4) out[i] += passed(1000, i);
}

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
};
struct Pair : Shape {
  float areas[2];
  __device__ Pair(float a, float b) : areas{a, b} {}
  __device__ float area() const override { return areas[0] + areas[1]; }
  __device__ ~Pair() override { ended[0] += areas[1]; }
  static __device__ float ended[1];
};
__device__ float Pair::ended[1];
__global__ void make(Shape **shapes) {
  float i = (float)threadIdx.x;
  if (threadIdx.x & 1) shapes[threadIdx.x] = new Square(i);
  else shapes[threadIdx.x] = new Pair(i, 0.5f);
}
__global__ void measure(Shape **shapes, float *out) { out[threadIdx.x] = shapes[threadIdx.x]->area(); }
__global__ void end(Shape **shapes) {
  for (int i = 0; i < 32; i++) delete shapes[i];
}

int main(int argc, char **argv) {
  int *out;
  float *areas, ended;
  Shape **shapes;
  Operation f = nullptr;
  OK(cudaMallocManaged(&out, 128));
  if (argc > 1 && argv[1][0] == 'a') OK(cudaMemcpyFromSymbol(&f, apart, sizeof f));
  else if (argc > 1) f = (Operation)strtoull(argv[1], nullptr, 0);
  else OK(cudaMemcpyFromSymbol(&f, chosen, sizeof f));
  apply<<<1, 32>>>(out, f);
  if (argc > 1) {
    OK(cudaGetLastError()); // a launch does not wait for its kernel
    CHECK(cudaDeviceSynchronize() == cudaErrorInvalidPc);
    printf("FAILED AS EXPECTED\n");
    return 0;
  }
  OK(cudaMallocManaged(&areas, 128));
  OK(cudaMalloc(&shapes, 32 * sizeof *shapes));
  make<<<1, 32>>>(shapes);
  measure<<<1, 32>>>(shapes, areas);
  end<<<1, 1>>>(shapes);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpyFromSymbol(&ended, Pair::ended, sizeof ended));
  CHECK(ended == 8);
  for (int i = 0; i < 32; i++) {
    int want = i % 3 == 0 ? i + 3 : i % 3 == 1 ? i - 3 : i * 3;
    CHECK(out[i] == want + (i & 4 ? 1000 * i : 0));
    CHECK(areas[i] == (i & 1 ? (float)i * i : i + 0.5f));
  }
  printf("PASSED\n");
}
