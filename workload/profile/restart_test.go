package profile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// first reads up to n instructions of a thread block's first warp.
func first(tb *workload.TB, n int) (list []workload.Inst) {
	for range n {
		var inst workload.Inst
		if !tb.Warps[0].Fetch(&inst) {
			break
		}
		tb.Warps[0].Execute(&inst)
		inst.Lanes = nil // belongs to the stream
		list = append(list, inst)
	}
	return list
}

func TestRestartedThreadBlockRepeatsItself(t *testing.T) {
	l, err := kernelOf(t, 3, 64, everything).Source.Open()
	require.NoError(t, err)
	var tb workload.TB
	require.NoError(t, l.Next(&tb))
	require.NoError(t, l.Next(&tb))
	before := first(&tb, 200)
	require.NoError(t, l.(workload.Restarter).Restart(&tb))
	require.Equal(t, before, first(&tb, 200))
	require.Equal(t, 1, tb.ID)
}

func TestKernelsWithGlobalAtomicsAreNotIdempotent(t *testing.T) {
	require.False(t, kernelOf(t, 3, 64, everything).Idempotent)
	require.True(t, kernelOf(t, 3, 64, `
    instructions: 100
    phases:
      - mix: {int: 0.8, global_load: 0.1, global_store: 0.05, shared_atomic: 0.05}
        body: 20
`).Idempotent)
}
