package smallfloat

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// layouts describe the formats apart from the code under test.
var layouts = []struct {
	name                    string
	f                       *Format
	exponent, fraction, low int
	numbers                 uint64 // patterns from 0 up that are numbers
	greatest                float64
	infinity                bool
	step                    uint64 // of the patterns that are tried
}{
	{"f16", F16, 5, 10, 0, 0x7c00, 65504, true, 1},
	{"bf16", BF16, 8, 7, 0, 0x7f80, 0x1.fep127, true, 1},
	{"tf32", TF32, 8, 10, 13, 0x3fc00, 0x1.ffcp127, true, 7},
	{"e4m3", E4M3, 4, 3, 0, 0x7f, 448, false, 1},
	{"e5m2", E5M2, 5, 2, 0, 0x7c, 57344, true, 1},
}

func TestEveryPatternHasItsValue(t *testing.T) {
	for _, l := range layouts {
		for p := uint64(0); p < l.numbers; p++ {
			exponent, n := int64(p>>l.fraction), int64(p)&(1<<l.fraction-1)
			if exponent == 0 {
				exponent = 1
			} else {
				n += 1 << l.fraction
			}
			exponent += 1 - 1<<(l.exponent-1) - int64(l.fraction)
			want := new(big.Float).SetMantExp(new(big.Float).SetInt64(n), int(exponent))
			value, exact := want.Float64()
			require.Equal(t, big.Exact, exact)
			sign := uint64(1) << (l.exponent + l.fraction)
			if l.f.Value(p<<l.low) != value || l.f.Value((p|sign)<<l.low) != -value || l.f.IsNaN(p<<l.low) {
				t.Fatalf("%s: %#x is %g, not %g", l.name, p, l.f.Value(p<<l.low), value)
			}
			require.Equal(t, p == 0, math.Float64bits(l.f.Value((p|sign)<<l.low)) == 1<<63)
		}
		require.Equal(t, l.greatest, l.f.Value((l.numbers-1)<<l.low), l.name)
		require.Equal(t, l.infinity, math.IsInf(l.f.Value(l.numbers<<l.low), 1), l.name)
		require.True(t, l.f.IsNaN(l.f.NaN), l.name)
		require.True(t, math.IsNaN(l.f.Value(l.f.NaN)), l.name)
		require.Equal(t, 1.0, l.f.Value(l.f.One()), l.name)
		require.Equal(t, l.f.One()|l.f.Sign(), l.f.Round(-1, ToNearest, false), l.name)
	}
}

// Between two neighbours there are five places: the lower one, below the middle, the middle,
// above it and the upper one. float64 holds all of them exactly.
func TestRoundingBetweenAllNeighboursInEveryDirection(t *testing.T) {
	for _, l := range layouts {
		for p := uint64(0); p < l.numbers; p += l.step {
			below := l.f.Value(p << l.low)
			above := l.f.Value((p + 1) << l.low)
			if p+1 == l.numbers { // as if there were one number more
				before := l.f.Value((p - 1) << l.low)
				above = below + (below - before)
			}
			middle := below + (above-below)/2
			for place, x := range []float64{below, math.Nextafter(middle, below), middle, math.Nextafter(middle, above)} {
				up := map[Rounding]bool{
					ToNearest: place == 3 || place == 2 && p&1 != 0, ToNearestAway: place >= 2, ToPlus: place > 0,
					ToZero: false, ToMinus: false,
				}
				for r, up := range up {
					want := p
					if up {
						want++
					}
					check(t, l.name, l.f, x, r, want<<l.low, l.numbers<<l.low, l.low)
				}
			}
		}
	}
}

// check rounds a number and its negative.
func check(t *testing.T, name string, f *Format, x float64, r Rounding, want, numbers uint64, low int) {
	bounded := min(want, numbers-1<<low)
	if f == E4M3 {
		want = bounded
	}
	mirrored := map[Rounding]Rounding{ToPlus: ToMinus, ToMinus: ToPlus}
	back, ok := mirrored[r]
	if !ok {
		back = r
	}
	if got := f.Round(x, r, false); got != want {
		t.Fatalf("%s: %v in direction %d is %#x, not %#x", name, x, r, got, want)
	}
	if got := f.Round(-x, back, false); got != want|f.Sign() {
		t.Fatalf("%s: %v in direction %d is %#x, not %#x", name, -x, back, got, want|f.Sign())
	}
	if got := f.Round(x, r, true); got != bounded {
		t.Fatalf("%s: %v bounded is %#x, not %#x", name, x, got, bounded)
	}
}

func TestWhatNoFormatHolds(t *testing.T) {
	for _, l := range layouts {
		require.Equal(t, l.f.NaN, l.f.Round(math.NaN(), ToNearest, false), l.name)
		infinity, greatest := l.numbers<<l.low, (l.numbers-1)<<l.low
		if !l.infinity {
			infinity = greatest
		}
		require.Equal(t, infinity, l.f.Round(math.Inf(1), ToZero, false), l.name)
		require.Equal(t, infinity|l.f.Sign(), l.f.Round(math.Inf(-1), ToNearest, false), l.name)
		require.Equal(t, greatest, l.f.Round(math.Inf(1), ToNearest, true), l.name)
		require.Equal(t, infinity, l.f.Round(1e300, ToPlus, false), l.name)
		require.Equal(t, greatest, l.f.Round(1e300, ToMinus, false), l.name)
		for _, tiny := range []float64{math.SmallestNonzeroFloat64, 1e-300} {
			require.Equal(t, uint64(1)<<l.low, l.f.Round(tiny, ToPlus, false), l.name)
			require.Equal(t, l.f.Sign(), l.f.Round(-tiny, ToNearest, false), l.name)
			require.Zero(t, l.f.Round(tiny, ToNearestAway, false), l.name)
		}
		require.Equal(t, l.f.Sign(), l.f.Flush(l.f.Sign()|1<<l.low), l.name)
		require.Equal(t, l.f.One(), l.f.Flush(l.f.One()), l.name)
	}
}
