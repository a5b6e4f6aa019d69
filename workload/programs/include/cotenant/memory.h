// Loads through the read-only cache, loads and stores with cache hints, address spaces, time.
#pragma once

#include "../vector_functions.h"
#include "define.h"

// Scalars: type, operand type of the instruction, letter of its register.
#define __CT_SCALARS(each, ...)                                                                    \
  each(char, "s8", char, short, "h", __VA_ARGS__)                                                  \
  each(signed char, "s8", signed char, short, "h", __VA_ARGS__)                                    \
  each(unsigned char, "u8", unsigned char, unsigned short, "h", __VA_ARGS__)                       \
  each(short, "s16", short, short, "h", __VA_ARGS__)                                               \
  each(unsigned short, "u16", unsigned short, unsigned short, "h", __VA_ARGS__)                    \
  each(int, "s32", int, int, "r", __VA_ARGS__)                                                     \
  each(unsigned, "u32", unsigned, unsigned, "r", __VA_ARGS__)                                      \
  each(long, "s64", long, long, "l", __VA_ARGS__)                                                  \
  each(unsigned long, "u64", unsigned long, unsigned long, "l", __VA_ARGS__)                       \
  each(long long, "s64", long long, long long, "l", __VA_ARGS__)                                   \
  each(unsigned long long, "u64", unsigned long long, unsigned long long, "l", __VA_ARGS__)        \
  each(float, "f32", float, float, "f", __VA_ARGS__)                                               \
  each(double, "f64", double, double, "d", __VA_ARGS__)
// Vectors of two, then of four elements; element is the register's type.
#define __CT_PAIRS(each, ...)                                                                      \
  each(char2, "s8", signed char, short, "h", __VA_ARGS__)                                          \
  each(uchar2, "u8", unsigned char, unsigned short, "h", __VA_ARGS__)                              \
  each(short2, "s16", short, short, "h", __VA_ARGS__)                                              \
  each(ushort2, "u16", unsigned short, unsigned short, "h", __VA_ARGS__)                           \
  each(int2, "s32", int, int, "r", __VA_ARGS__)                                                    \
  each(uint2, "u32", unsigned, unsigned, "r", __VA_ARGS__)                                         \
  each(longlong2, "s64", long long, long long, "l", __VA_ARGS__)                                   \
  each(ulonglong2, "u64", unsigned long long, unsigned long long, "l", __VA_ARGS__)                \
  each(float2, "f32", float, float, "f", __VA_ARGS__)                                              \
  each(double2, "f64", double, double, "d", __VA_ARGS__)
#define __CT_QUADS(each, ...)                                                                      \
  each(char4, "s8", signed char, short, "h", __VA_ARGS__)                                          \
  each(uchar4, "u8", unsigned char, unsigned short, "h", __VA_ARGS__)                              \
  each(short4, "s16", short, short, "h", __VA_ARGS__)                                              \
  each(ushort4, "u16", unsigned short, unsigned short, "h", __VA_ARGS__)                           \
  each(int4, "s32", int, int, "r", __VA_ARGS__)                                                    \
  each(uint4, "u32", unsigned, unsigned, "r", __VA_ARGS__)                                         \
  each(float4, "f32", float, float, "f", __VA_ARGS__)

#define __CT_LOAD1(type, word, element, reg, letter, name, op)                                     \
  __CT_FN type name(const type *p) {                                                               \
    reg x;                                                                                         \
    __asm__ volatile(op word " %0, [%1];" : "=" letter(x) : "l"(p) : "memory");                    \
    return (type)x;                                                                                \
  }
#define __CT_LOAD2(type, word, element, reg, letter, name, op)                                     \
  __CT_FN type name(const type *p) {                                                               \
    reg x, y;                                                                                      \
    __asm__ volatile(op "v2." word " {%0, %1}, [%2];" : "=" letter(x), "=" letter(y) : "l"(p) : "memory"); \
    type v = {(element)x, (element)y};                                                             \
    return v;                                                                                      \
  }
