// What a transformer does to the numbers of its tokens between products of matrices, in half
// precision: 16 bytes a thread. Block 128 but for embedding, and a thread for each 8 numbers.
#include "half.h"

enum { dim = 128, chunks = dim / 8 }; // of a head

// out[token] = table[ids[token]], rows of n. A TB for each token.
extern "C" __global__ void embedding(const int *ids, const half *table, half *out, int n) {
  const half *from = table + (long long)ids[blockIdx.x] * n;
  half *to = out + (long long)blockIdx.x * n;
  for (int at = threadIdx.x * 8; at < n; at += blockDim.x * 8) store16(to + at, load16(from + at));
}

// Rotates the pairs of number i and number i + 64 of each head by the angle of the token's
// position, in place. angle has cosine and sine of 64 angles for each position.
extern "C" __global__ void rope(half *x, int row, const float2 *angle, int first, int heads, int tokens) {
  int at = blockIdx.x * 128 + threadIdx.x, part = at % 8, head = at / 8 % heads, token = at / 8 / heads;
  if (token >= tokens) return;
  half *low = x + (long long)token * row + head * dim + part * 8, *high = low + dim / 2;
  const float2 *turn = angle + (first + token) * (dim / 2) + part * 8;
  float8 a = load8(low), b = load8(high);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    float2 t = turn[i];
    float turned = a.at[i] * t.x - b.at[i] * t.y;
    b.at[i] = b.at[i] * t.x + a.at[i] * t.y;
    a.at[i] = turned;
  }
  store8(low, a);
  store8(high, b);
}

// Appends the keys and values of tokens to the cache. They lie in rows, the heads' keys one behind
// the other, then their values; the cache has room for capacity tokens of each head.
extern "C" __global__ void append_kv(const half *kv, int row, half *keys, half *values, int first, int capacity, int heads, int tokens) {
  int at = blockIdx.x * 128 + threadIdx.x, chunk = at % chunks, head = at / chunks % heads, token = at / chunks / heads;
  if (token >= tokens) return;
  const half *from = kv + (long long)token * row + head * dim + chunk * 8;
  long long to = ((long long)head * capacity + first + token) * dim + chunk * 8;
  store16(keys + to, load16(from));
  store16(values + to, load16(from + heads * dim));
}

// out = silu(gate) * up, where a row has n gates and then n ups; silu(x) = x / (1 + e^-x).
// A row of TBs for each token.
extern "C" __global__ void silu_mul(const half *gate_up, half *out, int n) {
  int at = (blockIdx.x * 128 + threadIdx.x) * 8;
  if (at >= n) return;
  const half *row = gate_up + (long long)blockIdx.y * 2 * n + at;
  float8 gate = load8(row), up = load8(row + n);
#pragma unroll
  for (int i = 0; i < 8; i++) gate.at[i] *= up.at[i] * reciprocal(1 + exp2(-gate.at[i] * log2_e));
  store8(out + (long long)blockIdx.y * n + at, gate);
}

// x += y, of n numbers.
extern "C" __global__ void add(half *x, const half *y, int n) {
  long long at = ((long long)blockIdx.x * 128 + threadIdx.x) * 8;
  if (at >= n) return;
  float8 a = load8(x + at), b = load8(y + at);
#pragma unroll
  for (int i = 0; i < 8; i++) a.at[i] += b.at[i];
  store8(x + at, a);
}
