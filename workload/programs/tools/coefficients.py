#!/usr/bin/env python3
"""Computes the polynomials of the device's mathematical functions.

    coefficients.py [NAME...] > ../include/cotenant/coefficients.h

Needs mpmath (Debian: python3-mpmath). Each polynomial minimises the weighted squares of its errors
over Chebyshev's nodes of an interval, which comes close to the least maximum. Coefficients are
rounded to the format of the function one after another, the most important first, and the rest
is fitted anew each time, so that later coefficients make up for the rounding of earlier ones.
"""
import struct
import sys

from mpmath import mp, mpf

mp.dps = 50


def rounded(value, kind):
    """The nearest number of a format: f (single) or d (double)."""
    return mpf(float(value)) if kind == 'd' else mpf(struct.unpack('f', struct.pack('f', float(value)))[0])


def fit(f, low, high, count, kind, weight, fixed):
    """Coefficients c of sum c[i] x^i that approximate f on an interval; errors count by weight."""
    low, high = mpf(low), mpf(high)
    n = 4 * count + 8
    xs = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    ws = [weight(x) for x in xs]
    left = [f(x) * w for x, w in zip(xs, ws)]
    basis = [[x ** i * w for i in range(count)] for x, w in zip(xs, ws)]
    done = []
    for i in range(count):
        if i < len(fixed):
            c = mpf(fixed[i])
        else:
            m = count - i
            a, b = mp.matrix(m, m), mp.matrix(m, 1)
            for r in range(m):
                for s in range(r, m):
                    a[r, s] = a[s, r] = mp.fdot((row[i + r], row[i + s]) for row in basis)
                b[r] = mp.fdot((row[i + r], v) for row, v in zip(basis, left))
            c = rounded(mp.lu_solve(a, b)[0], kind)
        done.append(c)
        left = [v - c * row[i] for row, v in zip(basis, left)]
    return done, max(abs(v) for v in left)


FITS = []


def polynomial(name, what, f, low, high, count, kind, weight=lambda x: mpf(1), fixed=()):
    FITS.append((name, what, f, low, high, count, kind, weight, fixed))


def both(name, what, f, low, high, single, double, weight=lambda x: mpf(1), fixed=()):
    polynomial(name + '_f', what, f, low, high, single, 'f', weight, fixed)
    polynomial(name + '_d', what, f, low, high, double, 'd', weight, fixed)


def of_square(g, limit):
    """g as a function of z = x^2, with its value at 0 by a limit."""
    return lambda z: mpf(limit) if z == 0 else g(mp.sqrt(z))


HALF_LN2 = mp.log(2) / 2 * mpf('1.002')
QUARTER_PI = mp.pi / 4 * mpf('1.0005')

