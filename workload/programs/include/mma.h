// Matrix products of a warp (programming guide: warp matrix functions), over PTX's wmma: half with sums in
// half or float, bfloat16, bytes, and tf32. What a thread holds of a fragment is unspecified, as in CUDA.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus) && defined(__CUDA__)
namespace nvcuda {
namespace wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment;

#define __CT_FRAGMENT(use, m, n, k, type, element, count)                                          \
  template <class Layout> struct fragment<use, m, n, k, type, Layout> {                            \
    typedef element element_type;                                                                  \
    enum { num_elements = count };                                                                 \
    element x[count];                                                                              \
  };

template <class Use, int m, int n, int k, class T, class Layout, class V>
__CT_FN void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const V &value) {
  for (int i = 0; i < f.num_elements; i++)
    f.x[i] = value;
}

// Registers of a matrix: their names in an instruction, as its results, and as its operands.
#define __CT_NAMES1(m) "{%[" #m "0]}"
#define __CT_NAMES2(m) "{%[" #m "0], %[" #m "1]}"
#define __CT_NAMES4(m) "{%[" #m "0], %[" #m "1], %[" #m "2], %[" #m "3]}"
#define __CT_NAMES8(m)                                                                             \
  "{%[" #m "0], %[" #m "1], %[" #m "2], %[" #m "3], %[" #m "4], %[" #m "5], %[" #m "6], %[" #m "7]}"
#define __CT_TO1(m, c) [m##0] "=" c(m[0])
#define __CT_TO2(m, c) __CT_TO1(m, c), [m##1] "=" c(m[1])
#define __CT_TO4(m, c) __CT_TO2(m, c), [m##2] "=" c(m[2]), [m##3] "=" c(m[3])
#define __CT_TO8(m, c) __CT_TO4(m, c), [m##4] "=" c(m[4]), [m##5] "=" c(m[5]), [m##6] "=" c(m[6]), [m##7] "=" c(m[7])
#define __CT_OF1(m, c) [m##0] c(m[0])
#define __CT_OF2(m, c) __CT_OF1(m, c), [m##1] c(m[1])
#define __CT_OF4(m, c) __CT_OF2(m, c), [m##2] c(m[2]), [m##3] c(m[3])
#define __CT_OF8(m, c) __CT_OF4(m, c), [m##4] c(m[4]), [m##5] c(m[5]), [m##6] c(m[6]), [m##7] c(m[7])

