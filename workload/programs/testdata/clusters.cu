// Clusters (sm_90): a histogram in the shared memory of several thread blocks, whose number the launch gives, a kernel that
// gives the size itself, and bulk copies.
#include "check.h"
#include <cooperative_groups.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;
namespace cde = cuda::device::experimental;
typedef cuda::barrier<cuda::thread_scope_block> Barrier;

const int bins = 512;

// Each thread block holds a part of the bins.
__global__ void histogram(int *out, const int *in, int n, int per) {
  extern __shared__ int part[];
  auto cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < per; i += blockDim.x) part[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int bin = in[i] % bins;
    atomicAdd(cluster.map_shared_rank(part, bin / per) + bin % per, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < per; i += blockDim.x) atomicAdd(out + cluster.block_rank() * per + i, part[i]);
}

template <int width> __global__ void __cluster_dims__(width, 2, 1) __launch_bounds__(64) places(int *out) {
  auto cluster = cg::this_cluster();
  __shared__ int mine;
  if (threadIdx.x == 0) mine = blockIdx.y * gridDim.x + blockIdx.x;
  cluster.sync();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  if (threadIdx.x == 0) {
    int *there = cluster.map_shared_rank(&mine, next);
    out[mine] = cluster.query_shared_rank(there) == next ? *there * 100 + cluster.dim_blocks().x * 10 + cluster.block_index().y : -1;
  }
  cluster.sync();
}

// Bulk copies in, whose bytes the barrier counts, and out.
__global__ void bulk(const int *in, int *out) {
  __shared__ alignas(128) int line[256];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  for (int i = 0; i < 2; i++) {
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
      cuda::device::memcpy_async_tx(line, in + i * 256, cuda::aligned_size_t<16>(sizeof line), barrier);
      token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof line);
    } else {
      token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (int j = threadIdx.x; j < 256; j += blockDim.x) line[j] += 1000 * (i + 1);
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
      cde::cp_async_bulk_shared_to_global(out + i * 256, line, sizeof line);
      cde::cp_async_bulk_commit_group();
      cde::cp_async_bulk_wait_group_read<0>();
    }
    __syncthreads();
  }
}

int main() {
  const int n = 5000;
  int *in, *out, want[bins] = {};
  OK(cudaMallocManaged(&in, n * sizeof(int)));
  OK(cudaMallocManaged(&out, bins * sizeof(int)));
  for (int i = 0; i < n; i++) want[(in[i] = i * 7919 % 10007) % bins]++;

  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = 96;
  config.attrs = &attribute;
  config.numAttrs = 1;
  for (unsigned blocks : {1, 2, 4, 8}) {
    attribute.val.clusterDim = {blocks, 1, 1};
    config.dynamicSmemBytes = bins / blocks * sizeof(int);
    int clusters;
    OK(cudaOccupancyMaxActiveClusters(&clusters, histogram, &config));
    CHECK(clusters > 0);
    memset(out, 0, bins * sizeof(int));
    OK(cudaLaunchKernelEx(&config, histogram, out, (const int *)in, n, bins / blocks));
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < bins; i++) CHECK(out[i] == want[i]);
  }
  attribute.val.clusterDim = {3, 1, 1};
  CHECK(cudaLaunchKernelEx(&config, histogram, out, in, n, 1) == cudaErrorInvalidClusterSize);
  CHECK(cudaGetLastError() == cudaErrorInvalidClusterSize);

  places<2><<<dim3(4, 2), 64>>>(out);
  OK(cudaDeviceSynchronize());
  const int next[] = {1, 4, 3, 6, 5, 0, 7, 2}; // the next in the cluster
  for (int i = 0; i < 8; i++) CHECK(out[i] == next[i] * 100 + 20 + i / 4);

  bulk<<<1, 128>>>(in, out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 512; i++) CHECK(out[i] == in[i] + 1000 * (i / 256 + 1));
  printf("PASSED\n");
}
