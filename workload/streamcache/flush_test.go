package streamcache_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is flushed starts anew from its recording as it does when it is emulated.
func TestFlushedThreadBlocksStartAnew(t *testing.T) {
	const policy = "dss:preempt=flush"
	mix := []string{"stencil?size=tiny&set=nx:128,ny:128,nz:8,steps:1", "spmv?size=tiny&set=size:3000&arrival=1us"}
	emulated := simulate(t, nil, preset(t, "gtx980"), policy, 0, mix...)
	require.Positive(t, emulated.Kernels[0].Preemptions)
	require.Zero(t, emulated.Kernels[0].ContextBytes)
	folder := t.TempDir()
	require.Equal(t, text(t, emulated), text(t, simulate(t, store(t, folder), preset(t, "gtx980"), policy, 0, mix...)))
	require.True(t, replayed(t, folder, mix[0]))
}
