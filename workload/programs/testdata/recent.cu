// What CUDA has had since sm_70 to sm_90, for each of them: atomic objects, barriers with phases, asynchronous copies,
// pipelines, tiles of several warps, and products of matrices of doubles.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> Barrier;

// Atomic objects.
struct Pair {
  short a, b;
};
__device__ cuda::atomic<int, cuda::thread_scope_device> launched;
__global__ void atomics(int *sum, float *most, unsigned char *byte, long *least, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(*sum).fetch_add(threadIdx.x, cuda::memory_order_relaxed);
  cuda::atomic_ref<float, cuda::thread_scope_device>(*most).fetch_max((float)threadIdx.x);
  cuda::atomic_ref<unsigned char, cuda::thread_scope_block>(*byte).fetch_add(3);
  cuda::atomic_ref<long, cuda::thread_scope_system>(*least).fetch_min(-(long)threadIdx.x);
  launched.fetch_add(1, cuda::std::memory_order_relaxed);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> number;
  __shared__ cuda::atomic<Pair, cuda::thread_scope_block> pair;
  if (threadIdx.x == 0) {
    number = 0;
    pair.store({1, 0});
  }
  __syncthreads();
  number++;
  number += 2;
  Pair old = pair.load(), next;
  do {
    next = {(short)(old.a + 1), (short)(old.b + 2)};
  } while (!pair.compare_exchange_weak(old, next));
  __syncthreads();
  if (threadIdx.x != 0) return;
  out[0] = number.load(cuda::memory_order_acquire);
  out[1] = pair.load().a;
  out[2] = pair.load().b;
  out[3] = launched.exchange(7);
#if defined(__CUDA_ARCH__)
  out[4] = __CUDA_ARCH__ / 10;
#endif
}

// Barriers: phases, threads that leave, a function at the end of each phase, and one of all thread blocks.
struct Count {
  int *phases;
  __device__ void operator()() { ++*phases; }
};
__global__ void barriers(int *out) {
  __shared__ alignas(8) Barrier barrier;
  __shared__ cuda::barrier<cuda::thread_scope_block, Count> counted;
  __shared__ int sum, phases;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) {
    init(&barrier, block.size());
    init(&counted, block.size(), Count{&phases});
    sum = phases = 0;
  }
  block.sync();
  for (int i = 0; i < 3; i++) {
    atomicAdd(&sum, threadIdx.x);
    barrier.wait(barrier.arrive());
    if (threadIdx.x == 40 + i) out[i] = sum;
    Barrier::arrival_token token = barrier.arrive();
    barrier.wait(std::move(token));
    counted.arrive_and_wait();
  }
  if (threadIdx.x >= 64) {
    barrier.arrive_and_drop();
    return;
  }
  barrier.arrive_and_wait();
  if (threadIdx.x == 0) out[3] = phases;
}
__global__ void begin(cuda::barrier<cuda::thread_scope_device> *all, int blocks) { init(all, blocks); }
__global__ void meet(cuda::barrier<cuda::thread_scope_device> *all, int *out) {
  if (threadIdx.x != 0) return;
  atomicAdd(out, 1);
  all->arrive_and_wait();
  if (blockIdx.x == 3) out[1] = *(volatile int *)out;
}

// Copies: by a group and a barrier, by a group that waits, by a thread with zeros behind, and of whole lines.
__global__ void copies(const char *in, char *out, int n) {
  __shared__ alignas(16) char lines[1024];
  __shared__ Barrier barrier;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, lines, in, n, barrier);
  barrier.arrive_and_wait();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = lines[n - 1 - i];
  block.sync();
  cg::memcpy_async(block, lines, in + 4, n - 4);
  cg::wait(block);
  for (int i = threadIdx.x; i < n - 4; i += blockDim.x) out[n + i] = lines[i];
  block.sync();
  __pipeline_memcpy_async(lines + 16 * threadIdx.x, in + 16 * threadIdx.x, 16, 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  block.sync();
  for (int i = threadIdx.x; i < 512; i += blockDim.x) out[2 * n + i] = lines[i];
  block.sync();
  cuda::memcpy_async(block, lines, in, cuda::aligned_size_t<16>(512), barrier);
  barrier.arrive_and_wait();
  for (int i = threadIdx.x; i < 512; i += blockDim.x) out[2 * n + 512 + i] = lines[511 - i];
}

// How long a thread block waits for copies, by a barrier, and by groups.
__global__ void waits(const float *in, float *out, long long *cycles) {
  __shared__ float lines[2][128];
  __shared__ Barrier barrier;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, block.size());
  block.sync();
