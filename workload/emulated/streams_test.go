package emulated

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

// A replay could not tell what kernels that run at once read of one another.
func TestApplicationsWithStreamsAreNotRecorded(t *testing.T) {
	for file, streams := range map[string]bool{"halves": true, "sort": false} {
		m, err := kernels.Load("../../docs/examples/kernels/" + file + ".yaml")
		require.NoError(t, err)
		app, err := App(m, "tiny", "", workload.Target{}, sass.Options{})
		require.NoError(t, err)
		program, err := app.Start()
		require.NoError(t, err)
		h := program.(*host)
		h.Watch()
		require.NoError(t, h.OrderDependence())
		for launched := false; !launched; {
			op, ok, err := h.Next()
			require.NoError(t, err)
			require.True(t, ok)
			launched = op.Kernel != nil
		}
		require.Equal(t, streams, h.OrderDependence() != nil, file)
	}
}
