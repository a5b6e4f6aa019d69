// Functions that call themselves: alone, through each other, through a pointer, with variables of their own whose
// addresses they pass on, and with structures. Threads go to different depths. The CPU runs the same functions.
#include <cstdio>
#include <cstdlib>

#define OK(call) \
  do { \
    cudaError_t error = (call); \
    if (error != cudaSuccess) { \
      printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      return 1; \
    } \
  } while (0)

#define BOTH __host__ __device__ __noinline__

BOTH int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

BOTH unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0)
    return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

BOTH bool odd(unsigned n);
BOTH bool even(unsigned n) { return n == 0 || odd(n - 1); }
BOTH bool odd(unsigned n) { return n != 0 && even(n - 1); }

BOTH void sort(int *a, int low, int high) {
  if (low >= high)
    return;
  int pivot = a[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (a[i] < pivot)
      i++;
    while (a[j] > pivot)
      j--;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
    }
  }
  sort(a, low, j);
  sort(a, i, high);
}

// Each call has digits of its own, and the caller's are read behind the call.
BOTH int digits(const int *outer, int depth, unsigned seed) {
  int own[6];
  for (int i = 0; i < 6; i++)
    own[i] = (outer ? outer[5 - i] : 0) + (int)(seed >> i & 3);
  int below = depth > 0 ? digits(own, depth - 1, seed * 2654435761u + 1) : 0;
  int sum = 0;
  for (int i = 0; i < 6; i++)
    sum = sum * 3 + own[i];
  return sum ^ below;
}

struct Range {
  double from, to;
  int left, parts[5];
};

// Simpson's rule, halved where it is too coarse.
BOTH double area(Range r, double (*f)(double)) {
  double middle = (r.from + r.to) / 2;
  double coarse = (r.to - r.from) / 6 * (f(r.from) + 4 * f(middle) + f(r.to));
  if (r.left == 0)
    return coarse;
  Range first = r, second = r;
  first.to = second.from = middle;
  first.left = second.left = r.left - 1;
  first.parts[r.left % 5]++;
  double sum = area(first, f);
  sum += area(second, f);
  return sum + r.parts[r.left % 5] * 1e-3 * (r.left > 1 && r.parts[0] == 0 ? coarse : 1);
}

BOTH double square(double x) { return x * x; }

typedef long (*Walk)(long, int, const void *);
BOTH long walk(long x, int steps, const void *self) {
  if (steps == 0)
    return x;
  Walk next = *(const Walk *)self;
  long there = next(x * 3 + 1, steps - 1, self);
  return there - x * steps;
}

struct Results {
  int fibonacci, digits, sorted[9];
  unsigned ackermann;
  bool even;
  double area;
  long walk;
};

BOTH void all(int i, double (*f)(double), const void *self, Results *r) {
  r->fibonacci = fibonacci(i % 13);
  r->ackermann = i % 4 == 0 ? ackermann(2, i % 7) : 0;
  r->even = even(i);
  unsigned x = i;
  for (int k = 0; k < 9; k++)
    r->sorted[k] = (x = x * 1664525u + 1013904223u) >> 24;
  sort(r->sorted, 0, i % 9);
  r->digits = digits(nullptr, i % 11, i);
  Range range = {0, 1.0 + i % 3, i % 6, {1, 2, 3, 4, 5}};
  r->area = area(range, f);
  r->walk = walk(i, i % 20, self);
}

__global__ void kernel(Results *results) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Walk self = walk;
  all(i, square, &self, &results[i]);
}

__device__ int endless(int n) { return n + endless(n + 1) * 2; }
__global__ void overflows(int *out) { *out = endless(threadIdx.x); }

static Results expected, results[96];

int main(int argc, char **argv) {
  if (argc > 1) {
    int *out;
    OK(cudaMalloc(&out, sizeof *out));
    overflows<<<1, 1>>>(out);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  Results *device;
  OK(cudaMalloc(&device, sizeof results));
  OK(cudaMemset(device, 0, sizeof results));
  kernel<<<2, 48>>>(device);
  OK(cudaMemcpy(results, device, sizeof results, cudaMemcpyDeviceToHost));
  int wrong = 0;
  Walk self = walk;
  for (int i = 0; i < 96; i++) {
    Results &e = expected, &r = results[i];
    all(i, square, &self, &e);
    bool same = r.fibonacci == e.fibonacci && r.ackermann == e.ackermann && r.even == e.even && r.digits == e.digits && r.walk == e.walk;
    for (int k = 0; k < 9; k++)
      same = same && r.sorted[k] == e.sorted[k];
    double off = r.area - e.area;
    same = same && off < 1e-9 && off > -1e-9;
    if (!same && wrong++ < 4)
      printf("thread %d: %d %d, %u %u, %d %d, %d %d, %ld %ld, %.9f %.9f\n", i, r.fibonacci, e.fibonacci, r.ackermann, e.ackermann, r.even, e.even,
             r.digits, e.digits, r.walk, e.walk, r.area, e.area);
  }
  printf("%d of 96 threads differ\n", wrong);
  return wrong != 0;
}