#pragma unroll 1
  for (int i = 0; i < 2; i++) { // the second time the code is in the caches
    long long began = clock64();
    cuda::memcpy_async(&lines[0][threadIdx.x], in + 2048 * i + threadIdx.x, sizeof(float), barrier);
    barrier.arrive_and_wait();
    long long waited = clock64();
    __pipeline_memcpy_async(&lines[1][threadIdx.x], in + 2048 * i + 1024 + threadIdx.x, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    block.sync();
    if (threadIdx.x == 0) {
      cycles[0] = waited - began;
      cycles[1] = clock64() - waited;
    }
  }
  out[threadIdx.x] = lines[0][127 - threadIdx.x] + lines[1][threadIdx.x];
}

// Pipelines of all threads, of producers and consumers, and of each thread alone.
template <int stages> __global__ void together(const float *in, float *out, int n) {
  __shared__ float lines[stages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  float sum = 0;
  for (int used = 0, filled = 0; used < n; used++) {
    for (; filled < n && filled < used + stages; filled++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, lines[filled % stages], in + filled * 128, cuda::aligned_size_t<16>(512), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += lines[used % stages][127 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
__global__ void apart(const float *in, float *out, int n) {
  __shared__ float lines[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto role = threadIdx.x < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, role);
  float sum = 0;
  for (int i = 0; i < n; i++) {
    if (role == cuda::pipeline_role::producer) {
      pipe.producer_acquire();
      cuda::memcpy_async(&lines[i % 2][threadIdx.x], in + i * 64 + threadIdx.x, sizeof(float), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sum += lines[i % 2][127 - threadIdx.x];
      pipe.consumer_release();
    }
  }
  if (threadIdx.x >= 64) out[threadIdx.x] = sum;
}
__global__ void alone(const float *in, float *out, int n) {
  __shared__ float4 lines[2][64];
  auto pipe = cuda::make_pipeline();
  float sum = 0;
  for (int used = 0, filled = 0; used < n; used++) {
    for (; filled < n && filled < used + 2; filled++) {
      pipe.producer_acquire();
      cuda::memcpy_async(&lines[filled % 2][threadIdx.x], (const float4 *)in + filled * 64 + threadIdx.x, cuda::aligned_size_t<16>(16), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    float4 v = lines[used % 2][threadIdx.x];
    sum += v.x + v.y + v.z + v.w;
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// Tiles of two warps.
__global__ void tiles(int *out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  int rank = block.thread_rank(), sum = 0;
  for (int i = 0; i < 3; i++) sum += cg::reduce(tile, rank * (i + 1), cg::plus<int>());
  double told = tile.shfl(rank + 0.5, 40);
  bool right = sum == 6 * (4096 * (int)tile.meta_group_rank() + 2016) && told == 64 * tile.meta_group_rank() + 40.5;
  right = right && tile.any(rank == 70) == (tile.meta_group_rank() == 1) && tile.all(rank != 70) == (tile.meta_group_rank() != 1);
  right = right && tile.thread_rank() == rank % 64u && tile.meta_group_size() == 4 && cg::tiled_partition<16>(block).size() == 16;
  out[rank] = right;
}

// One warp's product of doubles, of 8 rows, 8 columns and depth 4.
__global__ void doubles(const double *a, const double *b, double *c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 8, 8, 4, double, row_major> fa;
  fragment<matrix_b, 8, 8, 4, double, col_major> fb;
  fragment<accumulator, 8, 8, 4, double> fc;
  load_matrix_sync(fa, a, 4);
  load_matrix_sync(fb, b, 4);
  load_matrix_sync(fc, c, 8, mem_col_major);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(c, fc, 8, mem_row_major);
}

// Latches and semaphores: the last warp waits for the others, which add one at a time; two of four may be inside.
__managed__ cuda::latch<cuda::thread_scope_system> done{3};
__managed__ cuda::std::counting_semaphore<2> two{2};
__managed__ cuda::binary_semaphore<cuda::thread_scope_device> one{0};
__global__ void queues(volatile int *out) {
  if (threadIdx.x % 32 != 0) return;
  if (threadIdx.x == 96) {
    out[2] = done.try_wait() + 2 * one.try_acquire();
    one.release();
    done.wait();
    out[3] = out[0];
    return;
  }
  one.acquire();
  out[0] = out[0] + 1;
  one.release();
  two.acquire();
  int inside = atomicAdd((int *)out + 4, 1) + 1;
  atomicMax((int *)out + 1, inside);
  atomicAdd((int *)out + 4, -1);
  two.release();
  done.count_down();
}

int main(int argc, char **) {
  cudaDeviceProp device;
  int *out;
  if (argc > 1) { // on a GPU that takes time
    float *memory;
    long long *cycles;
    OK(cudaMalloc(&memory, 16384));
    OK(cudaMallocManaged(&cycles, 16));
    waits<<<1, 128>>>(memory, memory, cycles);
    OK(cudaDeviceSynchronize());
    printf("%lld cycles by a barrier, %lld by groups\n", cycles[0], cycles[1]);
    CHECK(cycles[0] > 400 && cycles[1] > 400); // as a load from the DRAM takes
    return 0;
  }
  OK(cudaMallocManaged(&out, 256));
  atomics<<<1, 64>>>(out + 8, (float *)(out + 9), (unsigned char *)out + 41, (long *)(out + 12), out);
  OK(cudaDeviceSynchronize());
  CHECK(out[0] == 192 && out[1] == 65 && out[2] == 128 && out[3] == 64);
  CHECK(out[8] == 2016 && ((float *)out)[9] == 63 && out[10] == 192 << 8 && ((long *)out)[6] == -63);
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, atomics));
  CHECK(attributes.ptxVersion == out[4]); // libraries launch by it what they have compiled for it
  int blocks, threads, fit;
  OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, atomics, 0, 200));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, atomics, threads, 0));
  OK(cudaGetDeviceProperties(&device, 0));
  CHECK(threads > 0 && threads <= 200 && blocks == fit * device.multiProcessorCount);
  cuda::atomic_ref<int> host(out[0]);
  host.fetch_sub(2);
  host |= 1;
  CHECK(host.load() == 191 && host.fetch_max(500) == 191 && out[0] == 500);

  barriers<<<1, 96>>>(out);
  cuda::barrier<cuda::thread_scope_device> *all;
  OK(cudaMalloc(&all, sizeof *all));
  begin<<<1, 1>>>(all, 8);
  out[8] = 0;
  meet<<<8, 32>>>(all, out + 8);
  OK(cudaDeviceSynchronize());
  CHECK(out[0] == 4560 && out[1] == 9120 && out[2] == 13680 && out[3] == 3 && out[9] == 8);

  out[0] = out[1] = out[4] = 0;
  queues<<<1, 128>>>(out);
  OK(cudaDeviceSynchronize());
  CHECK(out[0] == 3 && out[1] <= 2 && out[1] > 0 && out[2] == 0 && out[3] == 3);
  CHECK(done.try_wait() && two.try_acquire() && two.try_acquire() && !two.try_acquire());

  float *in, *sums;
  OK(cudaMallocManaged(&in, 16384));
  OK(cudaMallocManaged(&sums, 4096));
  for (int i = 0; i < 4096; i++) in[i] = (float)(i * 37 % 101);
  const char *bytes = (const char *)in, *copied = (const char *)sums;
  const int n = 777;
  copies<<<1, 32>>>(bytes, (char *)sums, n);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) CHECK(copied[i] == bytes[n - 1 - i]);
  for (int i = 0; i < n - 4; i++) CHECK(copied[n + i] == bytes[i + 4]);
  for (int i = 0; i < 512; i++) CHECK(copied[2 * n + i] == (i % 16 < 12 ? bytes[i] : 0));
  for (int i = 0; i < 512; i++) CHECK(copied[2 * n + 512 + i] == bytes[511 - i]);

  together<3><<<1, 128>>>(in, sums, 9);
  together<1><<<1, 128>>>(in, sums + 128, 5);
  apart<<<1, 128>>>(in, sums + 256, 7);
  alone<<<1, 64>>>(in, sums + 384, 9);
  OK(cudaDeviceSynchronize());
  for (int t = 0; t < 128; t++) {
    float three = 0, one = 0, consumed = 0, own = 0;
    for (int i = 0; i < 9; i++) three += in[i * 128 + 127 - t];
    for (int i = 0; i < 5; i++) one += in[i * 128 + 127 - t];
    for (int i = 0; i < 7; i++) consumed += in[i * 64 + 127 - t];
    for (int i = 0; i < 36; i++) own += in[i / 4 * 256 + 4 * t + i % 4];
    CHECK(sums[t] == three && sums[128 + t] == one);
    CHECK(t < 64 ? sums[384 + t] == own : sums[256 + t] == consumed);
  }

  tiles<<<1, 256>>>((int *)sums);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 256; i++) CHECK(((int *)sums)[i] == 1);

  double *a, *c, before[64];
  OK(cudaMallocManaged(&a, 512));
  OK(cudaMallocManaged(&c, 512));
  for (int i = 0; i < 64; i++) {
    a[i] = i * 7 % 11 - 5;
    before[i] = c[i] = i;
  }
  doubles<<<1, 32>>>(a, a + 32, c);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++) {
    double want = before[i % 8 * 8 + i / 8];
    for (int k = 0; k < 4; k++) want += a[i / 8 * 4 + k] * a[32 + i % 8 * 4 + k];
    CHECK(c[i] == want);
  }
  printf("PASSED\n");
}
