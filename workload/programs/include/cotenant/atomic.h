// Atomic functions (programming guide: atomic functions). Each has a form for the thread block,
// NAME_block, and one for the system, NAME_system.
#pragma once

#include "define.h"

#define __CT_ATOMICS(suffix, scope)                                                                \
  __CT_FN int atomicAdd##suffix(int *p, int v) { return __nvvm_atom_##scope##add_gen_i(p, v); }    \
  __CT_FN unsigned atomicAdd##suffix(unsigned *p, unsigned v) {                                    \
    return (unsigned)__nvvm_atom_##scope##add_gen_i((int *)p, (int)v);                             \
  }                                                                                                \
  __CT_FN unsigned long long atomicAdd##suffix(unsigned long long *p, unsigned long long v) {      \
    return (unsigned long long)__nvvm_atom_##scope##add_gen_ll((long long *)p, (long long)v);      \
  }                                                                                                \
  __CT_FN float atomicAdd##suffix(float *p, float v) { return __nvvm_atom_##scope##add_gen_f(p, v); } \
  __CT_FN double atomicAdd##suffix(double *p, double v) { return __nvvm_atom_##scope##add_gen_d(p, v); } \
  __CT_FN int atomicSub##suffix(int *p, int v) { return atomicAdd##suffix(p, (int)-(unsigned)v); } \
  __CT_FN unsigned atomicSub##suffix(unsigned *p, unsigned v) { return atomicAdd##suffix(p, -v); } \
  __CT_FN int atomicExch##suffix(int *p, int v) { return __nvvm_atom_##scope##xchg_gen_i(p, v); }  \
  __CT_FN unsigned atomicExch##suffix(unsigned *p, unsigned v) {                                   \
    return (unsigned)atomicExch##suffix((int *)p, (int)v);                                         \
  }                                                                                                \
  __CT_FN unsigned long long atomicExch##suffix(unsigned long long *p, unsigned long long v) {     \
    return (unsigned long long)__nvvm_atom_##scope##xchg_gen_ll((long long *)p, (long long)v);     \
  }                                                                                                \
  __CT_FN float atomicExch##suffix(float *p, float v) {                                            \
    return __builtin_bit_cast(float, atomicExch##suffix((int *)p, __builtin_bit_cast(int, v)));    \
  }                                                                                                \
  __CT_FN unsigned atomicInc##suffix(unsigned *p, unsigned v) {                                    \
    return __nvvm_atom_##scope##inc_gen_ui(p, v);                                                  \
  }                                                                                                \
  __CT_FN unsigned atomicDec##suffix(unsigned *p, unsigned v) {                                    \
    return __nvvm_atom_##scope##dec_gen_ui(p, v);                                                  \
  }                                                                                                \
  __CT_FN int atomicCAS##suffix(int *p, int old, int v) {                                          \
    return __nvvm_atom_##scope##cas_gen_i(p, old, v);                                              \
  }                                                                                                \
  __CT_FN unsigned atomicCAS##suffix(unsigned *p, unsigned old, unsigned v) {                      \
    return (unsigned)__nvvm_atom_##scope##cas_gen_i((int *)p, (int)old, (int)v);                   \
  }                                                                                                \
  __CT_FN unsigned long long atomicCAS##suffix(unsigned long long *p, unsigned long long old,      \
                                               unsigned long long v) {                             \
    return (unsigned long long)__nvvm_atom_##scope##cas_gen_ll((long long *)p, (long long)old, (long long)v); \
  }                                                                                                \
  __CT_EXTREMES(suffix, scope, Min, min)                                                           \
  __CT_EXTREMES(suffix, scope, Max, max)                                                           \
  __CT_LOGIC(suffix, scope, And, and)                                                              \
  __CT_LOGIC(suffix, scope, Or, or)                                                                \
  __CT_LOGIC(suffix, scope, Xor, xor)

#define __CT_EXTREMES(suffix, scope, Name, name)                                                   \
  __CT_FN int atomic##Name##suffix(int *p, int v) { return __nvvm_atom_##scope##name##_gen_i(p, v); } \
  __CT_FN unsigned atomic##Name##suffix(unsigned *p, unsigned v) {                                 \
    return __nvvm_atom_##scope##name##_gen_ui(p, v);                                               \
  }                                                                                                \
  __CT_FN long long atomic##Name##suffix(long long *p, long long v) {                              \
    return __nvvm_atom_##scope##name##_gen_ll(p, v);                                               \
  }                                                                                                \
  __CT_FN unsigned long long atomic##Name##suffix(unsigned long long *p, unsigned long long v) {   \
    return __nvvm_atom_##scope##name##_gen_ull(p, v);                                              \
  }

#define __CT_LOGIC(suffix, scope, Name, name)                                                      \
  __CT_FN int atomic##Name##suffix(int *p, int v) { return __nvvm_atom_##scope##name##_gen_i(p, v); } \
  __CT_FN unsigned atomic##Name##suffix(unsigned *p, unsigned v) {                                 \
    return (unsigned)__nvvm_atom_##scope##name##_gen_i((int *)p, (int)v);                          \
  }                                                                                                \
  __CT_FN unsigned long long atomic##Name##suffix(unsigned long long *p, unsigned long long v) {   \
    return (unsigned long long)__nvvm_atom_##scope##name##_gen_ll((long long *)p, (long long)v);   \
  }

__CT_ATOMICS(, )
__CT_ATOMICS(_block, cta_)
__CT_ATOMICS(_system, sys_)

__CT_FN unsigned short atomicCAS(unsigned short *p, unsigned short old, unsigned short v) {
  unsigned short was;
  __asm__ volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(was) : "l"(p), "h"(old), "h"(v) : "memory");
  return was;
}
#undef __CT_ATOMICS
#undef __CT_EXTREMES
#undef __CT_LOGIC
