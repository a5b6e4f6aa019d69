package kernels

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// BenchmarkInput makes the input of the application with the largest arrays to
// fill, at the published size.
func BenchmarkInput(b *testing.B) {
	m, err := Builtin("lbm")
	require.NoError(b, err)
	for b.Loop() {
		i, err := m.New("medium", "", exec.NewMemory())
		require.NoError(b, err)
		b.SetBytes(i.bytes)
	}
}
