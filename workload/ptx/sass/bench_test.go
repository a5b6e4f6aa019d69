package sass

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx"
	"cotenant/workload/ptx/exec"
)

// BenchmarkOptimize prepares all kernels of a file, the largest of the built-in
// ones among them.
func BenchmarkOptimize(b *testing.B) {
	for _, name := range []string{"lbm", "mri-gridding", "sgemm"} {
		text, err := os.ReadFile(filepath.Join("../../kernels/ptx", name+".ptx"))
		require.NoError(b, err)
		m, err := ptx.Parse(name, text)
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, f := range m.Funcs {
					if f.Entry {
						p, err := exec.Compile(m, f.Name)
						require.NoError(b, err)
						Lower(Optimize(f, 32, p.Place, &Maxwell, Options{}), Options{})
					}
				}
			}
		})
	}
}
