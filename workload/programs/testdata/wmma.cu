// Products of matrices by nvcuda::wmma against the CPU.
#include <mma.h>

#include "check.h"

using namespace nvcuda;

template <int m, int n, int k, class T, class F, class S, class LA, class LB>
__global__ void product(const T *a, const T *b, S *c, unsigned pa, unsigned pb, unsigned pc, wmma::layout_t order) {
  wmma::fragment<wmma::matrix_a, m, n, k, F, LA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, F, LB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, S> fc, sum;
  wmma::load_matrix_sync(fa, a, pa);
  wmma::load_matrix_sync(fb, b, pb);
  wmma::load_matrix_sync(fc, c, pc, order);
  wmma::fill_fragment(sum, S(1));
  for (int i = 0; i < sum.num_elements; i++)
    fc.x[i] = fc.x[i] + sum.x[i];
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, pc, order);
}

// try_one multiplies small whole numbers, which every format holds.
template <int m, int n, int k, class T, class F, class S, class LA, class LB> static void try_one(wmma::layout_t order) {
  const bool rows = __is_same(LA, wmma::row_major), columns = __is_same(LB, wmma::col_major);
  T a[m * k], b[k * n], *da, *db;
  S c[m * n], want[m * n], *dc;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < k; j++)
      a[rows ? i * k + j : j * m + i] = T((float)((i * 3 + j) % 5));
  for (int i = 0; i < k; i++)
    for (int j = 0; j < n; j++)
      b[columns ? j * k + i : i * n + j] = T((float)((i + 2 * j) % 3));
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      int at = order == wmma::mem_row_major ? i * n + j : j * m + i;
      float sum = (float)(at % 7) + 1;
      for (int l = 0; l < k; l++)
        sum += (float)((i * 3 + l) % 5) * (float)((l + 2 * j) % 3);
      c[at] = S((float)(at % 7));
      want[at] = S(sum);
    }
  OK(cudaMalloc(&da, sizeof a));
  OK(cudaMalloc(&db, sizeof b));
  OK(cudaMalloc(&dc, sizeof c));
  OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dc, c, sizeof c, cudaMemcpyHostToDevice));
  product<m, n, k, T, F, S, LA, LB><<<1, 32>>>(da, db, dc, rows ? k : m, columns ? k : n, order == wmma::mem_row_major ? n : m, order);
  OK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  for (int i = 0; i < m * n; i++)
    CHECK((float)c[i] == (float)want[i]);
  OK(cudaFree(da));
  OK(cudaFree(db));
  OK(cudaFree(dc));
}

template <int m, int n, int k, class T, class F, class S> static void layouts() {
  try_one<m, n, k, T, F, S, wmma::row_major, wmma::col_major>(wmma::mem_row_major);
  try_one<m, n, k, T, F, S, wmma::col_major, wmma::row_major>(wmma::mem_col_major);
}

template <int m, int n, int k> static void shape() {
  layouts<m, n, k, half, half, float>();
  layouts<m, n, k, half, half, half>();
  layouts<m, n, k, __nv_bfloat16, __nv_bfloat16, float>();
  layouts<m, n, k, signed char, signed char, int>();
  layouts<m, n, k, unsigned char, unsigned char, int>();
}

int main() {
  shape<16, 16, 16>();
  shape<32, 8, 16>();
  shape<8, 32, 16>();
  layouts<16, 16, 8, float, wmma::precision::tf32, float>();
  printf("PASSED\n");
  return 0;
}
