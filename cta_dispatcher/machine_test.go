package dispatcher

import (
	"errors"
	"testing"

	"cotenant/cta_dispatcher/policy"

	"github.com/stretchr/testify/require"
)

// curious is a policy that looks at the machine before anything runs, and refuses it.
type curious struct{ seen *policy.Machine }

func (curious) Decide(*policy.View, policy.Actions) {}

func (c curious) Needs() policy.Needs {
	return policy.Needs{Check: func(v *policy.View) error {
		*c.seen = v.Machine
		return errCurious
	}}
}

var errCurious = errors.New("seen")

func TestAPolicySeesTheMachine(t *testing.T) {
	m := policy.Machine{ReplyBytesPerSecond: 1, DRAMBytesPerSecond: 2, RateIntervalSeconds: 3, FlitBytes: 4, L1LineBytes: 5, L2LineBytes: 6,
		BaseSM: small}
	var seen policy.Machine
	_, err := Builder{}.WithPolicy(curious{&seen}).WithMachine(m).WithTenants(make([]string, 1)).Build("Driver")
	require.ErrorIs(t, err, errCurious)
	require.Equal(t, m, seen)
}
