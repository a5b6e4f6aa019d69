// C = A * transpose(B) in half precision on tensor cores, with sums in single precision. All
// matrices lie in rows: A is m x k, B n x k, as the weights of a layer, and C m x n.
//
// A TB of eight warps makes a tile of 128 x 128, a warp 64 x 32 of it. A step takes 32 columns
// of A and B, 8 KB each, through shared memory, from where ldmatrix brings 16 x 16 at a time
// to the registers as mma takes them.
#include "half.h"
#include "tile.h"

enum {
  tile = 128,
  slice_bytes = tile * row_bytes,
  copied_rows = 64 // by a load of each thread
};

// Block 256, m = gridDim.y * 128, n = gridDim.x * 128, k a multiple of 32.
template <bool async, bool swizzle, int stages> INLINE void gemm(const half *a, const half *b, half *c, int n, int k) {
  __shared__ __attribute__((aligned(64))) uint4 slices[stages][2][slice_bytes / 16];
  unsigned room = shared_address(slices), thread = threadIdx.x, lane = thread % 32, warp = thread / 32;

  // Each thread brings four chunks: two rows of A and two of B.
  unsigned row = thread / 4, chunk = thread % 4, target = place<swizzle>(row, chunk);
  const half *from_a = a + ((long long)blockIdx.y * tile + row) * k + chunk * 8;
  const half *from_b = b + ((long long)blockIdx.x * tile + row) * k + chunk * 8;
  long long below = (long long)copied_rows * k;
  auto copy = [&](unsigned to, const half *from) {
    if (async)
      copy_async(room + to, from);
    else
      store16((char *)slices + to, load16(from));
  };
  int fetched = 0; // columns that have been asked for
  auto fetch = [&](unsigned stage) {
    if (fetched < k) {
      unsigned to = stage * 2 * slice_bytes + target;
      copy(to, from_a);
      copy(to + copied_rows * row_bytes, from_a + below);
      copy(to + slice_bytes, from_b);
      copy(to + slice_bytes + copied_rows * row_bytes, from_b + below);
    }
    fetched += depth;
    from_a += depth;
    from_b += depth;
    if (async) commit();
  };
#pragma unroll
  for (unsigned i = 0; i < stages - 1; i++) fetch(i);

  unsigned top = warp / 4 * warp_rows, left = warp % 4 * warp_cols;
  unsigned from_row_a = room + top * row_bytes + row_a<swizzle>(lane);
  unsigned from_row_b = room + slice_bytes + left * row_bytes + row_b<swizzle>(lane);
  products sum = {};
  unsigned stage = 0, next = stages - 1;
  for (int at = 0; at < k; at += depth) {
    if (stages == 1) fetch(0);
    if (async) wait<stages == 1 ? 0 : stages - 2>();
    __syncthreads();
    if (stages > 1) { // in the place of the step before, which all warps have left
      fetch(next);
      next = next + 1 == stages ? 0 : next + 1;
    }
    unsigned now = stage * 2 * slice_bytes;
    add_slice(sum, from_row_a + now, from_row_b + now);
    stage = stage + 1 == stages ? 0 : stage + 1;
    if (stages == 1) __syncthreads();
  }

  half *to = c + ((long long)blockIdx.y * tile + top + lane / 4) * n + blockIdx.x * tile + left + lane % 4 * 8;
  store(sum, [&](int row, uint4 part) { store16(to + (long long)row * n, part); });
}

// Plain loads and stores, slices plainly laid out.
extern "C" __global__ void gemm_f16_naive(const half *a, const half *b, half *c, int n, int k) {
  gemm<false, false, 1>(a, b, c, n, k);
}

// Asynchronous copies.
extern "C" __global__ void gemm_f16_async(const half *a, const half *b, half *c, int n, int k) {
  gemm<true, false, 1>(a, b, c, n, k);
}

// Swizzled slices as well.
extern "C" __global__ void gemm_f16_swizzled(const half *a, const half *b, half *c, int n, int k) {
  gemm<true, true, 1>(a, b, c, n, k);
}

// Three stages as well: two steps' slices are on their way while one is multiplied.
extern "C" __global__ void gemm_f16(const half *a, const half *b, half *c, int n, int k) {
  gemm<true, true, 3>(a, b, c, n, k);
}
