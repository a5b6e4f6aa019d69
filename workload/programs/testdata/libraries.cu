// CUB and Thrust, as Debian's libthrust-dev has them: reductions of blocks, a scan in one pass, in which blocks
// wait for those before, and vectors.
#include "check.h"
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <vector>

const int n = 5000;

__global__ void sums(const int *in, int *out) {
  typedef cub::BlockReduce<int, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  int i = blockIdx.x * 128 + threadIdx.x;
  int sum = Reduce(storage).Sum(i < n ? in[i] : 0);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

int main() {
  std::vector<int> values(n);
  int total = 0;
  for (int i = 0; i < n; i++) total += values[i] = i * 7919 % 1009;
  thrust::device_vector<int> in = values, out(n), sum(1);
  int *from = thrust::raw_pointer_cast(in.data()), *to = thrust::raw_pointer_cast(out.data());

  sums<<<(n + 127) / 128, 128>>>(from, thrust::raw_pointer_cast(sum.data()));
  OK(cudaGetLastError());
  CHECK(sum[0] == total);

  size_t bytes = 0;
  OK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, from, to, n));
  thrust::device_vector<char> storage(bytes);
  OK(cub::DeviceScan::ExclusiveSum(thrust::raw_pointer_cast(storage.data()), bytes, from, to, n));
  std::vector<int> scanned(n);
  thrust::copy(out.begin(), out.end(), scanned.begin());
  for (int i = 0, before = 0; i < n; before += values[i++]) CHECK(scanned[i] == before);

  CHECK(thrust::reduce(in.begin(), in.end()) == total);
  printf("PASSED\n");
}
