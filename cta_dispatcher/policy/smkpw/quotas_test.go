package smkpw

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the transcript in testdata anew")

func TestQuotasOfThePaper(t *testing.T) {
	kernels := []Profile{{WIPC: 0.4, Isolated: 8, Shared: 2}, {WIPC: 0.5, Isolated: 8, Shared: 4}}
	require.InDelta(t, 0.1, kernels[0].cycles(), 1e-15)
	require.InDelta(t, 0.25, kernels[1].cycles(), 1e-15)
	quotas := make([]int, 2)
	Quotas(35_000, kernels, quotas)
	require.InDeltaSlice(t, []int{10_000, 25_000}, quotas, 1, "0.1/0.35 and 0.25/0.35")

	var text strings.Builder
	text.WriteString("The example of SMK 5.4, in an epoch of 10,000 cycles.\n\nkernel  x    T  S  C = x S/T  quota  of the epoch\n")
	Quotas(10_000, kernels, quotas)
	sum := kernels[0].cycles() + kernels[1].cycles()
	for i, k := range kernels {
		fmt.Fprintf(&text, "K%d      %.1f  %.0f  %d  %.2f       %5d  %.4f\n", i+1, k.WIPC, k.Isolated, k.Shared, k.cycles(), quotas[i], k.cycles()/sum)
	}
	const file = "testdata/smk_quotas.txt"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
}

func TestQuotasDivideTheEpoch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epoch := rapid.IntRange(1000, 1_000_000).Draw(t, "epoch")
		kernels := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Profile {
			return Profile{WIPC: rapid.Float64Range(1e-9, 1).Draw(t, "x"), Isolated: rapid.Float64Range(0.1, 32).Draw(t, "T"), Shared: rapid.IntRange(0, 32).Draw(t, "S")}
		}), 1, 16).Draw(t, "kernels")
		kernels[0].Shared = 1
		quotas := make([]int, len(kernels))
		Quotas(epoch, kernels, quotas)
		sum := 0
		for i, q := range quotas {
			sum += q
			require.Equal(t, kernels[i].Shared > 0, q > 0)
		}
		require.InDelta(t, epoch, sum, float64(len(kernels)), "but for rounding")
	})
}
