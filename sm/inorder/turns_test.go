package inorder

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A turn ends when it is used, by its scheduler or by a later one, and not by the time.
func TestTurnPassesToTheSchedulerBehindTheLastServed(t *testing.T) {
	const schedulers = 4
	var r rotation
	require.Equal(t, 0, r.turn(1, schedulers))
	require.Equal(t, 0, r.turn(5, schedulers), "not used at edge 1")
	r.served(5, 0, schedulers)
	require.Equal(t, 0, r.turn(5, schedulers), "the same edge")
	require.Equal(t, 1, r.turn(6, schedulers))
	r.served(6, 3, schedulers)
	r.served(6, 2, schedulers)
	require.Equal(t, 0, r.turn(7, schedulers), "behind scheduler 3, which was farthest")
	r.served(7, 3, schedulers)
	require.Equal(t, 0, r.turn(8, schedulers), "all have had their turns")
}
