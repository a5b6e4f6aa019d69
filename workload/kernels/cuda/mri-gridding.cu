// Gridding for magnetic resonance imaging: spreads samples of k-space that lie
// anywhere onto a regular grid, each over the cells within the cutoff, weighted
// by a Kaiser-Bessel window of the distance. Samples are first sorted by cell.
#include "cotenant.h"

struct sample {
  float2 value; // real and imaginary part
  float x, y;   // -0.5 to 0.5
  float z, density;
};

enum { scan_threads = 512, sort_threads = 256, per_thread = 4, per_tb = sort_threads * per_thread, digits = 16 };

// One word of padding for every 32 keeps strided accesses out of one bank.
INLINE int pad(int i) { return i + i / 32; }

// Counts the samples of every cell, and notes for each sample its cell and its
// number. counts[size^3] is for samples outside the grid.
extern "C" __global__ void binning(const sample *samples, int count, unsigned *keys,
                                   unsigned *order, unsigned *counts, int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int x = (int)(samples[i].x * size + size / 2 + 0.5f);
  int y = (int)(samples[i].y * size + size / 2 + 0.5f);
  int z = (int)(samples[i].z * size + size / 2 + 0.5f);
  int cell = size * size * size;
  if (x >= 0 && y >= 0 && z >= 0 && x < size && y < size && z < size) cell = (z * size + y) * size + x;
  atomicAdd(&counts[cell], 1u);
  keys[i] = cell;
  order[i] = i;
}

// The upper half of a scan over 2 * blockDim.x words: sums in a tree.
INLINE void sum_up(unsigned *tree, int *distance) {
  int d = 1;
  for (int nodes = blockDim.x; nodes > 0; nodes /= 2) {
    __syncthreads();
    if (threadIdx.x < nodes) {
      int right = d * (2 * threadIdx.x + 2) - 1;
      tree[pad(right)] += tree[pad(right - d)];
    }
    d *= 2;
  }
  *distance = d;
}

// The lower half: what lies before each node goes down the tree.
INLINE void spread_down(unsigned *tree, int distance) {
  int d = distance / 2;
  for (int nodes = 1; nodes <= blockDim.x; nodes *= 2) {
    __syncthreads();
    if (threadIdx.x < nodes) {
      int right = d * (2 * threadIdx.x + 2) - 1;
      unsigned left = tree[pad(right - d)];
      tree[pad(right - d)] = tree[pad(right)];
      tree[pad(right)] += left;
    }
    d /= 2;
  }
  __syncthreads();
}

// Replaces each 1024 words by the sums of those before them, and sums[tb] by
// the sum of all. Block 512.
extern "C" __global__ void scanL1(unsigned *data, unsigned *sums) {
  __shared__ unsigned tree[2 * scan_threads + 2 * scan_threads / 32];
  unsigned *own = data + blockIdx.x * 2 * scan_threads;
  int low = threadIdx.x, high = threadIdx.x + scan_threads, distance;
  tree[pad(low)] = own[low];
  tree[pad(high)] = own[high];
  sum_up(tree, &distance);
  __syncthreads();
  int root = pad(2 * scan_threads - 1);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = tree[root];
    tree[root] = 0;
  }
  spread_down(tree, distance);
  own[low] = tree[pad(low)];
  own[high] = tree[pad(high)];
}

extern "C" {
extern __shared__ unsigned level[];
}

// The upper half of the scan over the sums, 2 * blockDim.x in each TB. Leaves
// the tree in data, and its root in totals unless that is null. Shared memory:
// 2 * blockDim.x words and one more for each 32.
extern "C" __global__ void scaninter1(unsigned *data, unsigned *totals) {
  unsigned *own = data + blockIdx.x * 2 * blockDim.x;
  int low = threadIdx.x, high = threadIdx.x + blockDim.x, distance;
  level[pad(low)] = own[low];
  level[pad(high)] = own[high];
  sum_up(level, &distance);
  __syncthreads();
  own[low] = level[pad(low)];
  own[high] = level[pad(high)];
  if (totals && threadIdx.x == 0) totals[blockIdx.x] = level[pad(2 * blockDim.x - 1)];
}

// The lower half. What lies before the TB is in totals unless that is null.
extern "C" __global__ void scaninter2(unsigned *data, const unsigned *totals) {
  unsigned *own = data + blockIdx.x * 2 * blockDim.x;
  int low = threadIdx.x, high = threadIdx.x + blockDim.x;
  level[pad(low)] = own[low];
  level[pad(high)] = own[high];
  __syncthreads();
  if (threadIdx.x == 0) level[pad(2 * blockDim.x - 1)] = totals ? totals[blockIdx.x] : 0;
  spread_down(level, 2 * blockDim.x);
  own[low] = level[pad(low)];
  own[high] = level[pad(high)];
}

