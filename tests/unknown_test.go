package tests

import (
	"context"
	"testing"

	"cotenant/components/rig"

	"github.com/stretchr/testify/require"
)

func TestMessageOfUnknownTypeEndsTheRunAndNamesPortAndType(t *testing.T) {
	p := platform(t, preset(t, "plain16"), "fcfs", false, builtin(t, "sgemm"))
	require.True(t, p.Slices[3].Request.Peer().Push(&rig.Stranger{}))
	require.EqualError(t, p.Run(context.Background(), 1000, nil), "GPU.L2[3].Request: a *rig.Stranger came, which GPU.L2[3] does not know")
}
