// Attention of heads of 128 numbers, in half precision with sums in single precision. Softmax is
// online: weights are relative to the greatest score so far, and what has been summed up shrinks
// when a greater one comes, so that no score is kept. Keys and values are in a cache: room for
// capacity tokens of each head, one behind the other.
#include "half.h"

enum {
  dim = 128,
  row_bytes = dim * 2,
  tile = 64, // queries of a TB, and keys of a step
  tile_bytes = tile * row_bytes,
  copied_rows = 8 // by a load of each thread
};

// Where a chunk of 16 bytes of a row is in its tile, swizzled so that a column of eight rows lies
// in all banks. The rows' swizzles repeat after eight.
INLINE unsigned place(unsigned row, unsigned chunk) { return row * row_bytes + (chunk ^ row % 8) * 16; }

// Scores of 16 queries by 64 keys, or sums of 16 queries by 128 numbers.
template <int tiles> struct rows16 { float at[tiles][4]; };

// Lets the weights of a step follow from its scores, which they replace, and rescales.
INLINE void weigh(rows16<tile / 8> &score, rows16<dim / 8> &sum, float (&most)[2], float (&total)[2], float scale) {
#pragma unroll
  for (int r = 0; r < 2; r++) {
    float greatest = most[r];
#pragma unroll
    for (int j = 0; j < tile / 8; j++) greatest = larger(greatest, larger(score.at[j][r * 2], score.at[j][r * 2 + 1]));
    greatest = max_of<4>(greatest);
    float shrink = exp2((most[r] - greatest) * scale);
    most[r] = greatest;
    total[r] *= shrink;
#pragma unroll
    for (int j = 0; j < tile / 8; j++)
#pragma unroll
      for (int i = r * 2; i < r * 2 + 2; i++) {
        score.at[j][i] = exp2((score.at[j][i] - greatest) * scale);
        total[r] += score.at[j][i];
      }
#pragma unroll
    for (int j = 0; j < dim / 8; j++) {
      sum.at[j][r * 2] *= shrink;
      sum.at[j][r * 2 + 1] *= shrink;
    }
  }
}

// A token attends to itself and the tokens before. A warp has 16 of the TB's 64 queries. Values
// are on their way while scores are computed, and the next keys while values are summed up. scale
// is of the scores, in powers of 2. Block 128, gridDim.x * 64 tokens, gridDim.y heads.
extern "C" __global__ void attention_prefill(const half *q, int q_row, const half *keys, const half *values, int capacity, half *out,
                                             int out_row, float scale) {
  __shared__ __attribute__((aligned(256))) uint4 tiles[2][tile_bytes / 16];
  unsigned key_tile = shared_address(tiles), value_tile = key_tile + tile_bytes;
  unsigned thread = threadIdx.x, lane = thread % 32, warp = thread / 32, head = blockIdx.y;
  unsigned first = blockIdx.x * tile;
  auto fetch = [&](unsigned to, const half *from, long long row) {
    to += place(thread / 16, thread % 16);
    from += thread / 16 * row + thread % 16 * 8;
#pragma unroll
    for (int i = 0; i < tile / copied_rows; i++) copy_async(to + i * copied_rows * row_bytes, from + i * copied_rows * row);
    commit();
  };
  keys += (long long)head * capacity * dim;
  values += (long long)head * capacity * dim;

  fetch(key_tile, q + (long long)first * q_row + head * dim, q_row);
  wait<0>();
  __syncthreads();
  unsigned query[dim / 16][4];
  unsigned row_q = key_tile + place(warp * 16 + lane % 16, lane / 16);
#pragma unroll
  for (int i = 0; i < dim / 16; i++) load_matrices(query[i], row_q ^ i * 32);
  __syncthreads();

  unsigned row_k = key_tile + place(lane / 16 * 8 + lane % 8, lane / 8 % 2), row_v = value_tile + place(lane % 16, lane / 16);
  rows16<dim / 8> sum = {};
  float most[2] = {lowest, lowest}, total[2] = {0, 0};
  fetch(key_tile, keys, dim);
  for (unsigned at = 0; at <= first; at += tile) {
    fetch(value_tile, values + at * dim, dim);
    wait<1>();
    __syncthreads();
    rows16<tile / 8> score = {};
#pragma unroll
    for (int i = 0; i < dim / 16; i++)
#pragma unroll
      for (int j = 0; j < tile / 16; j++) {
        unsigned b[4];
        load_matrices(b, (row_k ^ i * 32) + j * 16 * row_bytes);
        multiply_add(score.at[j * 2], query[i], b[0], b[1]);
        multiply_add(score.at[j * 2 + 1], query[i], b[2], b[3]);
      }
    __syncthreads();
    if (at < first)
      fetch(key_tile, keys + (at + tile) * dim, dim);
    else
      commit();
    if (at == first)
#pragma unroll
      for (int j = 0; j < tile / 8; j++)
#pragma unroll
        for (int i = 0; i < 4; i++)
          if (j * 8 + lane % 4 * 2 + i % 2 > warp * 16 + lane / 4 + i / 2 * 8) score.at[j][i] = lowest;
    weigh(score, sum, most, total, scale);
    wait<1>();
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile / 16; i++) {
      float(&left)[4] = score.at[i * 2], (&right)[4] = score.at[i * 2 + 1];
      unsigned weight[4] = {pack(left[0], left[1]), pack(left[2], left[3]), pack(right[0], right[1]), pack(right[2], right[3])};
#pragma unroll
      for (int j = 0; j < dim / 16; j++) {
        unsigned b[4];
        load_transposed(b, (row_v ^ j * 32) + i * 16 * row_bytes);
        multiply_add(sum.at[j * 2], weight, b[0], b[1]);
        multiply_add(sum.at[j * 2 + 1], weight, b[2], b[3]);
      }
    }
    __syncthreads();
  }

  // Four lanes share a row. Each stores 8 numbers of 32 at a time.
  half *to = out + (long long)(first + warp * 16 + lane / 4) * out_row + head * dim + lane % 4 * 8;