#define __CT_LOAD4(type, word, element, reg, letter, name, op)                                     \
  __CT_FN type name(const type *p) {                                                               \
    reg x, y, z, w;                                                                                \
    __asm__ volatile(op "v4." word " {%0, %1, %2, %3}, [%4];"                                      \
                     : "=" letter(x), "=" letter(y), "=" letter(z), "=" letter(w) : "l"(p) : "memory"); \
    type v = {(element)x, (element)y, (element)z, (element)w};                                     \
    return v;                                                                                      \
  }
#define __CT_LOADS(name, op)                                                                       \
  __CT_SCALARS(__CT_LOAD1, name, op) __CT_PAIRS(__CT_LOAD2, name, op) __CT_QUADS(__CT_LOAD4, name, op)
__CT_LOADS(__ldca, "ld.global.ca.")
__CT_LOADS(__ldcg, "ld.global.cg.")
__CT_LOADS(__ldcs, "ld.global.cs.")
__CT_LOADS(__ldlu, "ld.global.lu.")
__CT_LOADS(__ldcv, "ld.global.cv.")

#define __CT_STORE1(type, word, element, reg, letter, name, op)                                    \
  __CT_FN void name(type *p, type v) {                                                             \
    __asm__ volatile(op word " [%0], %1;" : : "l"(p), letter((reg)v) : "memory");                  \
  }
#define __CT_STORE2(type, word, element, reg, letter, name, op)                                    \
  __CT_FN void name(type *p, type v) {                                                             \
    __asm__ volatile(op "v2." word " [%0], {%1, %2};" : : "l"(p), letter((reg)v.x), letter((reg)v.y) : "memory"); \
  }
#define __CT_STORE4(type, word, element, reg, letter, name, op)                                    \
  __CT_FN void name(type *p, type v) {                                                             \
    __asm__ volatile(op "v4." word " [%0], {%1, %2, %3, %4};"                                      \
                     : : "l"(p), letter((reg)v.x), letter((reg)v.y), letter((reg)v.z), letter((reg)v.w) : "memory"); \
  }
#define __CT_STORES(name, op)                                                                      \
  __CT_SCALARS(__CT_STORE1, name, op) __CT_PAIRS(__CT_STORE2, name, op) __CT_QUADS(__CT_STORE4, name, op)
__CT_STORES(__stwb, "st.global.wb.")
__CT_STORES(__stcg, "st.global.cg.")
__CT_STORES(__stcs, "st.global.cs.")
__CT_STORES(__stwt, "st.global.wt.")

