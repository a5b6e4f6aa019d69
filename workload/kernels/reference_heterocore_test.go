package kernels

import (
	"crypto/sha1"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSyrkAddsTheProductWithTheTranspose(t *testing.T) {
	before, after := run(t, "syrk")
	a := floats(before, "a")
	symmetric(t, before, after, func(i, j, k, m int) float64 { return a[i*m+k] * a[j*m+k] })
}

func TestSyr2kAddsBothProducts(t *testing.T) {
	before, after := run(t, "syr2k")
	a, b := floats(before, "a"), floats(before, "b")
	symmetric(t, before, after, func(i, j, k, m int) float64 { return a[i*m+k]*b[j*m+k] + b[i*m+k]*a[j*m+k] })
}

// symmetric checks a matrix to which 1.5 times a sum of terms has been added.
func symmetric(t *testing.T, before, after *Instance, term func(i, j, k, m int) float64) {
	t.Helper()
	n, m := parameter(before, "n"), parameter(before, "m")
	want := floats(before, "c")
	for i := range n {
		for j := range n {
			sum := 0.0
			for k := range m {
				sum += term(i, j, k, m)
			}
			want[i*n+j] = 1.5*sum + 0.5*want[i*n+j] // all are positive
		}
	}
	assertClose(t, want, want, floats(after, "c"), single)
}

func TestNNAnswersAsTwoConvolvingLayers(t *testing.T) {
	before, after := run(t, "nn")
	answer := func(x float64) float64 { return 1.7159 * math.Tanh(2*x/3) }
	pixels, first, second := floats(before, "pixels"), floats(before, "first_weights"), floats(before, "second_weights")
	maps, answers := make([]float64, len(floats(after, "first"))), make([]float64, len(floats(after, "second")))
	for image := range parameter(before, "images") {
		for m := range 6 {
			for y := range 13 {
				for x := range 13 {
					sum := first[26*m]
					for i := range 25 {
						sum += first[26*m+1+i] * pixels[image*841+(2*y+i/5)*29+2*x+i%5]
					}
					maps[((image*6+m)*13+y)*13+x] = answer(sum)
				}
			}
		}
		for m := range 50 {
			for y := range 5 {
				for x := range 5 {
					sum := second[156*m]
					for i := range 25 * 6 {
						at := i / 6
						sum += second[156*m+1+i] * maps[((image*6+i%6)*13+2*y+at/5)*13+2*x+at%5]
					}
					answers[((image*50+m)*5+y)*5+x] = answer(sum)
				}
			}
		}
	}
	// The exponential is an approximation, to two units in the last place.
	assertClose(t, maps, filled(len(maps), 1), floats(after, "first"), single)
	assertClose(t, answers, filled(len(answers), 2), floats(after, "second"), single)
}

func filled(n int, v float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = v
	}
	return list
}

func TestStreamclusterWeighsTheLastCandidate(t *testing.T) {
	before, after := run(t, "streamcluster")
	points, dimensions, row := parameter(before, "points"), parameter(before, "dimensions"), parameter(before, "centres")+1
	candidate := parameter(before, "candidates") * 7919 % points
	coordinates, cost := floats(before, "coordinates"), floats(before, "all.cost")
	lower, size, switches := make([]float64, points*row), make([]float64, points*row), make([]byte, points)
	for p := range points {
		distance := 0.0
		for i := range dimensions {
			away := coordinates[i*points+p] - coordinates[i*points+candidate]
			distance += away * away
		}
		at, saved := ints(before, "nearest")[p], distance*floats(before, "all.weight")[p]-cost[p]
		if saved < 0 {
			switches[p], at = 1, row-1
		}
		lower[p*row+at], size[p*row+at] = -math.Abs(saved), distance*2+cost[p]
	}
	assert.Contains(t, switches, byte(1))
	assert.Contains(t, switches, byte(0))
	assert.Equal(t, switches, after.Array("switches").Bytes)
	assertClose(t, lower, size, floats(after, "lower"), single)
}

func TestFDTD3DTakesStepsAndKeepsWhatLiesAround(t *testing.T) {
	before, after := run(t, "fdtd3d")
	shape := [3]int{parameter(before, "nx"), parameter(before, "ny"), parameter(before, "nz")}
	padding := parameter(before, "padding")
	star, from := floats(before, "star"), floats(before, "from")
	row := shape[0] + 8
	plane := row * (shape[1] + 8)
	for range parameter(before, "steps_taken") {
		to := append([]float64(nil), from...)
		for z := range shape[2] {
			for y := range shape[1] {
				for x := range shape[0] {
					i := padding + (z+4)*plane + (y+4)*row + x + 4
					to[i] = star[0] * from[i]
					for away := 1; away <= 4; away++ {
						for _, step := range []int{1, row, plane} {
							to[i] += star[away] * (from[i-away*step] + from[i+away*step])
						}
					}
				}
			}
		}
		from = to
	}
	assertClose(t, from, filled(len(from), 1), floats(after, "from"), single)
}

func TestNQueensFindsAllWays(t *testing.T) {
	for set, want := range map[string]int{"width:8": 92, "width:7,filled:2": 40, "width:9,filled:1": 352, "width:6,filled:5": 4} {
		m, err := builtinManifest(t, "nqueens").Set(set)
		require.NoError(t, err)
		_, after := runManifest(t, m)
		sum := 0
		for _, found := range words(after, "found") {
			sum += int(found)
		}
		assert.Equal(t, want, sum, set)
	}
}

