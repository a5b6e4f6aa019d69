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

# The gamma function and its logarithm around 2, and the rest of Stirling's formula by 1 / x^2.
polynomial('lgamma_d', 'log gamma(2 + t) / t', lambda t: mp.loggamma(2 + t) / t if t else 1 - mp.euler, mpf('-0.5001'), mpf('0.5001'), 22, 'd')
polynomial('gamma_d', 'gamma(2 + t)', lambda t: mp.gamma(2 + t), mpf('-0.5001'), mpf('0.5001'), 20, 'd')


def stirling(z):
    if z < mpf('1e-6'):
        return mpf(1) / 12 - z / 360 + z ** 2 / 1260
    x = 1 / mp.sqrt(z)
    return (mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2) * x


polynomial('stirling_d', 'x (log gamma x - (x - 1/2) log x + x - log(2 pi) / 2) in 1 / x^2', stirling, 0, mpf('0.01563'), 8, 'd')
# Bessel functions up to 8, divided by their first three zeros, in (x^2 - 32) / 32.
ZEROS = {order: [mp.besseljzero(order, k) for k in (1, 2, 3)] for order in (0, 1)}


def bessel(order):
    def f(t):
        z = 32 * t + 32
        x = mp.sqrt(z)
        v = mp.besselj(order, x) / mp.fprod(z - zero ** 2 for zero in ZEROS[order])
        return v / x if order else v
    return f


def bessel_log(order):
    """The part of Y that is no multiple of J log x: 0: Y - 2/pi J log(x/2); 1: (Y - 2/pi (J log(x/2) - 1/x)) / x."""
    def f(t):
        x = mp.sqrt(32 * t + 32)
        v = mp.bessely(order, x) - 2 / mp.pi * mp.besselj(order, x) * mp.log(x / 2)
        return (v + 2 / (mp.pi * x)) / x if order else v
    return f


def modified(order):
    return lambda u: mp.besseli(order, 8 * mp.sqrt(u)) / (8 * mp.sqrt(u) if order else 1)