// W is the type of a register, C its constraint.
#define __CT_LOAD_AS(use, letter, m, n, k, type, ptx, memory, layout, order, regs, W, C)           \
  __CT_FN void load_matrix_sync(fragment<use, m, n, k, type, layout> &f, const memory *p, unsigned pitch) { \
    W *r = (W *)f.x;                                                                               \
    __asm__ volatile("wmma.load." letter ".sync.aligned." order ".m" #m "n" #n "k" #k "." ptx " "  \
                     __CT_NAMES##regs(r) ", [%[at]], %[pitch];"                                    \
                     : __CT_TO##regs(r, C) : [at] "l"(p), [pitch] "r"(pitch) : "memory");          \
  }
#define __CT_LOAD(use, letter, m, n, k, type, ptx, memory, regs)                                   \
  __CT_LOAD_AS(use, letter, m, n, k, type, ptx, memory, row_major, "row", regs, unsigned, "r")     \
  __CT_LOAD_AS(use, letter, m, n, k, type, ptx, memory, col_major, "col", regs, unsigned, "r")

// Sums are loaded and stored by rows or columns as the program says when it runs.
#define __CT_SUMS_AS(m, n, k, type, ptx, order, regs, W, C)                                        \
  if (layout == order##_major_of) {                                                                \
    __asm__ volatile("wmma.load.c.sync.aligned." #order ".m" #m "n" #n "k" #k "." ptx " "          \
                     __CT_NAMES##regs(r) ", [%[at]], %[pitch];"                                    \
                     : __CT_TO##regs(r, C) : [at] "l"(p), [pitch] "r"(pitch) : "memory");          \
  }
#define __CT_SUMS(m, n, k, type, ptx, count, regs, W, C)                                           \
  __CT_FRAGMENT(accumulator, m, n, k, type, type, count)                                           \
  __CT_FN void load_matrix_sync(fragment<accumulator, m, n, k, type> &f, const type *p, unsigned pitch, layout_t layout) { \
    const layout_t row_major_of = mem_row_major, col_major_of = mem_col_major;                     \
    W *r = (W *)f.x;                                                                               \
    __CT_SUMS_AS(m, n, k, type, ptx, row, regs, W, C)                                              \
    __CT_SUMS_AS(m, n, k, type, ptx, col, regs, W, C)                                              \
  }                                                                                                \
  __CT_FN void store_matrix_sync(type *p, const fragment<accumulator, m, n, k, type> &f, unsigned pitch, layout_t layout) { \
    const W *r = (const W *)f.x;                                                                   \
    if (layout == mem_row_major)                                                                   \
      __asm__ volatile("wmma.store.d.sync.aligned.row.m" #m "n" #n "k" #k "." ptx " [%[at]], "     \
                       __CT_NAMES##regs(r) ", %[pitch];"                                           \
                       : : __CT_OF##regs(r, C), [at] "l"(p), [pitch] "r"(pitch) : "memory");       \
    else                                                                                           \
      __asm__ volatile("wmma.store.d.sync.aligned.col.m" #m "n" #n "k" #k "." ptx " [%[at]], "     \
                       __CT_NAMES##regs(r) ", %[pitch];"                                           \
                       : : __CT_OF##regs(r, C), [at] "l"(p), [pitch] "r"(pitch) : "memory");       \
  }

#define __CT_PRODUCT_AS(m, n, k, A, LA, oa, ra, LB, ob, rb, D, WD, CD, rd, C, WC, CC, rc, types, sat) \
  __CT_FN void mma_sync(fragment<accumulator, m, n, k, D> &fd, const fragment<matrix_a, m, n, k, A, LA> &fa, \
                        const fragment<matrix_b, m, n, k, A, LB> &fb, const fragment<accumulator, m, n, k, C> &fc) { \
    WD *d = (WD *)fd.x;                                                                            \
    const unsigned *a = (const unsigned *)fa.x, *b = (const unsigned *)fb.x;                       \
    const WC *c = (const WC *)fc.x;                                                                \
    __asm__ volatile("wmma.mma.sync.aligned." oa "." ob ".m" #m "n" #n "k" #k "." types sat " "    \
                     __CT_NAMES##rd(d) ", " __CT_NAMES##ra(a) ", " __CT_NAMES##rb(b) ", " __CT_NAMES##rc(c) ";" \
                     : __CT_TO##rd(d, CD) : __CT_OF##ra(a, "r"), __CT_OF##rb(b, "r"), __CT_OF##rc(c, CC)); \
  }
#define __CT_PRODUCT(m, n, k, A, ra, rb, D, WD, CD, rd, C, WC, CC, rc, types)                      \
  __CT_PRODUCT_AS(m, n, k, A, row_major, "row", ra, row_major, "row", rb, D, WD, CD, rd, C, WC, CC, rc, types, "") \
  __CT_PRODUCT_AS(m, n, k, A, row_major, "row", ra, col_major, "col", rb, D, WD, CD, rd, C, WC, CC, rc, types, "") \
  __CT_PRODUCT_AS(m, n, k, A, col_major, "col", ra, row_major, "row", rb, D, WD, CD, rd, C, WC, CC, rc, types, "") \
  __CT_PRODUCT_AS(m, n, k, A, col_major, "col", ra, col_major, "col", rb, D, WD, CD, rd, C, WC, CC, rc, types, "")

// The element types of a shape: registers of A and B with half, with bfloat16 and with bytes.
#define __CT_BYTES(m, n, k, type, ptx, ra, rb)                                                     \
  __CT_FRAGMENT(matrix_a, m, n, k, type, type, 4 * ra)                                             \
  __CT_FRAGMENT(matrix_b, m, n, k, type, type, 4 * rb)                                             \
  __CT_LOAD(matrix_a, "a", m, n, k, type, ptx, type, ra)                                           \
  __CT_LOAD(matrix_b, "b", m, n, k, type, ptx, type, rb)                                           \
  __CT_PRODUCT(m, n, k, type, ra, rb, int, int, "r", 8, int, int, "r", 8, "s32." ptx "." ptx ".s32")
#define __CT_SHAPE(m, n, k, a2, b2, a1, b1)                                                        \
  __CT_SUMS(m, n, k, float, "f32", 8, 8, float, "f")                                               \
  __CT_SUMS(m, n, k, half, "f16", 8, 4, unsigned, "r")                                             \
  __CT_SUMS(m, n, k, int, "s32", 8, 8, int, "r")                                                   \
  __CT_FRAGMENT(matrix_a, m, n, k, half, half, 16)                                                 \
  __CT_FRAGMENT(matrix_b, m, n, k, half, half, 16)                                                 \
  __CT_LOAD(matrix_a, "a", m, n, k, half, "f16", half, 8)                                          \
  __CT_LOAD(matrix_b, "b", m, n, k, half, "f16", half, 8)                                          \
  __CT_PRODUCT(m, n, k, half, 8, 8, float, float, "f", 8, float, float, "f", 8, "f32.f32")         \
  __CT_PRODUCT(m, n, k, half, 8, 8, half, unsigned, "r", 4, half, unsigned, "r", 4, "f16.f16")     \
  __CT_PRODUCT(m, n, k, half, 8, 8, float, float, "f", 8, half, unsigned, "r", 4, "f32.f16")       \
  __CT_PRODUCT(m, n, k, half, 8, 8, half, unsigned, "r", 4, float, float, "f", 8, "f16.f32")       \
  __CT_FRAGMENT(matrix_a, m, n, k, __nv_bfloat16, __nv_bfloat16, 2 * a2)                           \
  __CT_FRAGMENT(matrix_b, m, n, k, __nv_bfloat16, __nv_bfloat16, 2 * b2)                           \
  __CT_LOAD(matrix_a, "a", m, n, k, __nv_bfloat16, "bf16", __nv_bfloat16, a2)                      \
  __CT_LOAD(matrix_b, "b", m, n, k, __nv_bfloat16, "bf16", __nv_bfloat16, b2)                      \
  __CT_PRODUCT(m, n, k, __nv_bfloat16, a2, b2, float, float, "f", 8, float, float, "f", 8, "f32.bf16.bf16.f32") \
  __CT_BYTES(m, n, k, signed char, "s8", a1, b1)                                                   \
  __CT_BYTES(m, n, k, unsigned char, "u8", a1, b1)
__CT_SHAPE(16, 16, 16, 4, 4, 2, 2)
__CT_SHAPE(32, 8, 16, 8, 2, 4, 1)
__CT_SHAPE(8, 32, 16, 2, 8, 1, 4)

// tf32: floats, of which a product takes 10 bits of fraction.
__CT_SUMS(16, 16, 8, float, "f32", 8, 8, float, "f")
__CT_FRAGMENT(matrix_a, 16, 16, 8, precision::tf32, float, 4)
__CT_FRAGMENT(matrix_b, 16, 16, 8, precision::tf32, float, 4)
__CT_LOAD(matrix_a, "a", 16, 16, 8, precision::tf32, "tf32", float, 4)
__CT_LOAD(matrix_b, "b", 16, 16, 8, precision::tf32, "tf32", float, 4)
__CT_PRODUCT(16, 16, 8, precision::tf32, 4, 4, float, float, "f", 8, float, float, "f", 8, "f32.tf32.tf32.f32")
__CT_FN float __float_to_tf32(float v) {
  unsigned r;
  __asm__("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
  return __builtin_bit_cast(float, r);
}

// double, from sm_80 on: a thread's elements of a product of 8 rows, 8 columns and depth 4 (PTX ISA: mma.m8n8k4).
__CT_FRAGMENT(matrix_a, 8, 8, 4, double, double, 1)
__CT_FRAGMENT(matrix_b, 8, 8, 4, double, double, 1)
__CT_FRAGMENT(accumulator, 8, 8, 4, double, double, 2)
#define __CT_ELEMENT(use, layout, index)                                                           \
  __CT_FN void load_matrix_sync(fragment<use, 8, 8, 4, double, layout> &f, const double *p, unsigned pitch) { \
    unsigned lane = __nvvm_read_ptx_sreg_laneid(), outer = lane / 4, depth = lane % 4;            \
    f.x[0] = p[index];                                                                             \
  }
__CT_ELEMENT(matrix_a, row_major, outer * pitch + depth)
__CT_ELEMENT(matrix_a, col_major, depth * pitch + outer)
__CT_ELEMENT(matrix_b, row_major, depth * pitch + outer)
__CT_ELEMENT(matrix_b, col_major, outer * pitch + depth)
#undef __CT_ELEMENT
__CT_FN void load_matrix_sync(fragment<accumulator, 8, 8, 4, double> &f, const double *p, unsigned pitch, layout_t layout) {
  unsigned lane = __nvvm_read_ptx_sreg_laneid(), row = lane / 4, column = lane % 4 * 2, step = layout == mem_row_major ? 1 : pitch;
  p += layout == mem_row_major ? row * pitch + column : column * pitch + row;
  f.x[0] = p[0];
  f.x[1] = p[step];
}
__CT_FN void store_matrix_sync(double *p, const fragment<accumulator, 8, 8, 4, double> &f, unsigned pitch, layout_t layout) {
  unsigned lane = __nvvm_read_ptx_sreg_laneid(), row = lane / 4, column = lane % 4 * 2, step = layout == mem_row_major ? 1 : pitch;
  p += layout == mem_row_major ? row * pitch + column : column * pitch + row;
  p[0] = f.x[0];
  p[step] = f.x[1];
}
template <class LA, class LB>
__CT_FN void mma_sync(fragment<accumulator, 8, 8, 4, double> &d, const fragment<matrix_a, 8, 8, 4, double, LA> &a,
                      const fragment<matrix_b, 8, 8, 4, double, LB> &b, const fragment<accumulator, 8, 8, 4, double> &c) {
  __asm__ volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
                   : "=d"(d.x[0]), "=d"(d.x[1]) : "d"(a.x[0]), "d"(b.x[0]), "d"(c.x[0]), "d"(c.x[1]));
}
#undef __CT_SHAPE
#undef __CT_BYTES
#undef __CT_PRODUCT
#undef __CT_PRODUCT_AS
#undef __CT_SUMS
#undef __CT_SUMS_AS
#undef __CT_LOAD
#undef __CT_LOAD_AS
#undef __CT_FRAGMENT
} // namespace wmma
} // namespace nvcuda
#endif
