package egress

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// This test does not link the package of the controller.
func TestControllerMustBePartOfTheProgram(t *testing.T) {
	_, err := New("SM.IRC", 0, 8, nil, Parts{Spec: Spec{SubQueues: 2, Depth: 16}})
	require.EqualError(t, err, `sub_queues is 2, and this program has no controller "irc"`)
	u, err := New("SM.IRC", 0, 8, nil, Parts{StoreBuffer: 1})
	require.NoError(t, err)
	require.Nil(t, u.Controller())
}