func TestStoreGPUTakesTheDigestOfEveryChunk(t *testing.T) {
	m, err := builtinManifest(t, "storegpu").Set("stretches:2,chunks:130")
	require.NoError(t, err)
	for _, m := range []*Manifest{builtinManifest(t, "storegpu"), m} {
		before, after := runManifest(t, m)
		data := before.Array("data").Bytes
		var want []byte
		for at := 0; at+52 <= len(data); at += 4 {
			digest := sha1.Sum(data[at : at+52])
			want = append(want, digest[:]...)
		}
		assert.Equal(t, want, after.Array("digests").Bytes)
	}
}

func TestHistogram64CountsBytesByTheirUpperBits(t *testing.T) {
	before, after := run(t, "histogram64")
	want := make([]int, 64)
	for _, v := range before.Array("data").Bytes {
		want[v/4]++
	}
	assert.Equal(t, want, ints(after, "result"))
}

// A counter is a byte, and a thread has 252 to count.
func TestHistogram64CountsMany(t *testing.T) {
	m := builtinManifest(t, "histogram64")
	require.NoError(t, m.Arrays[0].Uniform.Value("high").(*Expr).UnmarshalText([]byte("4")))
	_, after := runManifest(t, m)
	want := make([]int, 64)
	want[0] = 4 * 10000
	assert.Equal(t, want, ints(after, "result"))
}

// No split of a block's colours may be better than the chosen split. Its error is
// the error of the colours in the result.
func TestDXTCChoosesTheBestSplit(t *testing.T) {
	before, after := run(t, "dxtc")
	image, compressed := before.Array("image").Bytes, after.Array("compressed").Bytes
	for block := range parameter(before, "blocks") {
		var colours [16][3]float64
		for p := range colours {
			for c := range 3 {
				colours[p][c] = float64(image[64*block+4*p+c]) / 255
			}
		}
		best := bestSplit(colours)
		one := binary.LittleEndian.Uint16(compressed[8*block:])
		two := binary.LittleEndian.Uint16(compressed[8*block+2:])
		indices := binary.LittleEndian.Uint32(compressed[8*block+4:])
		require.Greater(t, one, two, "else the format has three colours and black")
		first, second := unpacked(one), unpacked(two)
		got := 0.0
		for p, colour := range colours {
			share := []float64{0, 1, 1.0 / 3, 2.0 / 3}[indices>>(2*p)&3]
			for c := range 3 {
				away := first[c]*(1-share) + second[c]*share - colour[c]
				got += away * away
			}
		}
		assert.InEpsilon(t, best, got, 1e-3, "block %d", block)
	}
}

func unpacked(c uint16) [3]float64 {
	return [3]float64{float64(c>>11) / 31, float64(c>>5&63) / 63, float64(c&31) / 31}
}

// bestSplit is the least error of 16 colours over all ways to part them, in their
// order along their principal axis, among four.
func bestSplit(colours [16][3]float64) float64 {
	var mean, axis [3]float64
	var covariance [3][3]float64
	for _, c := range colours {
		for i := range mean {
			mean[i] += c[i] / 16
		}
	}
	for _, c := range colours {
		for i := range mean {
			for j := range mean {
				covariance[i][j] += (c[i] - mean[i]) * (c[j] - mean[j])
			}
		}
	}
	axis = [3]float64{1, 1, 1}
	for range 8 {
		var next [3]float64
		length := 0.0
		for i := range next {
			for j := range axis {
				next[i] += covariance[i][j] * axis[j]
			}
			length += next[i] * next[i]
		}
		for i := range axis {
			axis[i] = next[i] / math.Sqrt(length)
		}
	}
	along := func(c [3]float64) float64 { return c[0]*axis[0] + c[1]*axis[1] + c[2]*axis[2] }
	for i := range colours { // into their order
		for j := i; j > 0 && along(colours[j]) < along(colours[j-1]); j-- {
			colours[j], colours[j-1] = colours[j-1], colours[j]
		}
	}
	least := math.Inf(1)
	for a := 0; a <= 16; a++ {
		for b := a; b <= 16; b++ {
			for c := b; c <= 16; c++ {
				least = min(least, splitError(colours, a, b, c))
			}
		}
	}
	return least
}

// splitError is that of the best ends, in the steps of the format, for colours of
// which those before a are the first end, those from c on the second, and those
// between them a third and two thirds of the way.
func splitError(colours [16][3]float64, a, b, c int) (sum float64) {
	share := func(i int) float64 {
		switch {
		case i < a:
			return 0
		case i < b:
			return 1.0 / 3
		case i < c:
			return 2.0 / 3
		}
		return 1
	}
	for channel, steps := range []float64{31, 63, 31} {
		var aa, bb, ab, ax, bx float64
		for i, colour := range colours {
			s := share(i)
			aa, bb, ab = aa+(1-s)*(1-s), bb+s*s, ab+s*(1-s)
			ax, bx = ax+(1-s)*colour[channel], bx+s*colour[channel]
		}
		area := aa*bb - ab*ab
		if area < 0.1 {
			return math.Inf(1)
		}
		first := min(1, max(0, math.Floor((ax*bb-bx*ab)/area*steps+0.5)/steps))
		second := min(1, max(0, math.Floor((bx*aa-ax*ab)/area*steps+0.5)/steps))
		for i, colour := range colours {
			away := first + share(i)*(second-first) - colour[channel]
			sum += away * away
		}
	}
	return sum
}
