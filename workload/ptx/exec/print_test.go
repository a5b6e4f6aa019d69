package exec

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// What C's printf writes of the same values.
func TestFormatsAreCs(t *testing.T) {
	m := NewMemory()
	name := m.Alloc(8, 0)
	b, err := m.Bytes(name, 8)
	require.NoError(t, err)
	copy(b, "warp")
	w := &Warp{memory: m}
	for _, c := range []struct {
		format, want string
		values       []any
	}{
		{"plain", "plain", nil},
		{"%d|%i|%5d|%-5d|%05d|%+d", "-1|2|    3|4    |00005|+6", []any{int32(-1), int32(2), int32(3), int32(4), int32(5), int32(6)}},
		{"%u %x %X %o %#x", "4294967295 ff FF 17 0x10", []any{uint32(math.MaxUint32), uint32(255), uint32(255), uint32(15), uint32(16)}},
		{"%d %lld %lu", "1 -2 3", []any{int32(1), int64(-2), uint64(3)}},
		{"%f %.2f %8.3f|%e|%g|%g|%g", "1.500000 2.25    3.125|1.000000e+06|0.0001|1e+06|123457", []any{1.5, 2.25, 3.125, 1e6, 1e-4, 1e6, 123456.7}},
		{"%c%%%s|%6s|%-6s|", "x%warp|  warp|warp  |", []any{int32('x'), name, name, name}},
		{"%*d|%.*f", "   7|1.2", []any{int32(4), int32(7), int32(1), 1.25}},
		{"%f %f %g", "inf -inf nan", []any{math.Inf(1), math.Inf(-1), math.NaN()}},
		{"%d %", "9 %", []any{int32(9)}},
		{"%d %d", "1 0", []any{int32(1)}}, // as far as there are values
	} {
		var list []byte
		for _, v := range c.values {
			size := binary.Size(v)
			for len(list)%size != 0 {
				list = append(list, 0)
			}
			list, err = binary.Append(list, binary.LittleEndian, v)
			require.NoError(t, err)
		}
		require.Equal(t, c.want, w.formatted(c.format, list), c.format)
	}
}