both('exp', '(e^x - 1 - x) / x^2', lambda x: (mp.expm1(x) - x) / x ** 2, -HALF_LN2, HALF_LN2, 5, 10, lambda x: x ** 2)
both('expm1', '(e^x - 1 - x) / x^2, small beside x', lambda x: (mp.expm1(x) - x) / x ** 2, mpf('-0.5001'), mpf('0.5001'), 6, 12, lambda x: x)
both('sin', '(sin x - x) / x^3 in x^2', of_square(lambda x: (mp.sin(x) - x) / x ** 3, -mpf(1) / 6), 0, QUARTER_PI ** 2, 3, 6, lambda z: z)
both('cos', '(cos x - 1) / x^2 in x^2', of_square(lambda x: (mp.cos(x) - 1) / x ** 2, -mpf(1) / 2), 0, QUARTER_PI ** 2, 4, 7, lambda z: z, fixed=(-0.5,))
both('tan', '(tan x - x) / x^3 in x^2', of_square(lambda x: (mp.tan(x) - x) / x ** 3, mpf(1) / 3), 0, QUARTER_PI ** 2, 7, 15, lambda z: z)
both('sinpi', '(sin pi x - pi x) / x^3 in x^2', of_square(lambda x: (mp.sin(mp.pi * x) - mp.pi * x) / x ** 3, -mp.pi ** 3 / 6), 0, mpf('0.0626'), 3, 6, lambda z: z)
both('cospi', '(cos pi x - 1) / x^2 in x^2', of_square(lambda x: (mp.cos(mp.pi * x) - 1) / x ** 2, -mp.pi ** 2 / 2), 0, mpf('0.0626'), 4, 7, lambda z: z)
both('asin', '(asin x - x) / x^3 in x^2', of_square(lambda x: (mp.asin(x) - x) / x ** 3, mpf(1) / 6), 0, mpf('0.2501'), 5, 12, lambda z: z)
both('atan', '(atan x - x) / x^3 in x^2', of_square(lambda x: (mp.atan(x) - x) / x ** 3, -mpf(1) / 3), 0, mpf('1.0001'), 9, 20, lambda z: z)
both('sinh', '(sinh x - x) / x^3 in x^2', of_square(lambda x: (mp.sinh(x) - x) / x ** 3, mpf(1) / 6), 0, mpf('1.001'), 4, 8, lambda z: z)
both('tanh', '(tanh x - x) / x^3 in x^2', of_square(lambda x: (mp.tanh(x) - x) / x ** 3, -mpf(1) / 3), 0, mpf('0.36'), 5, 12, lambda z: z)
# Logarithms: in single precision of 1 + x, in double precision of (1 + s) / (1 - s), by z = s^2.
polynomial('log_f', '(log(1 + x) - x) / x^2', lambda x: (mp.log1p(x) - x) / x ** 2, mpf('-0.3335'), mpf('0.3335'), 9, 'f', lambda x: x)
polynomial('log2_f', '(log2(1 + x) - x log2 e) / x^2', lambda x: (mp.log1p(x) / mp.log(2) - x / mp.log(2)) / x ** 2, mpf('-0.3335'), mpf('0.3335'), 9, 'f', lambda x: x)
polynomial('atanh_d', '(2 atanh s - 2 s) / s^3 in s^2', of_square(lambda s: (2 * mp.atanh(s) - 2 * s) / s ** 3, mpf(2) / 3), 0, mpf('0.0296'), 7, 'd', lambda z: z)
both('atanh2', '(2 atanh s - 2 s - 2/3 s^3) / s^5 in s^2', of_square(lambda s: (2 * mp.atanh(s) - 2 * s - s ** 3 * 2 / 3) / s ** 5, mpf(2) / 5), 0, mpf('0.0401'), 3, 8, lambda z: z ** 2)
# The error function.
both('erf', 'erf x / x - 1 in x^2', of_square(lambda x: mp.erf(x) / x - 1, 2 / mp.sqrt(mp.pi) - 1), 0, mpf('1.0001'), 7, 13)


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x) if x < 30 else mp.nsum(lambda k: (-1) ** int(k) * mp.fac2(2 * int(k) - 1) / (2 * x * x) ** int(k), [0, 12]) / (x * mp.sqrt(mp.pi))


def shepherd(t):
    """(1 + 2 x) erfcx(x) with x = (1 + t) k / (1 - t): Shepherd and Laframboise, Math. Comp. 36 (1981)."""
    if t == 1:
        return 2 / mp.sqrt(mp.pi)
    x = (1 + t) * SHEPHERD / (1 - t)
    return (1 + 2 * x) * erfcx(x)


SHEPHERD = mpf(4)
polynomial('erfcx_d', '(1 + 2 x) erfcx x in (x - 4) / (x + 4)', shepherd, -1, 1, 24, 'd')
polynomial('erfcx_f', '(1 + 2 x) erfcx x in (x - 4) / (x + 4)', shepherd, -1, 1, 13, 'f')


def main():
    mp.dps = 450
    wanted = sys.argv[1:]
    print('// Polynomials of the mathematical functions, the constant first. Made by tools/coefficients.py.')
    print('#pragma once\n\nnamespace __ct {')
    words = [int(mp.floor(mp.ldexp(2 / mp.pi, 64 * i))) & (2 ** 64 - 1) for i in range(21)]
    print('// 2 / pi in words of 64 bits, the integer part first.')
    print('__CT_TABLE unsigned long long two_over_pi[] = {%s};' % ', '.join('0x%016xull' % w for w in words))
    mp.dps = 50
    for name, what, f, low, high, count, kind, weight, fixed in FITS:
        if wanted and not any(name.startswith(w) for w in wanted):
            continue
        c, worst = fit(f, low, high, count, kind, weight, fixed)
        bits = float(mp.log(worst, 2))
        print('// %s, x from %.4g to %.4g: weighted error below 2^%.1f.' % (what, float(low), float(high), bits))
        letter, ctype = ('f', 'float') if kind == 'f' else ('', 'double')
        print('__CT_TABLE %s %s[] = {%s};' % (ctype, name, ', '.join(float(v).hex() + letter for v in c)))
        sys.stderr.write('%s 2^%.1f\n' % (name, bits))
    print('} // namespace __ct')


if __name__ == '__main__':
    main()
