package headers

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// xorwow is Marsaglia's generator (Journal of Statistical Software 8(14), 2003), one step at a time.
type xorwow struct{ v [5]uint32 }

func (x *xorwow) step() {
	t := x.v[0] ^ x.v[0]>>2
	copy(x.v[:], x.v[1:])
	x.v[4] = x.v[4] ^ x.v[4]<<4 ^ t ^ t<<1
}

// matrix is a linear map of the state: column k is the image of bit k.
type matrix [160][5]uint32

func (m *matrix) of(v [5]uint32) (sum [5]uint32) {
	for k := range 160 {
		if v[k/32]>>(k%32)&1 == 1 {
			for w := range 5 {
				sum[w] ^= m[k][w]
			}
		}
	}
	return sum
}

// steps is the map of 2^n steps, by squaring.
func steps(n int) (m matrix) {
	for k := range 160 {
		var x xorwow
		x.v[k/32] = 1 << (k % 32)
		x.step()
		m[k] = x.v
	}
	for range n {
		var square matrix
		for k := range 160 {
			square[k] = m.of(m[k])
		}
		m = square
	}
	return m
}

// XORWOW starts from cuRAND's seeds and jumps by polynomials; here steps are taken one by one, and
// subsequences by powers of the matrix.
func TestXorwowSeedsSubsequencesAndOffsets(t *testing.T) {
	p := compile(t, "random.cu")
	sequence := steps(67)
	for _, c := range []struct {
		seed, sequence, offset uint64
	}{{0, 0, 0}, {1234, 0, 0}, {1234, 1, 0}, {1 << 40, 5, 3}, {99, 2, 1000}, {7, 37, 5000}} {
		t0 := 1099087573 * (uint32(c.seed) ^ 0xaad26b49)
		t1 := 2591861531 * (uint32(c.seed>>32) ^ 0xf7dcefdd)
		x := xorwow{[5]uint32{123456789 + t0, 362436069 ^ t0, 521288629 + t1, 88675123 ^ t1, 5783321 + t0}}
		d := 6615241 + t1 + t0
		for range c.sequence {
			x.v = sequence.of(x.v)
		}
		for range c.offset {
			x.step()
			d += 362437
		}
		var want []uint32
		for range 8 {
			x.step()
			d += 362437
			want = append(want, x.v[4]+d)
		}
		out := p.array(t, 32, nil)
		p.run(t, "xorwow", 1, 1, out, c.seed, c.sequence, c.offset)
		require.Equal(t, want, read[uint32](t, p, out, 8), "%v", c)
	}
}

// Philox gives the known answers of its authors' library (Random123, kat_vectors) where these fit
// cuRAND's counter and key.
func TestPhiloxKnownAnswers(t *testing.T) {
	p := compile(t, "random.cu")
	run := func(seed, sequence, offset uint64) []uint32 {
		out := p.array(t, 32, nil)
		p.run(t, "philox", 1, 1, out, seed, sequence, offset)
		return read[uint32](t, p, out, 8)
	}
	zero := run(0, 0, 0)
	require.Equal(t, []uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, zero[:4])
	require.Equal(t, zero[4:], run(0, 0, 4)[:4], "an offset counts numbers")
	require.Equal(t, append(zero[3:4:4], zero[4:]...), run(0, 0, 3)[:5])
	// An offset of 2^64 - 1 numbers leaves the upper quarter of the counter's lower half: a counter of
	// all ones is out of reach, the key is not.
	ones := ^uint64(0)
	counter := [4]uint32{0xffffffff, 0x3fffffff, 0xffffffff, 0xffffffff}
	require.Equal(t, philox(counter, [2]uint32{0xffffffff, 0xffffffff})[3], run(ones, ones, ones)[0])
	require.Equal(t, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		philox([4]uint32{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, [2]uint32{0xffffffff, 0xffffffff}))
}

// philox is Philox 4x32-10 by its paper (Salmon et al., SC 2011).
func philox(c [4]uint32, k [2]uint32) [4]uint32 {
	for range 10 {
		a, b := uint64(c[0])*0xD2511F53, uint64(c[2])*0xCD9E8D57
		c = [4]uint32{uint32(b>>32) ^ c[1] ^ k[0], uint32(b), uint32(a>>32) ^ c[3] ^ k[1], uint32(a)}
		k[0] += 0x9E3779B9
		k[1] += 0xBB67AE85
	}
	return c
}

func TestDistributionsHaveTheirMeanAndVariance(t *testing.T) {
	p := compile(t, "random.cu")
	sums := p.array(t, 64, nil)
	p.run(t, "distributions", 1, 64, sums)
	const n = 64 * 64
	got := read[float64](t, p, sums, 8)
	for k, want := range []struct{ mean, variance float64 }{{0.5, 1. / 12}, {0, 1}, {0, 1}, {0, 1}} {
		mean := got[2*k] / n
		require.InDelta(t, want.mean, mean, 0.06, "distribution %d", k)
		require.InDelta(t, want.variance, got[2*k+1]/n-mean*mean, 0.08*(want.variance+0.1), "distribution %d", k)
	}
}
