package qos

import (
	"testing"

	"cotenant/cta_dispatcher/policy"
	"cotenant/protocol"

	"github.com/stretchr/testify/require"
)

func TestWhenQuotasAreChargedIsAnOption(t *testing.T) {
	for spec, want := range map[string]bool{"qos": true, "qos:charge=done": true, "qos:charge=issue": false} {
		p, err := policy.Parse(spec)
		require.NoError(t, err)
		require.Equal(t, &protocol.Quotas{On: true, Lanes: true, PerSM: true, AtCompletion: want}, p.(*qos).message(), spec)
	}
	_, err := policy.Parse("qos:charge=late")
	require.EqualError(t, err, "policy qos: option charge=late: valid: done, issue")
}
