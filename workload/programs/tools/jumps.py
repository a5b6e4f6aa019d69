#!/usr/bin/env python3
"""Computes how far jumps of the generator XORWOW come about.

    jumps.py > ../include/cotenant/jumps.h

The linear part of XORWOW (Marsaglia, Journal of Statistical Software 8(14), 2003) is a map of 160 bits.
A jump of n steps is the polynomial x^n modulo the map's own polynomial, applied to the state.
"""
MASK = 0xffffffff


def step(v):
    t = v[0] ^ (v[0] >> 2)
    return v[1:] + [(v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & MASK]


def minimal(bits):
    """The shortest linear recurrence of a sequence of bits (Berlekamp and Massey), as an integer."""
    c, b, length, m = 1, 1, 0, 1
    for n in range(len(bits)):
        d = 0
        for i in range(length + 1):
            d ^= (c >> i & 1) & bits[n - i]
        if d:
            t = c
            c ^= b << m
            if 2 * length <= n:
                length, b, m = n + 1 - length, t, 0
        m += 1
    # The recurrence runs backwards: turn it round.
    return int(bin(c | 1 << (length + 1))[3:].zfill(length + 1)[::-1], 2), length


def main():
    v, bits = [1, 2, 3, 4, 5], []
    for _ in range(400):
        bits.append(v[0] & 1)
        v = step(v)
    p, degree = minimal(bits)
    assert degree == 160 and p >> 160 == 1, (degree, p.bit_length())

    def times(a, b):
        r = 0
        while b:
            if b & 1:
                r ^= a
            a <<= 1
            if a >> 160:
                a ^= p
            b >>= 1
        return r

    print('// Jumps of XORWOW: polynomials of 160 bits, the lowest word first. Made by tools/jumps.py.')
    print('#pragma once\n\nnamespace __ct {')
    x = 2
    powers = []
    for _ in range(67 + 64):
        powers.append(x)
        x = times(x, x)
    for name, first, what in (('jump_steps', 0, '2^i steps'), ('jump_sequences', 67, '2^(67 + i) steps')):
        print('// Entry i is a jump of %s.' % what)
        rows = ('{%s}' % ', '.join('0x%08x' % (powers[first + i] >> 32 * w & MASK) for w in range(5)) for i in range(64))
        print('static __device__ const unsigned %s[64][5] = {\n%s};' % (name, ',\n'.join(rows)))
    print('} // namespace __ct')


if __name__ == '__main__':
    main()
