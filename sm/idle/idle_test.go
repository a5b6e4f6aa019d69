package idle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirstSampleLiesHalfAnIntervalBehindAMultiple(t *testing.T) {
	for _, c := range []struct{ cycle, every, next uint64 }{
		{0, 100, 50}, {49, 100, 50}, {50, 100, 150}, {51, 100, 150}, {149, 100, 150}, {150, 100, 250},
		{0, 1, 1}, {7, 1, 8}, {0, 7, 3}, {3, 7, 10}, {10_049, 100, 10_050}, {5, 0, never}, {0, 2, 1}, {1, 2, 3},
	} {
		i := New(nil, nil)
		i.Start(c.cycle, c.every)
		require.Equal(t, c.next, i.next, "%+v", c)
	}
}
