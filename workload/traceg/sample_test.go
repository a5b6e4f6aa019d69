package traceg

import (
	"math/bits"
	"os"
	"testing"

	"cotenant/workload"

	"github.com/stretchr/testify/require"
)

// totals runs an app to its end, one thread block at a time.
func totals(t testing.TB, app *workload.App) (warpInsts, threadInsts int) {
	var inst workload.Inst
	for _, k := range app.Kernels() {
		launch, err := k.Source.Open()
		require.NoError(t, err)
		var tb workload.TB
		for id := range k.TBs() {
			require.NoError(t, launch.Next(&tb))
			require.Equal(t, id, tb.ID)
			require.Len(t, tb.Warps, k.WarpsPerTB())
			for _, w := range tb.Warps {
				for w.Fetch(&inst) {
					w.Execute(&inst)
					warpInsts++
					threadInsts += bits.OnesCount32(inst.Active)
				}
			}
			launch.Recycle(&tb)
		}
		require.NoError(t, launch.Close())
	}
	return warpInsts, threadInsts
}

func TestRealTracesHaveTheirPublishedCounts(t *testing.T) {
	const shared = "../../../shared/traces/"
	if _, err := os.Stat(shared); err != nil {
		t.Skip("the real traces are not on this machine: ", err)
	}
	for _, c := range []struct {
		name                 string
		kernels, copies      int
		warpInsts, threadIns int
	}{
		{"vectoradd", 1, 2, 26601, 801056},
		{"bfs-rodinia-2.0", 16, 14, 159509, 1280630},
		{"backprop-128", 9, 5, 20168, 592504},
	} {
		t.Run(c.name, func(t *testing.T) {
			app, err := Open(shared+c.name, Options{})
			require.NoError(t, err)
			require.Equal(t, c.name, app.Name)
			require.Len(t, app.Kernels(), c.kernels)
			warpInsts, threadInsts := totals(t, app)
			require.Equal(t, c.warpInsts, warpInsts)
			require.Equal(t, c.threadIns, threadInsts)
			require.Len(t, app.Ops, c.kernels+c.copies)
		})
	}
}
