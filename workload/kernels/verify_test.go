package kernels

import (
	"encoding/binary"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

// run executes a built-in application at size tiny, one launch after another,
// and returns it as it was before and as it is after.
func run(t *testing.T, name string) (before, after *Instance) {
	t.Helper()
	return runManifest(t, builtinManifest(t, name))
}

func runManifest(t *testing.T, m *Manifest) (before, after *Instance) {
	t.Helper()
	before, err := m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	after, err = m.New("tiny", "", exec.NewMemory())
	require.NoError(t, err)
	finish(t, after)
	return before, after
}

// finish executes the launches that are left, and counts their instructions.
func finish(t *testing.T, i *Instance) (instructions int) {
	t.Helper()
	for {
		l, err := nextLaunch(i)
		require.NoError(t, err)
		if l == nil {
			return instructions
		}
		instructions += execute(t, l)
	}
}

// nextLaunch runs the host program up to its next launch; nil at its end.
func nextLaunch(i *Instance) (*Launch, error) {
	for {
		op, ok, err := i.Next()
		if err != nil || !ok || op.Launch != nil {
			return op.Launch, err
		}
	}
}

// execute runs a launch without timing: one thread block after the other, and
// each of its warps in turn up to its next barrier, at which all of them wait.
// It counts the instructions of PTX, each once for a warp.
func execute(t *testing.T, l *Launch) (instructions int) {
	t.Helper()
	require.NoError(t, l.Program.Bind(&l.Config), l.Kernel.Name)
	tb := l.Program.NewTB(&l.Config, 0)
	for id := range l.Config.Grid.Count() {
		tb.Reset(id)
		for waiting := 1; waiting > 0; {
			waiting = 0
			for _, w := range tb.Warps {
				for _, ok := w.Next(); ok; _, ok = w.Next() {
					r, err := w.Step()
					if err != nil { // an assertion for each would take most of the time
						require.NoError(t, err, l.Kernel.Name)
					}
					instructions++
					if r.Barrier {
						require.Zero(t, r.BarrierWarps, l.Kernel.Name)
						waiting++
						break
					}
				}
			}
		}
	}
	return instructions
}

// builtinManifest parses a built-in manifest once. Tests share it, so they must not change it.
func builtinManifest(t *testing.T, name string) *Manifest {
	t.Helper()
	if m, ok := parsed.Load(name); ok {
		return m.(*Manifest)
	}
	m, err := Builtin(name)
	require.NoError(t, err)
	parsed.Store(name, m)
	return m
}

var parsed sync.Map // manifests by name

func words(i *Instance, name string) []uint32 {
	a := i.Array(name)
	out := make([]uint32, a.Length)
	for at := range out {
		out[at] = binary.LittleEndian.Uint32(a.at(int64(at)))
	}
	return out
}

func ints(i *Instance, name string) []int {
	out := make([]int, i.Array(name).Length)
	for at, w := range words(i, name) {
		out[at] = int(int32(w))
	}
	return out
}

func floats(i *Instance, name string) []float64 {
	out := make([]float64, i.Array(name).Length)
	for at, w := range words(i, name) {
		out[at] = float64(math.Float32frombits(w))
	}
	return out
}

func doubles(i *Instance, name string) []float64 {
	a := i.Array(name)
	out := make([]float64, a.Length)
	for at := range out {
		out[at] = math.Float64frombits(binary.LittleEndian.Uint64(a.at(int64(at))))
	}
	return out
}

func shorts(i *Instance, name string) []int {
	out := make([]int, i.Array(name).Length)
	for at := range out {
		out[at] = int(binary.LittleEndian.Uint16(i.Array(name).Bytes[2*at:]))
	}
	return out
}

// parameter is a whole number of the manifest.
func parameter(i *Instance, name string) int { return int(i.numbers[name].i) }

// assertClose compares within a tolerance that is relative to size, the sum of
// the magnitudes that went into a result; it reports the first difference only.
func assertClose(t *testing.T, want, size, got []float64, tolerance float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*size[i]) {
			assert.Failf(t, "too far off", "element %d is %v, not %v within %v", i, got[i], want[i], tolerance*size[i])
			return
		}
	}
}