#pragma unroll
  for (int r = 0; r < 2; r++) {
    float factor = reciprocal(sum_of<4>(total[r]));
#pragma unroll
    for (int j = 0; j < dim / 32; j++) {
      unsigned part[4];
#pragma unroll
      for (int i = 0; i < 4; i++) part[i] = pack(sum.at[j * 4 + i][r * 2] * factor, sum.at[j * 4 + i][r * 2 + 1] * factor);
      transpose(part);
      store16(to + r * 8 * (long long)out_row + j * 32, {part[0], part[1], part[2], part[3]});
    }
  }
}

enum { groups = 8, ahead = 4 };

// One query for each head, whose keys are split between gridDim.x TBs. Half a warp takes a key at
// a time, a lane eight numbers of it, and asks for four keys and values at once. The sum of a
// part's values is relative to its greatest score, and goes with it and the sum of weights to
// attention_combine. Block 128, gridDim.y heads, count keys, `share` for a TB.
extern "C" __global__ void attention_decode(const half *q, const half *keys, const half *values, int capacity, int count, int share,
                                            float2 *weights, float *sums, float scale) {
  __shared__ float2 weight_of[groups];
  __shared__ float sum_of_group[groups][dim];
  int thread = threadIdx.x, lane = thread % 16, group = thread / 16, head = blockIdx.y;
  int end = min(count, ((int)blockIdx.x + 1) * share);
  keys += (long long)head * capacity * dim + lane * 8;
  values += (long long)head * capacity * dim + lane * 8;
  float8 query = load8(q + head * dim + lane * 8), sum = {};
  float most = lowest, total = 0;
  for (int first = blockIdx.x * share; first < end; first += groups * ahead) {
    uint4 key[ahead] = {}, value[ahead] = {};
#pragma unroll
    for (int i = 0; i < ahead; i++) {
      int at = first + i * groups + group;
      if (at < end) {
        key[i] = load16(keys + at * dim);
        value[i] = load16(values + at * dim);
      }
    }
    float score[ahead], greatest = most;
#pragma unroll
    for (int i = 0; i < ahead; i++) {
      float8 k = unpack(key[i]);
      float dot = 0;
#pragma unroll
      for (int j = 0; j < 8; j++) dot += query.at[j] * k.at[j];
      dot = sum_of<16>(dot);
      score[i] = first + i * groups + group < end ? dot * scale : lowest;
      greatest = larger(greatest, score[i]);
    }
    float shrink = exp2(most - greatest);
    most = greatest;
    total *= shrink;
#pragma unroll
    for (int j = 0; j < 8; j++) sum.at[j] *= shrink;
#pragma unroll
    for (int i = 0; i < ahead; i++) {
      float8 v = unpack(value[i]);
      float weight = exp2(score[i] - greatest);
      total += weight;
#pragma unroll
      for (int j = 0; j < 8; j++) sum.at[j] += weight * v.at[j];
    }
  }
#pragma unroll
  for (int j = 0; j < 8; j++) sum_of_group[group][lane * 8 + j] = sum.at[j];
  if (lane == 0) weight_of[group] = {most, total};
  __syncthreads();

  float2 all = weight_of[0];
#pragma unroll
  for (int i = 1; i < groups; i++) all.x = larger(all.x, weight_of[i].x);
  float part = 0;
  all.y = 0;
#pragma unroll
  for (int i = 0; i < groups; i++) {
    float factor = exp2(weight_of[i].x - all.x);
    part += sum_of_group[i][thread] * factor;
    all.y += weight_of[i].y * factor;
  }
  int at = head * gridDim.x + blockIdx.x;
  sums[at * dim + thread] = part;
  if (thread == 0) weights[at] = all;
}

// Puts the parts of a head together. Block 128, a TB for each head.
extern "C" __global__ void attention_combine(const float2 *weights, const float *sums, int parts, half *out) {
  weights += blockIdx.x * parts;
  sums += blockIdx.x * parts * dim + threadIdx.x;
  float most = lowest, total = 0, sum = 0;
  for (int i = 0; i < parts; i++) most = larger(most, weights[i].x);
  for (int i = 0; i < parts; i++) {
    float factor = exp2(weights[i].x - most);
    total += weights[i].y * factor;
    sum += sums[i * dim] * factor;
  }
  out[blockIdx.x * dim + threadIdx.x] = to_half(sum * reciprocal(total));
}
