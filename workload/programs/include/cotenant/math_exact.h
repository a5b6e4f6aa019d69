// Functions with exact results: remainders by long division, exponents and neighbours by their bits.
#pragma once

#include "math_exp.h"

namespace __ct {
// x 2^n for any n. Steps down leave room for all bits, so that only the last can round.
template <class T> __CT_MATH T ldexp(T x, int n) {
  const int most = sizeof(T) == 4 ? 127 : 1023, digits = sizeof(T) == 4 ? 24 : 53, down = most - 1 - digits;
  const T up = sizeof(T) == 4 ? (T)0x1p127 : (T)0x1p1023, small = sizeof(T) == 4 ? (T)0x1p-102 : (T)0x1p-969;
  for (int i = 0; i < 2; i++) {
    if (n > most) x *= up, n -= most;
    if (n < 1 - most) x *= small, n += down;
  }
  n = n > most ? most : n < 1 - most ? 1 - most : n;
  return x * scale((T)1, n);
}
// The exponent and the digits of a positive number as an integer with its highest bit in a fixed place.
template <class T> __CT_MATH u64 digits_of(T a, int *exponent) {
  const int digits = sizeof(T) == 4 ? 24 : 53, bias = sizeof(T) == 4 ? 127 : 1023;
  u64 b = (u64)bits(a), m = b & ((1ull << (digits - 1)) - 1);
  int e = (int)(b >> (digits - 1));
  if (e == 0) {
    int up = __builtin_clzll(m) - (64 - digits);
    m <<= up;
    e = 1 - up;
  } else {
    m |= 1ull << (digits - 1);
  }
  *exponent = e - bias - (digits - 1);
  return m;
}
// |x| modulo |y| by long division, with the lowest bits of the quotient.
template <class T> __CT_MATH T divide(T x, T y, u32 *quotient) {
  T a = absolute(x), b = absolute(y);
  *quotient = 0;
  if (!(a < infinity<T>()) || !(b > 0)) return not_a_number<T>();
  if (b == infinity<T>() || a < b) return a;
  int ea, eb;
  u64 ma = digits_of(a, &ea), mb = digits_of(b, &eb);
  u32 q = 0;
  for (int i = ea - eb;; i--) {
    q <<= 1;
    if (ma >= mb) ma -= mb, q |= 1;
    if (i == 0) break;
    ma <<= 1;
  }
  *quotient = q;
  return ldexp((T)ma, eb);
}
template <class T> __CT_MATH T fmod(T x, T y) {
  u32 q;
  if (x != x || y != y) return x + y;
  return sign_of(divide(x, y, &q), x);
}
template <class T> __CT_MATH T remquo(T x, T y, int *quotient) {
  u32 q;
  *quotient = 0;
  if (x != x || y != y) return x + y;
  T r = divide(x, y, &q), b = absolute(y), left = b - r; // exact where it matters: r is at least half of b
  if (r > left || (r == left && (q & 1))) r = -left, q++;
  *quotient = (x < 0) != (y < 0) ? -(int)(q & 7) : (int)(q & 7);
  return r == 0 ? sign_of(r, x) : __builtin_signbit(x) ? -r : r;
}
template <class T> __CT_MATH T remainder(T x, T y) {
  int q;
  return remquo(x, y, &q);
}
template <class T> __CT_MATH T fdim(T x, T y) { return x <= y ? (T)0 : x - y; }
template <class T> __CT_MATH T frexp(T x, int *n) {
  *n = 0;
  if (!ordinary(absolute(x))) return x + x;
  u64 m = digits_of(absolute(x), n);
  const int digits = sizeof(T) == 4 ? 24 : 53;
  *n += digits;
  return sign_of((T)m * scale((T)1, -digits), x);
}
template <class T> __CT_MATH int ilogb(T x) {
  if (!ordinary(absolute(x))) return absolute(x) == infinity<T>() ? 0x7fffffff : (int)0x80000000;
  int n;
  digits_of(absolute(x), &n);
  return n + (sizeof(T) == 4 ? 23 : 52);
}
template <class T> __CT_MATH T logb(T x) {
  return x == 0 ? -infinity<T>() : ordinary(absolute(x)) ? (T)ilogb(x) : mul(x, x);
}
__CT_MATH float bits_back(u32 b) { return real(b); }
__CT_MATH double bits_back(u64 b) { return real(b); }
template <class T> __CT_MATH T nextafter(T x, T y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  if (x == 0) return sign_of(bits_back(bits((T)0) + 1), y);
  return bits_back((x < y) == (x > 0) ? bits(x) + 1 : bits(x) - 1);
}
} // namespace __ct
