package l1

import (
	"testing"

	"cotenant/tenant"

	"github.com/stretchr/testify/require"
)

func TestAccessNeedsTheBanksOfItsSectors(t *testing.T) {
	for _, c := range []struct {
		count, bytes int
		line         uint64 // number
		sectors      uint8
		want         uint32
	}{
		{1, 32, 5, 0b1111, 0b1},
		{2, 32, 5, 0b0001, 0b01},
		{2, 32, 5, 0b1000, 0b10},
		{2, 32, 5, 0b0101, 0b01},
		{2, 32, 5, 0b1111, 0b11},
		{2, 64, 5, 0b0011, 0b01},
		{2, 64, 5, 0b0110, 0b11},
		{2, 128, 5, 0b1111, 0b10},
		{2, 128, 6, 0b1111, 0b01},
		{8, 32, 0, 0b0100, 0b0000_0100},
		{8, 32, 1, 0b0100, 0b0100_0000},
		{3, 32, 1, 0b1001, 0b10}, // sectors 4 and 7
		{32, 32, 7, 0b1000, 1 << 31},
	} {
		for _, id := range []tenant.ID{0, 5} {
			banks := Banks{Count: c.count, Bytes: c.bytes}
			require.Equal(t, c.want, banks.Of(&Access{Line: id.Base() | c.line*128, Sectors: c.sectors}), "%+v", c)
		}
	}
}
