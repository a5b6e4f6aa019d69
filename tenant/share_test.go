package tenant

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSharesGoToThoseThatCameFirst(t *testing.T) {
	for _, c := range []struct{ n, k, after, want int }{
		{8, 1, 0, 8}, {8, 2, 0, 4}, {8, 2, 1, 4}, {8, 3, 0, 3}, {8, 3, 1, 3}, {8, 3, 2, 2}, {2, 3, 1, 1}, {2, 3, 2, 0},
	} {
		require.Equal(t, c.want, Share(c.n, c.k, c.after), "%+v", c)
	}
}