// Adds what lies before its 1024 words to each of them. Block 512.
extern "C" __global__ void uniformAdd(unsigned *data, const unsigned *before) {
  __shared__ unsigned add;
  if (threadIdx.x == 0) add = before[blockIdx.x];
  __syncthreads();
  unsigned *own = data + blockIdx.x * 2 * scan_threads;
  own[threadIdx.x] += add;
  own[threadIdx.x + scan_threads] += add;
}

// Sorts each 1024 keys by four bits, values along with them, and counts the
// digits: counts[digit * TBs + tb]. Block 256.
extern "C" __global__ void splitSort(uint4 *keys, uint4 *values, unsigned *counts, int bit) {
  __shared__ unsigned buffer[per_tb + per_tb / 32];
  __shared__ int start[digits + 1];
  __shared__ unsigned zeros;
  int thread = threadIdx.x;
  int own = blockIdx.x * sort_threads + thread;
  uint4 k = keys[own], v = values[own];
  unsigned key[per_thread] = {k.x, k.y, k.z, k.w}, value[per_thread] = {v.x, v.y, v.z, v.w};

  for (int b = bit; b < bit + 4; b++) {
    unsigned ones = 0;
#pragma unroll
    for (int i = 0; i < per_thread; i++) ones += key[i] >> b & 1;
    // How many zeros the threads before this one have: a scan in the tree.
    __syncthreads();
    buffer[pad(thread)] = per_thread - ones;
    int d = 1;
    for (int nodes = sort_threads / 2; nodes > 0; nodes /= 2, d *= 2) {
      __syncthreads();
      if (thread < nodes) {
        int right = d * (2 * thread + 2) - 1;
        buffer[pad(right)] += buffer[pad(right - d)];
      }
    }
    __syncthreads();
    if (thread == 0) {
      zeros = buffer[pad(sort_threads - 1)];
      buffer[pad(sort_threads - 1)] = 0;
    }
    for (int nodes = 1; nodes < sort_threads; nodes *= 2) {
      d /= 2;
      __syncthreads();
      if (thread < nodes) {
        int right = d * (2 * thread + 2) - 1;
        unsigned left = buffer[pad(right - d)];
        buffer[pad(right - d)] = buffer[pad(right)];
        buffer[pad(right)] += left;
      }
    }
    __syncthreads();
    int zero = buffer[pad(thread)];
    int one = zeros + per_thread * thread - zero;
    int to[per_thread];
#pragma unroll
    for (int i = 0; i < per_thread; i++) to[i] = pad(key[i] >> b & 1 ? one++ : zero++);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < per_thread; i++) buffer[to[i]] = key[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < per_thread; i++) key[i] = buffer[pad(per_thread * thread + i)];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < per_thread; i++) buffer[to[i]] = value[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < per_thread; i++) value[i] = buffer[pad(per_thread * thread + i)];
  }

  __syncthreads();
  buffer[thread] = key[per_thread - 1] >> bit & (digits - 1);
  __syncthreads();
  // The first key of a digit marks the start of it, and of those without keys
  // that come before it.
  int before = thread == 0 ? -1 : (int)buffer[thread - 1];
#pragma unroll
  for (int i = 0; i < per_thread; i++) {
    int digit = key[i] >> bit & (digits - 1);
    for (int d = before + 1; d <= digit; d++) start[d] = per_thread * thread + i;
    before = digit;
  }
  if (thread == sort_threads - 1)
    for (int d = before + 1; d <= digits; d++) start[d] = per_tb;
  __syncthreads();
  if (thread < digits) counts[thread * gridDim.x + blockIdx.x] = start[thread + 1] - start[thread];

  k = {key[0], key[1], key[2], key[3]};
  v = {value[0], value[1], value[2], value[3]};
  keys[own] = k;
  values[own] = v;
}

