package count

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThousandsAndMillions(t *testing.T) {
	for text, want := range map[string]uint64{"1": 1, "200k": 200_000, "2M": 2_000_000, "1000000M": 1_000_000_000_000} {
		got, err := Parse(text, 1, 1_000_000_000_000)
		assert.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
}

func TestWhatIsNoNumberOrOutOfRangeIsRefused(t *testing.T) {
	for _, text := range []string{"", "k", "0", "-5", "1.5M", "2 k", "1000001", "18446744073709551616", "18446744073709552k"} {
		_, err := Parse(text, 1, 1_000_000)
		assert.EqualError(t, err, "must be a whole number from 1 to 1000000, such as 5, 200k or 2M", text)
	}
}