def hankel(order, part):
    """P and x Q of the asymptotic expansion by 64 / x^2, for x >= 8: J = sqrt(2 / (pi x)) (P cos c - Q sin c)."""
    def f(z):
        x = 8 / mp.sqrt(z) if z > mpf('0.002') else 8 / mp.sqrt(mpf('0.002') + 0 * z) if z == 0 else 8 / mp.sqrt(z)
        if z == 0:
            return mpf(1) if part == 'p' else mpf(4 * order - 1) / 8
        if x > 60:
            mu, term, p, q = 4 * order, mpf(1), mpf(1), mpf(0)
            for k in range(1, 30):
                term = term * (mu - (2 * k - 1) ** 2) / (k * 8 * x)
                if k % 2:
                    q += term * (-1) ** (k // 2)
                else:
                    p += term * (-1) ** (k // 2)
            return p if part == 'p' else q * x
        c = x - (order * 2 + 1) * mp.pi / 4
        j, y, s = mp.besselj(order, x), mp.bessely(order, x), mp.sqrt(mp.pi * x / 2)
        return s * (j * mp.cos(c) + y * mp.sin(c)) if part == 'p' else s * (y * mp.cos(c) - j * mp.sin(c)) * x
    return f


polynomial('j0_small_d', '(J0 (x) - 1) / x^2 in x^2', of_square(lambda x: (mp.besselj(0, x) - 1) / x ** 2, -mpf(1) / 4), 0, mpf('1.7'), 9, 'd', lambda z: z, fixed=(-0.25,))
polynomial('j1_small_d', '(J1 (x) / x - 1/2) / x^2 in x^2', of_square(lambda x: (mp.besselj(1, x) / x - mpf(1) / 2) / x ** 2, -mpf(1) / 16), 0, 1, 8, 'd', lambda z: z, fixed=(-0.0625,))
polynomial('y0_small_d', 'Y0 (x) less its logarithm in x^2', of_square(lambda x: mp.bessely(0, x) - 2 / mp.pi * mp.besselj(0, x) * mp.log(x / 2), 2 * mp.euler / mp.pi), 0, mpf('1.7'), 10, 'd')
for order in (0, 1):
    polynomial('j%d_d' % order, 'J%d less its zeros, x^2 = 32 t + 32' % order, bessel(order), -1, 1, 18, 'd', lambda t, order=order: 1 / bessel(order)(t))
    polynomial('y%d_d' % order, 'Y%d less its logarithm, x^2 = 32 t + 32' % order, bessel_log(order), -1, 1, 18, 'd')
    polynomial('p%d_d' % order, 'P%d of large arguments in (8 / x)^2' % order, hankel(order, 'p'), 0, 1, 16, 'd')
    polynomial('q%d_d' % order, 'x Q%d of large arguments in (8 / x)^2' % order, hankel(order, 'q'), 0, 1, 16, 'd')
    # Modified: by x^2 up to 8, where all terms are positive, beyond it sqrt(x) e^-x I(x) in 8 / x.
    polynomial('i%d_d' % order, 'I%d (x), over x for I1, in x^2 / 64' % order, modified(order), mpf('1e-20'), 1, 20, 'd', lambda u, order=order: 1 / modified(order)(u))
    polynomial('ilarge%d_d' % order, 'sqrt(x) e^-x I%d (x) in 8 / x' % order, lambda u, order=order: (mp.besseli(order, 8 / u) * mp.exp(-8 / u) * mp.sqrt(8 / u)) if u > mpf('0.01') else 1 / mp.sqrt(2 * mp.pi) * mp.nsum(lambda k: mp.rf(mpf(1) / 2 - order, int(k)) * mp.rf(mpf(1) / 2 + order, int(k)) / mp.fac(int(k)) / (2 * 8 / (u or mpf('1e-30'))) ** int(k), [0, 20]), 0, 1, 22, 'd')

# Y0 and Y1 around their zeros below 8, divided by the distance: order, number, reach, coefficients.
Y_ZEROS = {}
for order, k, reach, count in ((0, 1, '0.4', 30), (0, 2, '1.1', 26), (0, 3, '1.1', 24), (1, 1, '0.5', 26), (1, 2, '1.1', 26), (1, 3, '1.1', 22)):
    zero = Y_ZEROS[order, k] = mp.besselyzero(order, k)

    def around(t, order=order, zero=zero):
        return mp.bessely(order, zero + t) / t if t else mp.bessely(order, zero, derivative=1)

    polynomial('y%d_%d_d' % (order, k), 'Y%d (zero %d + t) / t' % (order, k), around, -mpf(reach), mpf(reach), count, 'd', lambda t, around=around: 1 / around(t))


def main():
    mp.dps = 450
    wanted = sys.argv[1:]
    print('// Polynomials of the mathematical functions, the constant first. Made by tools/coefficients.py.')
    print('#pragma once\n\nnamespace __ct {')
    words = [int(mp.floor(mp.ldexp(2 / mp.pi, 64 * i))) & (2 ** 64 - 1) for i in range(21)]
    print('// 2 / pi in words of 64 bits, the integer part first.')
    print('__CT_TABLE unsigned long long two_over_pi[] = {%s};' % ', '.join('0x%016xull' % w for w in words))
    mp.dps = 50
    for order, zeros in ZEROS.items():
        parts = [part for z in zeros for part in (rounded(z, 'd'), z - rounded(z, 'd'))]
        print('// The first zeros of J%d, as two numbers each.' % order)
        print('__CT_TABLE double j%d_zeros[] = {%s};' % (order, ', '.join(float(v).hex() for v in parts)))
    for (order, k), z in Y_ZEROS.items():
        print('// Zero %d of Y%d, as two numbers.' % (k, order))
        print('__CT_TABLE double y%d_%d_zero[] = {%s, %s};' % (order, k, float(rounded(z, 'd')).hex(), float(z - rounded(z, 'd')).hex()))
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
