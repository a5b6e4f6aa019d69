package streamcache_test

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/source"
	"cotenant/workload/streamcache"

	"github.com/stretchr/testify/require"
)

// launches runs an application without timing, to its end.
func launches(tb testing.TB, cache *streamcache.Store, spec string, run func(k *workload.Kernel)) {
	app, err := source.Open(spec, source.Options{Cache: cache})
	require.NoError(tb, err)
	host, err := app.Start()
	require.NoError(tb, err)
	for {
		op, ok, err := host.Next()
		require.NoError(tb, err)
		if !ok {
			return
		}
		if op.Kernel != nil {
			run(op.Kernel)
		}
	}
}

// replay reads a launch from its recording and returns its warp instructions.
func replay(tb testing.TB, k *workload.Kernel) (n uint64) {
	launch, err := k.Source.Open()
	require.NoError(tb, err)
	var block workload.TB
	inst := new(workload.Inst)
	for range k.TBs() {
		require.NoError(tb, launch.Next(&block))
		for _, w := range block.Warps {
			for w.Fetch(inst) {
				w.Execute(inst)
				n++
			}
		}
		launch.Recycle(&block)
	}
	require.NoError(tb, launch.Close())
	return n
}

// BenchmarkReplay reports warp instructions per second on one core, file and
// decompression included.
func BenchmarkReplay(b *testing.B) {
	for _, spec := range []string{"sgemm?size=small", "spmv?size=small", "sad?size=small"} {
		b.Run(spec, func(b *testing.B) {
			s, err := streamcache.Open(b.TempDir(), streamcache.DefaultLimit)
			require.NoError(b, err)
			launches(b, s, spec, func(k *workload.Kernel) {
				require.NoError(b, functional.Run(b.Context(), k, 16, functional.Observer{}))
			})
			n := uint64(0)
			for b.Loop() {
				launches(b, s, spec, func(k *workload.Kernel) { n += replay(b, k) })
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minst/s")
		})
	}
}

func TestReplayAllocatesForThreadBlocksInFlightOnly(t *testing.T) {
	s := store(t, t.TempDir())
	const spec = "lbm?size=tiny"
	launches(t, s, spec, func(k *workload.Kernel) {
		require.NoError(t, functional.Run(t.Context(), k, 16, functional.Observer{}))
	})
	n := uint64(0)
	launches(t, s, spec, func(k *workload.Kernel) {
		n = 0
		allocations := testing.AllocsPerRun(3, func() { n = replay(t, k) })
		require.Less(t, allocations, float64(n)/100, "%s: %d instructions", k.Name, n)
	})
	require.Positive(t, n)
}
