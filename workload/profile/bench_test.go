package profile

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload"
)

// BenchmarkFetch is the time of one instruction, TB starts included.
func BenchmarkFetch(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			app, err := Builtin(name, "", 1)
			require.NoError(b, err)
			kernels := app.Kernels()
			kernel := 0
			var launch workload.Launch
			var tb workload.TB
			var inst workload.Inst
			warp, left := 0, 0
			b.ReportAllocs()
			for range b.N {
				for warp == len(tb.Warps) || !tb.Warps[warp].Fetch(&inst) {
					if warp++; warp < len(tb.Warps) {
						continue
					}
					if tb.Data != nil {
						launch.Recycle(&tb)
					}
					if left == 0 {
						k := kernels[kernel%len(kernels)]
						kernel++
						launch, _ = k.Source.Open()
						left = k.TBs()
					}
					if err := launch.Next(&tb); err != nil {
						b.Fatal(err)
					}
					left--
					warp = 0
				}
			}
		})
	}
}
