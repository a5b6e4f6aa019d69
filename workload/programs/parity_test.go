package programs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/emulated"
	"cotenant/workload/kernels"
	"cotenant/workload/programs/cc"
)

// manifests are the host code of programs of testdata, by hand.
var manifests = map[string]string{
	"sgemm": `name: sgemm
ptx: sgemm.ptx
arrays:
  - {name: a, type: f32, length: 4096}
  - {name: b, type: f32, length: 4096}
  - {name: c, type: f32, length: 4096}
kernels:
  - {name: sgemm, block: [16, 16]}
steps:
  - upload: [a, b]
  - launch: {kernel: sgemm, grid: [4, 4], args: [a, b, c, 64]}
  - download: [c]
`,
	"hotspot": `name: hotspot
ptx: hotspot.ptx
arrays:
  - {name: power, type: f32, length: 4096, fill: 0.5}
  - {name: from, type: f32, length: 4096, fill: 20}
  - {name: to, type: f32, length: 4096}
kernels:
  - {name: heat, block: [16, 16]}
steps:
  - upload: [power, from]
  - repeat:
      times: 6
      steps:
        - launch: {kernel: heat, grid: [4, 4], args: [power, from, to, 64]}
        - swap: [from, to]
  - download: [from]
`,
	"bfs": `name: bfs
ptx: bfs.ptx
arrays:
  - {name: edges, type: s32, values: [EDGES]}
  - {name: level, type: s32, values: [LEVELS]}
  - {name: more, type: s32, length: 1, fill: 1}
kernels:
  - {name: expand, block: [64]}
steps:
  - upload: [edges, level]
  - let: {name: depth, value: 0}
  - let: {name: go, value: 1}
  - repeat:
      while: go > 0
      steps:
        - fill: {array: more, value: 0}
        - upload: [more]
        - launch: {kernel: expand, grid: [4], args: [edges, level, more, depth]}
        - download: [more]
        - let: {name: go, value: "more[0]"}
        - let: {name: depth, value: depth + 1}
  - download: [level]
`,
}

// graph fills in the arrays of testdata/bfs.cu.
func graph(manifest string) string {
	const nodes = 256
	var edges, levels []string
	for i := range nodes {
		for _, to := range []int{i + 1, i + nodes - 1, i*5 + 1} {
			edges = append(edges, strconv.Itoa(to%nodes))
		}
		levels = append(levels, strconv.Itoa(min(0, -min(i, 1))))
	}
	return strings.NewReplacer("EDGES", strings.Join(edges, ", "), "LEVELS", strings.Join(levels, ", ")).Replace(manifest)
}

// A program and a manifest that says what the program does are the same to the GPU: in cycles, and in every
// counter of each launch.
func TestProgramAndManifestAreTheSameToTheGPU(t *testing.T) {
	for name, manifest := range manifests {
		t.Run(name, func(t *testing.T) { requireTheSame(t, name, graph(manifest)) })
	}
}

func requireTheSame(t *testing.T, name, manifest string) {
	t.Helper()
	path := compiled(t, name+".cu")[0]
	folder := t.TempDir()
	var messages bytes.Buffer
	err := cc.Run(t.Context(), []string{"-ptx", "testdata/" + name + ".cu", "-o", filepath.Join(folder, name+".ptx")}, &messages, &messages)
	require.NoError(t, err, messages.String())
	file := filepath.Join(folder, name+".yaml")
	require.NoError(t, os.WriteFile(file, []byte(manifest), 0o600))
	m, err := kernels.Load(file)
	require.NoError(t, err)
	for _, gpu := range []string{"gtx980?sms=4", "k20c?sms=4"} {
		run := func(app *workload.App) *wiring.Platform {
			w := platform(t, gpu, "fcfs", host.Process{App: app})
			require.NoError(t, w.Run(t.Context(), 0, nil))
			return w
		}
		byHand, err := emulated.App(m, "tiny", "", workload.Target{}, rules)
		require.NoError(t, err)
		want, got := run(byHand), run(open(t, path))
		require.Equal(t, want.Cycles(0), got.Cycles(0), gpu)
		launches := got.Launches(0, got.Cycles(0))
		require.NotEmpty(t, launches)
		require.NotZero(t, launches[0].SM.WarpInstructions)
		require.Equal(t, want.Launches(0, want.Cycles(0)), launches, gpu)
		// The program submits its last copy while the kernel runs; the manifest waits before.
		a, b := want.Host.Stats(0).Processes[0], got.Host.Stats(0).Processes[0]
		a.QueueCycles, b.QueueCycles = 0, 0
		require.Equal(t, a, b, gpu)
	}
}
