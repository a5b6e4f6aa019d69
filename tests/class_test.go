package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The SMK paper classes the Parboil applications by their stall cycles: in its
// Table 2: schedulers of compute-intensive kernels stall for 52 to 60 % of the cycles,
// schedulers of memory-intensive kernels for 90 to 91 %.
func TestBuiltInProfilesAreOfTheirPublishedClass(t *testing.T) {
	gpu := preset(t, "plain16?sms=4&address.slices=4&address.channels=2") // a quarter of plain16
	for _, class := range []struct {
		name      string
		low, high float64 // bounds of the share of cycles without issue
		apps      []string
	}{
		{"compute", 0, 0.65, []string{"cutcp", "mri-q", "sgemm", "tpacf"}},
		{"memory", 0.75, 1, []string{"histo", "lbm", "mri-gridding", "sad", "spmv", "stencil"}},
	} {
		for _, app := range class.apps {
			r := run(t, gpu, "fcfs", 20_000, builtin(t, app))
			stalled := 1 - float64(r.Stalls["issued"])/float64(r.Cycles*uint64(gpu.SMs.Count()*gpu.SM.Schedulers))
			t.Logf("%s: stalled for %.3f of the cycles", app, stalled)
			require.True(t, stalled >= class.low && stalled <= class.high, "%s, %s-intensive: %.3f", app, class.name, stalled)
		}
	}
}
