// What CUDA has for sm_90: clusters, as a histogram in the shared memory of several thread blocks, whose number the launch
// gives, and a kernel that gives the size itself; bulk copies of lines, and of boxes by tensor maps.
#include "check.h"
#include <cooperative_groups.h>
#include <cstddef>
#include <cuda/barrier>
#include <cudaTypedefs.h>

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

// Each thread block adds to a box of a matrix. The maps are members of a parameter, of which the kernel also reads a number.
struct Maps {
  int add;
  CUtensorMap in, out;
};
__global__ void boxes(const __grid_constant__ Maps maps, unsigned long long *where) {
  __shared__ alignas(128) int box[8][16];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  int x = blockIdx.x * 16, y = blockIdx.y * 8;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&box, &maps.in, x, y, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof box);
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < 128; i += blockDim.x) box[i / 16][i % 16] += maps.add;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (x + y == 0) *where = (unsigned long long)&maps.out - (unsigned long long)&maps;
    cde::cp_async_bulk_tensor_2d_shared_to_global(&maps.out, x, y, &box);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
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

  void *function;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
  CHECK(found == cudaDriverEntryPointSuccess);
  auto encode = (PFN_cuTensorMapEncodeTiled_v12000)function;
  const int width = 40, height = 12; // of which the last boxes hold a part
  Maps maps;
  maps.add = 1000;
  for (bool to : {false, true}) {
    cuuint64_t dims[] = {width, height}, strides[] = {width * sizeof(int)};
    cuuint32_t box[] = {16, 8}, steps[] = {1, 1};
    CUresult result = encode(to ? &maps.out : &maps.in, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, to ? out : in, dims, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    CHECK(result == CUDA_SUCCESS);
    box[0] = 3; // no whole lines of 16 bytes
    CHECK(encode(&maps.in, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, in, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                 CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);
  }
  unsigned long long *where = (unsigned long long *)(out + 496);
  boxes<<<dim3(3, 2), 64>>>(maps, where);
  OK(cudaDeviceSynchronize());
  CHECK(*where == offsetof(Maps, out));
  for (int i = 0; i < width * height; i++) CHECK(out[i] == in[i] + 1000);
  CHECK(cudaGetDriverEntryPoint("cuNothing", &function, cudaEnableDefault) == cudaErrorSymbolNotFound);
  printf("PASSED\n");
}
