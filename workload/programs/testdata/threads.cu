// Threads that make their first calls of CUDA at once.
#include "check.h"
#include <atomic>
#include <thread>
#include <vector>

__global__ void add(int *p, int n) { atomicAdd(p, n); }

int main() {
  const int threads = 8;
  std::atomic<int> ready{0};
  std::vector<std::thread> list;
  for (int i = 0; i < threads; i++)
    list.emplace_back([&ready, i] {
      ready++;
      while (ready < threads) {
      }
      cudaDeviceProp p;
      cudaStream_t stream;
      int *sum, result;
      OK(cudaGetDeviceProperties(&p, 0));
      CHECK(p.maxThreadsPerBlock > 0 && p.maxBlocksPerMultiProcessor > 0);
      OK(cudaStreamCreate(&stream));
      OK(cudaMalloc(&sum, sizeof *sum));
      for (int j = 1; j <= 20; j++) add<<<1, 1 + j % 3, 0, stream>>>(sum, i);
      OK(cudaMemcpyAsync(&result, sum, sizeof result, cudaMemcpyDeviceToHost, stream));
      OK(cudaStreamSynchronize(stream));
      CHECK(result == i * 41);
    });
  for (auto &t : list) t.join();
  printf("PASSED\n");
}
