// What a warp does in a product of matrices on tensor cores: it multiplies 64 rows of one matrix by 32
// of another, transposed, of which slices of 32 columns lie in shared memory.
//
// A row of a slice is 64 bytes, four chunks of 16. Plainly laid out, chunks of one column of
// eight rows, which ldmatrix reads at a time, lie in two places of the 128 bytes that the banks
// give in a cycle. Swizzled, they lie in eight.
#pragma once

#include "half.h"

enum { depth = 32, row_bytes = depth * 2, warp_rows = 64, warp_cols = 32 };

// Where a chunk of a row is in its slice, in bytes. Rows 8 apart have the same swizzle.
template <bool swizzle> INLINE unsigned place(unsigned row, unsigned chunk) {
  return row * row_bytes + (swizzle ? chunk ^ row / 2 % 4 : chunk) * 16;
}

// Where the rows begin that a lane gives ldmatrix, from the first row of its warp on.
template <bool swizzle> INLINE unsigned row_a(unsigned lane) { return place<swizzle>(lane % 16, lane / 16); }
template <bool swizzle> INLINE unsigned row_b(unsigned lane) { return place<swizzle>(lane / 16 * 8 + lane % 8, lane / 8 % 2); }

// The sums of a warp, as mma has them.
struct products { float at[warp_rows / 16][warp_cols / 8][4]; };

// Adds the products of 16 columns.
INLINE void add_half(products &sum, unsigned row_a, unsigned row_b) {
  unsigned a[warp_rows / 16][4], b[warp_cols / 16][4];
#pragma unroll
  for (int i = 0; i < warp_rows / 16; i++) load_matrices(a[i], row_a + i * 16 * row_bytes);
#pragma unroll
  for (int j = 0; j < warp_cols / 16; j++) load_matrices(b[j], row_b + j * 16 * row_bytes);
#pragma unroll
  for (int i = 0; i < warp_rows / 16; i++)
#pragma unroll
    for (int j = 0; j < warp_cols / 8; j++) multiply_add(sum.at[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
}

// Adds the products of a slice. 16 columns further are 32 bytes, in any swizzle, if slices are
// multiples of 64.
INLINE void add_slice(products &sum, unsigned row_a, unsigned row_b) {
  add_half(sum, row_a, row_b);
  add_half(sum, row_a ^ 32, row_b ^ 32);
}

// Stores the sums in half precision. Four lanes share a row; each takes 8 columns of it, 16 bytes.
// put gets the number of a row behind row lane / 4 of the warp, and columns lane % 4 * 8 on.
template <class Put> INLINE void store(const products &sum, Put put) {
#pragma unroll
  for (int i = 0; i < warp_rows / 8; i++) {
    unsigned part[4];
#pragma unroll
    for (int j = 0; j < warp_cols / 8; j++) part[j] = pack(sum.at[i / 2][j][i % 2 * 2], sum.at[i / 2][j][i % 2 * 2 + 1]);
    transpose(part);
    put(i * 8, uint4{part[0], part[1], part[2], part[3]});
  }
}