// __ldg is a function of the compiler, so that the compiler sees through the address. It has vectors
// of its own kind.
#define __CT_LDG1(type, word, builtin)                                                             \
  __CT_FN type __ldg(const type *p) { return (type)__nvvm_ldg_##builtin((const word *)p); }
__CT_LDG1(char, char, c)
__CT_LDG1(signed char, char, c)
__CT_LDG1(unsigned char, unsigned char, uc)
__CT_LDG1(short, short, s)
__CT_LDG1(unsigned short, unsigned short, us)
__CT_LDG1(int, int, i)
__CT_LDG1(unsigned, unsigned, ui)
__CT_LDG1(long, long long, ll)
__CT_LDG1(unsigned long, unsigned long long, ull)
__CT_LDG1(long long, long long, ll)
__CT_LDG1(unsigned long long, unsigned long long, ull)
__CT_LDG1(float, float, f)
__CT_LDG1(double, double, d)
#define __CT_LDG2(type, element, word, builtin)                                                    \
  __CT_FN type __ldg(const type *p) {                                                              \
    typedef word pair __attribute__((ext_vector_type(2)));                                         \
    pair a = __nvvm_ldg_##builtin((const pair *)p);                                                \
    type v = {(element)a[0], (element)a[1]};                                                       \
    return v;                                                                                      \
  }
#define __CT_LDG4(type, element, word, builtin)                                                    \
  __CT_FN type __ldg(const type *p) {                                                              \
    typedef word quad __attribute__((ext_vector_type(4)));                                         \
    quad a = __nvvm_ldg_##builtin((const quad *)p);                                                \
    type v = {(element)a[0], (element)a[1], (element)a[2], (element)a[3]};                         \
    return v;                                                                                      \
  }
__CT_LDG2(char2, signed char, char, c2)
__CT_LDG2(uchar2, unsigned char, unsigned char, uc2)
__CT_LDG2(short2, short, short, s2)
__CT_LDG2(ushort2, unsigned short, unsigned short, us2)
__CT_LDG2(int2, int, int, i2)
__CT_LDG2(uint2, unsigned, unsigned, ui2)
__CT_LDG2(longlong2, long long, long long, ll2)
__CT_LDG2(ulonglong2, unsigned long long, unsigned long long, ull2)
__CT_LDG2(float2, float, float, f2)
__CT_LDG2(double2, double, double, d2)
__CT_LDG4(char4, signed char, char, c4)
__CT_LDG4(uchar4, unsigned char, unsigned char, uc4)
__CT_LDG4(short4, short, short, s4)
__CT_LDG4(ushort4, unsigned short, unsigned short, us4)
__CT_LDG4(int4, int, int, i4)
__CT_LDG4(uint4, unsigned, unsigned, ui4)
__CT_LDG4(float4, float, float, f4)
#undef __CT_SCALARS
#undef __CT_PAIRS
#undef __CT_QUADS
#undef __CT_LOAD1
#undef __CT_LOAD2
#undef __CT_LOAD4
#undef __CT_LOADS
#undef __CT_STORE1
#undef __CT_STORE2
#undef __CT_STORE4
#undef __CT_STORES
#undef __CT_LDG1
#undef __CT_LDG2
#undef __CT_LDG4

__CT_FN unsigned __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
__CT_FN unsigned __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
__CT_FN unsigned __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
__CT_FN unsigned __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
// Casts, which the compiler sees through, so that it can take them out of loops.
#define __CT_CVTA(space, number)                                                                   \
  __CT_FN __SIZE_TYPE__ __cvta_generic_to_##space(const void *p) {                                 \
    return (__SIZE_TYPE__)(__attribute__((address_space(number))) const void *)p;                  \
  }                                                                                                \
  __CT_FN void *__cvta_##space##_to_generic(__SIZE_TYPE__ p) {                                     \
    return (void *)(__attribute__((address_space(number))) void *)p;                               \
  }
__CT_CVTA(global, 1)
__CT_CVTA(shared, 3)
__CT_CVTA(local, 5)
#undef __CT_CVTA

__CT_FN long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__CT_FN long clock() { return __nvvm_read_ptx_sreg_clock(); }
__CT_FN void __nanosleep(unsigned ns) { __asm__ volatile("nanosleep.u32 %0;" : : "r"(ns)); }

// What the C library has of bytes. The compiler makes loops of them.
extern "C" {
__device__ int vprintf(const char *, const char *);
}
__CT_FN void *memcpy(void *to, const void *from, __SIZE_TYPE__ n) { return __builtin_memcpy(to, from, n); }
__CT_FN void *memmove(void *to, const void *from, __SIZE_TYPE__ n) { return __builtin_memmove(to, from, n); }
__CT_FN void *memset(void *to, int v, __SIZE_TYPE__ n) { return __builtin_memset(to, v, n); }
__CT_FN int memcmp(const void *a, const void *b, __SIZE_TYPE__ n) {
  const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
  for (__SIZE_TYPE__ i = 0; i < n; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

__CT_FN void __trap() { __asm__ volatile("trap;"); }
__CT_FN void __brkpt() { __asm__ volatile("brkpt;"); }
#define __prof_trigger(n) __asm__ volatile("pmevent " #n ";")
