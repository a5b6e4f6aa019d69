package smallfloat

import "math"

// NearestF16 is F16.Round to the nearest, in less time.
func NearestF16(v float64) uint64 {
	u := math.Float64bits(v)
	sign, magnitude := u>>48&0x8000, u&^(1<<63)
	switch {
	case magnitude < 0x3f1<<52: // below 2^-14: the sum's last bit is of 2^-24
		return sign | math.Float64bits(math.Float64frombits(magnitude)+0x1p28)&0x7ff
	case magnitude < 0x40e<<52|0xffe<<40: // below what rounds to 65536
		magnitude += 1<<41 - 1 + magnitude>>42&1
		return sign | (magnitude>>42 - 0x3f0<<10)
	case magnitude <= 0x7ff<<52:
		return sign | 0x7c00
	}
	return 0x7fff
}

// NearestBF16 is BF16.Round to the nearest, in less time.
func NearestBF16(v float64) uint64 {
	u := math.Float64bits(v)
	sign, magnitude := u>>48&0x8000, u&^(1<<63)
	switch {
	case magnitude < (1023-126)<<52: // subnormal: the sum's last bit is of 2^-133
		return sign | math.Float64bits(math.Float64frombits(magnitude)+0x1p-81)&0xff
	case magnitude < (1023+127)<<52|0xff<<44: // below what rounds to 2^128
		magnitude += 1<<44 - 1 + magnitude>>45&1
		return sign | (magnitude>>45 - (1023-127)<<7)
	case magnitude <= 0x7ff<<52:
		return sign | 0x7f80
	}
	return 0x7fff
}
