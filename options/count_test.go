package options

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThousandsAndMillions(t *testing.T) {
	for text, want := range map[string]uint64{"1": 1, "200k": 200_000, "1e9": 1_000_000_000, "1E+2": 100, "1.5M": 1_500_000, "2.5e1k": 25_000, "12.": 12, "2M": 2_000_000, "1000000M": 1_000_000_000_000} {
		got, err := Count(text, 1, 1_000_000_000_000)
		assert.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
}

func TestWhatIsNoNumberOrOutOfRangeIsRefused(t *testing.T) {
	for _, text := range []string{"", "k", "0", "-5", "1.0005k", "2 k", "-1e1", "1e-1", "inf", "nan", "0x10", "1_000", "e", ".", "1e400", "1000001", "18446744073709551616", "18446744073709552k", "1e9", "1e17"} {
		_, err := Count(text, 1, 1_000_000)
		assert.EqualError(t, err, "must be a whole number from 1 to 1000000, such as 2k", text)
	}
}

func TestExamplesOfValidNumbersAreValid(t *testing.T) {
	for want, limits := range map[string][2]uint64{
		"":                      {1, 1024},
		", such as 2k or 2M":    {0, math.MaxUint64},
		", such as 11k or 2M":   {10_000, 2_000_000},
		", such as 2001k or 3M": {2_000_500, 9_000_000},
	} {
		assert.Equal(t, want, examples(limits[0], limits[1]))
	}
}
