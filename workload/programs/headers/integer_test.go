package headers

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// column is one result of testdata/integer.cu and what it should be.
type column struct {
	name string
	of   func(x, y, z uint32) uint32
}

func pair(high, low uint32) uint64 { return uint64(high)<<32 | uint64(low) }

func firstBit(v uint64) uint32 {
	if v == 0 {
		return 0
	}
	return uint32(bits.TrailingZeros64(v)) + 1
}

// signed24 is the lower 24 bits as a signed number.
func signed24(v uint32) int64 { return int64(int32(v<<8) >> 8) }

// distance is the absolute difference of two numbers.
func distance(a, b int64) uint32 { return uint32(max(a-b, b-a)) }

// highProduct is the upper half of a product of 128 bits.
func highProduct(a, b *big.Int) uint64 {
	p := new(big.Int).Mul(a, b)
	p.Rsh(p, 64) // rounds down, as two's complement does
	return p.And(p, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

func permute(x, y, s uint32) (v uint32) {
	for i := range 4 {
		v |= uint32(pair(y, x)>>(8*(s>>(4*i)&7))) & 255 << (8 * i)
	}
	return v
}

// funnel is a shift of high over low to the left by at most 32.
func funnel(low, high, by uint32) uint32 { return uint32(pair(high, low) << by >> 32) }

// nth follows CUDA's description of __fns bit by bit.
func nth(v, base uint32, n int) uint32 {
	if n == 0 {
		if v>>base&1 == 1 {
			return base
		}
		return math.MaxUint32
	}
	seen := 0
	for at := int(base); at >= 0 && at < 32; {
		if v>>at&1 == 1 {
			if seen++; seen == max(n, -n) {
				return uint32(at)
			}
		}
		if n > 0 {
			at++
		} else {
			at--
		}
	}
	return math.MaxUint32
}

// dot adds products of bytes, or of halves with the bytes from first on.
func dot(x, y, z uint32, lanes, first int, signed bool) uint32 {
	width := 32 / lanes
	part := func(v uint32, at, width int) int64 {
		v = v >> at << (32 - width)
		if signed {
			return int64(int32(v) >> (32 - width))
		}
		return int64(v >> (32 - width))
	}
	sum := int64(z)
	for i := range lanes {
		sum += part(x, i*width, width) * part(y, 8*(first+i), 8)
	}
	return uint32(sum)
}

var scalars = []column{
	{"clz", func(x, y, z uint32) uint32 { return uint32(bits.LeadingZeros32(x)) }},
	{"clzll", func(x, y, z uint32) uint32 { return uint32(bits.LeadingZeros64(pair(x, y) >> 31)) }},
	{"popc", func(x, y, z uint32) uint32 { return uint32(bits.OnesCount32(x)) }},
	{"popcll", func(x, y, z uint32) uint32 { return uint32(bits.OnesCount64(pair(x, y))) }},
	{"ffs", func(x, y, z uint32) uint32 { return firstBit(uint64(x)) }},
	{"ffsll", func(x, y, z uint32) uint32 { return firstBit(pair(x, y) << 17) }},
	{"brev", func(x, y, z uint32) uint32 { return bits.Reverse32(x) }},
	{"brevll", func(x, y, z uint32) uint32 { return uint32(bits.Reverse64(pair(x, y))) }},
	{"brevll, high", func(x, y, z uint32) uint32 { return bits.Reverse32(y) }},
	{"byte_perm", permute},
	{"mul24", func(x, y, z uint32) uint32 { return uint32(signed24(x) * signed24(y)) }},
	{"umul24", func(x, y, z uint32) uint32 { return (x & 0xffffff) * (y & 0xffffff) }},
	{"mulhi", func(x, y, z uint32) uint32 { return uint32(int64(int32(x)) * int64(int32(y)) >> 32) }},
	{"umulhi", func(x, y, z uint32) uint32 { return uint32(uint64(x) * uint64(y) >> 32) }},
	{"mul64hi", func(x, y, z uint32) uint32 {
		return uint32(highProduct(big.NewInt(int64(pair(x, y))), big.NewInt(int64(pair(z, x)))))
	}},
	{"umul64hi", func(x, y, z uint32) uint32 {
		return uint32(highProduct(new(big.Int).SetUint64(pair(x, y)), new(big.Int).SetUint64(pair(z, x))) >> 32)
	}},
	{"sad", func(x, y, z uint32) uint32 { return distance(int64(int32(x)), int64(int32(y))) + z }},
	{"usad", func(x, y, z uint32) uint32 { return distance(int64(x), int64(y)) + z }},
	{"hadd", func(x, y, z uint32) uint32 { return uint32((int64(int32(x)) + int64(int32(y))) >> 1) }},
	{"rhadd", func(x, y, z uint32) uint32 { return uint32((int64(int32(x)) + int64(int32(y)) + 1) >> 1) }},
	{"uhadd", func(x, y, z uint32) uint32 { return uint32((uint64(x) + uint64(y)) >> 1) }},
	{"urhadd", func(x, y, z uint32) uint32 { return uint32((uint64(x) + uint64(y) + 1) >> 1) }},
	{"funnelshift_l", func(x, y, z uint32) uint32 { return funnel(x, y, z&31) }},
	{"funnelshift_lc", func(x, y, z uint32) uint32 { return funnel(x, y, min(z&63, 32)) }},
	{"funnelshift_r", func(x, y, z uint32) uint32 { return uint32(pair(y, x) >> (z & 31)) }},
	{"funnelshift_rc", func(x, y, z uint32) uint32 { return uint32(pair(y, x) >> min(z&63, 32)) }},
	{"fns", func(x, y, z uint32) uint32 { return nth(x, y&31, int(z&15)-8) }},
	{"dp4a, signed", func(x, y, z uint32) uint32 { return dot(x, y, z, 4, 0, true) }},
	{"dp4a", func(x, y, z uint32) uint32 { return dot(x, y, z, 4, 0, false) }},
	{"dp2a_lo, signed", func(x, y, z uint32) uint32 { return dot(x, y, z, 2, 0, true) }},
	{"dp2a_hi", func(x, y, z uint32) uint32 { return dot(x, y, z, 2, 2, false) }},
	{"min", func(x, y, z uint32) uint32 { return uint32(min(int32(x), int32(y))) }},
	{"max", func(x, y, z uint32) uint32 { return max(x, y) }},
	{"max, 64 bits", func(x, y, z uint32) uint32 { return uint32(max(pair(x, y), pair(z, x)) >> 32) }},
	{"abs", func(x, y, z uint32) uint32 { return uint32(max(int32(x), -int32(x))) }},
}

// lane is a function of one lane of two words; least and most bound signed lanes, all has every bit.
type lane struct {
	name   string
	signed bool
	of     func(a, b, least, most, all int) int
}

func clamp(v, low, high int) int { return min(max(v, low), high) }

func when(condition bool, v int) int {
	if condition {
		return v
	}
	return 0
}

var lanes = []lane{
	{"vadd", false, func(a, b, _, _, _ int) int { return a + b }},
	{"vaddss", true, func(a, b, least, most, _ int) int { return clamp(a+b, least, most) }},
	{"vaddus", false, func(a, b, _, _, all int) int { return clamp(a+b, 0, all) }},
	{"vsub", false, func(a, b, _, _, _ int) int { return a - b }},
	{"vsubss", true, func(a, b, least, most, _ int) int { return clamp(a-b, least, most) }},
	{"vsubus", false, func(a, b, _, _, all int) int { return clamp(a-b, 0, all) }},
	{"vavgs", true, func(a, b, _, _, _ int) int { // a half goes away from zero, as PTX says of vavrg4
		if a+b < 0 {
			return -((-a - b + 1) / 2)
		}
		return (a + b + 1) / 2
	}},
	{"vavgu", false, func(a, b, _, _, _ int) int { return (a + b + 1) / 2 }},
	{"vhaddu", false, func(a, b, _, _, _ int) int { return (a + b) / 2 }},
	{"vabsdiffs", true, func(a, b, _, _, _ int) int { return max(a-b, b-a) }},
	{"vabsdiffu", false, func(a, b, _, _, _ int) int { return max(a-b, b-a) }},
	{"vmaxs", true, func(a, b, _, _, _ int) int { return max(a, b) }},
	{"vmaxu", false, func(a, b, _, _, _ int) int { return max(a, b) }},
	{"vmins", true, func(a, b, _, _, _ int) int { return min(a, b) }},
	{"vminu", false, func(a, b, _, _, _ int) int { return min(a, b) }},
	{"vcmpeq", false, func(a, b, _, _, all int) int { return when(a == b, all) }},
	{"vcmpges", true, func(a, b, _, _, all int) int { return when(a >= b, all) }},
	{"vcmpgtu", false, func(a, b, _, _, all int) int { return when(a > b, all) }},
	{"vcmples", true, func(a, b, _, _, all int) int { return when(a <= b, all) }},
	{"vcmpltu", false, func(a, b, _, _, all int) int { return when(a < b, all) }},
	{"vsetne", false, func(a, b, _, _, _ int) int { return when(a != b, 1) }},
	{"vsetgts", true, func(a, b, _, _, _ int) int { return when(a > b, 1) }},
	{"vsads", true, nil}, // the sum of all lanes' distances
	{"vsadu", false, nil},
	{"vabs", true, func(a, _, _, _, _ int) int { return max(a, -a) }},
	{"vabsss", true, func(a, _, _, most, _ int) int { return min(max(a, -a), most) }},
	{"vneg", true, func(a, _, _, _, _ int) int { return -a }},
	{"vnegss", true, func(a, _, _, most, _ int) int { return min(-a, most) }},
}

func (l lane) word(x, y uint32, number int) (v uint32) {
	width := 32 / number
	value := func(w uint32, i int) int {
		w = w >> (i * width) << (32 - width)
		if l.signed {
			return int(int32(w) >> (32 - width))
		}
		return int(w >> (32 - width))
	}
	all := 1<<width - 1
	for i := range number {
		a, b := value(x, i), value(y, i)
		if l.of == nil {
			v += uint32(max(a-b, b-a))
		} else {
			v |= uint32(l.of(a, b, -1<<(width-1), 1<<(width-1)-1, all)&all) << (i * width)
		}
	}
	return v
}

// Every integer function gives what its description in CUDA's math API says, on edges and draws.
func TestIntegerFunctions(t *testing.T) {
	columns := append([]column(nil), scalars...)
	for _, l := range lanes {
		for _, number := range []int{2, 4} {
			columns = append(columns, column{fmt.Sprint(l.name, number), func(x, y, z uint32) uint32 { return l.word(x, y, number) }})
		}
	}
	const rows = 256
	edges := []uint32{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x80808080, 0x7f7f7f7f, 0x00ff80ff, 0x80007fff}
	d := draws(1)
	var in []uint32
	for i := range 3 * rows {
		v := d.next()
		if i < 3*len(edges)*len(edges) && i%3 == 0 {
			v = edges[i/3%len(edges)]
		} else if i < 3*len(edges)*len(edges) && i%3 == 1 {
			v = edges[i/3/len(edges)]
		}
		in = append(in, v)
	}
	p := compile(t, "integer.cu")
	out := p.array(t, 4*rows*len(columns), nil)
	p.run(t, "integer", rows/64, 64, p.array(t, 4*len(in), in), out, uint32(len(columns)))
	got := read[uint32](t, p, out, rows*len(columns))
	for i := range rows {
		x, y, z := in[3*i], in[3*i+1], in[3*i+2]
		for k, c := range columns {
			require.Equal(t, fmt.Sprintf("%#x", c.of(x, y, z)), fmt.Sprintf("%#x", got[i*len(columns)+k]), "%s of %#x, %#x, %#x", c.name, x, y, z)
		}
	}
}