// Moves the keys and values that splitSort has sorted to where they belong.
// offsets[digit * TBs + tb] is where the TB's keys of a digit begin. Block 256.
extern "C" __global__ void splitRearrange(const uint4 *keys, const uint4 *values,
                                          unsigned *keys_out, unsigned *values_out,
                                          const unsigned *offsets, int bit) {
  __shared__ uint4 sorted[sort_threads];
  __shared__ unsigned base[digits];
  int thread = threadIdx.x;
  int own = blockIdx.x * sort_threads + thread;
  uint4 k = keys[own], v = values[own];
  sorted[thread] = k;
  __syncthreads();

  unsigned key[per_thread] = {k.x, k.y, k.z, k.w}, value[per_thread] = {v.x, v.y, v.z, v.w};
  unsigned before = thread == 0 ? digits : ((unsigned *)sorted)[per_thread * thread - 1] >> bit & (digits - 1);
#pragma unroll
  for (int i = 0; i < per_thread; i++) {
    unsigned digit = key[i] >> bit & (digits - 1);
    if (digit != before) base[digit] = offsets[digit * gridDim.x + blockIdx.x] - (per_thread * thread + i);
    before = digit;
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < per_thread; i++) {
    unsigned to = base[key[i] >> bit & (digits - 1)] + per_thread * thread + i;
    keys_out[to] = key[i];
    values_out[to] = value[i];
  }
}

// Gathers the samples in the order of their cells.
extern "C" __global__ void reorder(const unsigned *order, const sample *samples,
                                   sample *sorted, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  sorted[i] = samples[order[i]];
}

enum { tile_x = 8, tile_y = 8, tile_z = 4, batch = 64 };

// The Kaiser-Bessel window: I0(sqrt(4 * t)) is the sum of t^n / (n!)^2.
INLINE float window(float t) {
  float sum = 0;
#pragma unroll
  for (int n = 14; n > 0; n--) sum = (1 + sum) * t * (1.f / (n * n));
  return 1 + sum;
}

// The grid's cells, 8x8x4 in each TB, four along z in each thread. Block 8x8.
// starts[c] is where the samples of cell c begin; those of a row of cells lie
// behind each other, so that a TB takes a row at once. reach is how many cells
// away a sample may lie, cutoff2 the square of the cutoff in cells, and quarter
// a fourth of the square of the window's shape parameter.
extern "C" __global__ void griddingGPU(const sample *sorted, const unsigned *starts,
                                       int count, float2 *grid, float *density, int size,
                                       int reach, float cutoff2, float quarter) {
  __shared__ sample near[batch];
  int thread = threadIdx.y * tile_x + threadIdx.x;
  int tiles = size / tile_x;
  int x0 = blockIdx.x % tiles * tile_x, y0 = blockIdx.x / tiles * tile_y, z0 = blockIdx.y * tile_z;
  float x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0;
  float half = size / 2;
  float inverse = 1 / cutoff2;
  float real[tile_z] = {}, imaginary[tile_z] = {}, weights[tile_z] = {};

  int cells = size * size * size;
  int first = max(x0 - reach, 0), last = min(x0 + tile_x - 1 + reach, size - 1);
  for (int row_z = max(z0 - reach, 0); row_z <= min(z0 + tile_z - 1 + reach, size - 1); row_z++) {
    for (int row_y = max(y0 - reach, 0); row_y <= min(y0 + tile_y - 1 + reach, size - 1); row_y++) {
      int row = (row_z * size + row_y) * size;
      int begin = starts[row + first];
      // Behind the last cell come the samples outside the grid.
      int end = row + last + 1 == cells ? count - starts[cells] : starts[row + last + 1];
      for (int from = begin; from < end; from += batch) {
        __syncthreads();
        if (from + thread < end) near[thread] = sorted[from + thread];
        __syncthreads();
        int n = min((int)batch, end - from);
        for (int i = 0; i < n; i++) {
          float dx = near[i].x * size + half - x;
          float dy = near[i].y * size + half - y;
          float dz = near[i].z * size + half - z;
          float flat = dx * dx + dy * dy;
          if (flat >= cutoff2) continue;
#pragma unroll
          for (int j = 0; j < tile_z; j++) {
            float r2 = flat + (dz - j) * (dz - j);
            if (r2 >= cutoff2) continue;
            float weight = window(quarter * (1 - r2 * inverse));
            real[j] += near[i].value.x * near[i].density * weight;
            imaginary[j] += near[i].value.y * near[i].density * weight;
            weights[j] += weight;
          }
        }
      }
    }
  }
#pragma unroll
  for (int j = 0; j < tile_z; j++) {
    int cell = ((z0 + j) * size + y0 + threadIdx.y) * size + x0 + threadIdx.x;
    grid[cell] = {real[j], imaginary[j]};
    density[cell] = weights[j];
  }
}
