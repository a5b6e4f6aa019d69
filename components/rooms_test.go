package components

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoomsAreTakenInTheOrderInWhichTheyBecameFree(t *testing.T) {
	r := newRooms(2)
	require.Equal(t, Time(0), r.first())
	r.take()
	r.take()
	require.Equal(t, Never, r.first())
	r.free(10)
	r.free(30)
	require.Equal(t, Time(11), r.first(), "after the instant")
	r.take()
	require.Equal(t, Time(31), r.first())
	r.free(40)
	r.take()
	require.Equal(t, Time(41), r.first())
}
