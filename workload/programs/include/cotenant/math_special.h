#pragma once
#include "math_erf.h"
namespace __ct {
template <class T> __CT_MATH T rsqrt(T x) { return 1 / root(x); }
template <class T> __CT_MATH T erfinv(T x) { return x; }
template <class T> __CT_MATH T erfcinv(T x) { return x; }
template <class T> __CT_MATH T normcdfinv(T x) { return x; }
template <class T> __CT_MATH T lgamma(T x) { return x; }
template <class T> __CT_MATH T tgamma(T x) { return x; }
template <class T> __CT_MATH T j0(T x) { return x; }
template <class T> __CT_MATH T j1(T x) { return x; }
template <class T> __CT_MATH T y0(T x) { return x; }
template <class T> __CT_MATH T y1(T x) { return x; }
template <class T> __CT_MATH T cyl_bessel_i0(T x) { return x; }
template <class T> __CT_MATH T cyl_bessel_i1(T x) { return x; }
template <class T> __CT_MATH T jn(int, T x) { return x; }
template <class T> __CT_MATH T yn(int, T x) { return x; }
}
