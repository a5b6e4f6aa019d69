// What the lanes of one warp say to each other: row i of out has the results of lane i.
#include <cuda_runtime.h>
extern "C" __global__ void warp(unsigned *out, int columns) {
  int lane = threadIdx.x, k = 0;
  unsigned *o = out + lane * columns;
  unsigned all = 0xffffffffu;
  o[k++] = __shfl_sync(all, lane, 5);
  o[k++] = __shfl_sync(all, lane, 9, 8);
  o[k++] = __shfl_up_sync(all, lane, 3);
  o[k++] = __shfl_down_sync(all, lane, 3, 16);
  o[k++] = __shfl_xor_sync(all, (unsigned)lane, 21);
  o[k++] = (unsigned)(__shfl_sync(all, (1ull << 40) * lane, 7) >> 40);
  o[k++] = (unsigned)__shfl_xor_sync(all, 0.5 * lane, 1);
  o[k++] = (unsigned)__shfl(2.0f * lane, 4);
  o[k++] = (unsigned)__shfl_down(-1L * lane, 1) + 100;
  o[k++] = __ballot_sync(all, lane % 3 == 0);
  o[k++] = __all_sync(all, lane < 32);
  o[k++] = __all_sync(all, lane < 31);
  o[k++] = __any_sync(all, lane == 31);
  o[k++] = __any(lane == 32);
  o[k++] = __uni_sync(all, lane < 40);
  o[k++] = __match_any_sync(all, lane / 5);
  o[k++] = __match_any_sync(all, 1.0 * (lane % 2));
  int same;
  o[k++] = __match_all_sync(all, 3ll, &same);
  o[k++] = same;
  o[k++] = __match_all_sync(all, lane / 31, &same);
  o[k++] = same;
  o[k++] = __reduce_add_sync(all, (unsigned)lane);
  o[k++] = __reduce_max_sync(all, lane - 40);
  o[k++] = __reduce_min_sync(all, lane - 40);
  o[k++] = __reduce_xor_sync(all, 1u << lane);
  unsigned odd = 0;
  if (lane & 1) odd = __activemask();
  __syncwarp();
  o[k++] = odd;
  o[k++] = __lanemask_lt();
  o[k++] = __syncthreads_count(lane < 7);
  o[k++] = __syncthreads_and(lane < 7);
  o[k++] = __syncthreads_or(lane < 7);
  o[k++] = threadIdx.y + blockDim.x + gridDim.x * warpSize;
}
