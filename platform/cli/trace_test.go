package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExportedTraceIsReplayedWithTheSameInstructionCounts(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "trace")
	got := cotenant(t, "trace", "export", "--app", "sgemm?size=tiny", "--out", folder, "--compress")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stdout, "1 launch, 3 copies, 2 thread blocks, 7224 warp instructions, 229888 thread instructions")

	run := func(app string) (warp, thread, cycles uint64) {
		got := cotenant(t, "run", "--app", app, "--until", "done", "--json", "-")
		require.Equal(t, 0, got.status, got.stderr)
		r := result(t, got.stdout)
		return r.WarpInstructions, r.ThreadInstructions, r.Cycles
	}
	warp, thread, cycles := run("sgemm?size=tiny")
	replayedWarp, replayedThread, replayedCycles := run("traceg:" + folder)
	assert.Equal(t, []uint64{7224, 229888, cycles}, []uint64{replayedWarp, replayedThread, replayedCycles})
	assert.Equal(t, []uint64{7224, 229888}, []uint64{warp, thread})

	got = cotenant(t, "trace", "info", folder, "--json", "-")
	require.Equal(t, 0, got.status, got.stderr)
	var info traceInfo
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &info))
	require.Len(t, info.Launches, 1)
	l := info.Launches[0]
	assert.Equal(t, "mysgemmNT", l.Kernel)
	assert.Equal(t, [][3]int{{1, 2, 1}, {16, 8, 1}}, [][3]int{l.Grid, l.Block})
	assert.Equal(t, []uint64{7224, 229888}, []uint64{l.WarpInstructions, l.ThreadInstructions})
	assert.Equal(t, []int{44, 512, 2}, []int{l.RegistersPerThread, l.SharedBytesPerTB, l.TBs})

	path := filepath.Join(t.TempDir(), "info.json")
	got = cotenant(t, "trace", "info", folder, "--json", path)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stdout, "│ 1 │ mysgemmNT │ 1x2  │ 16x8  │   44 │    512 │   2 │      7224 │      229888 │        31.0 │ fp32 46.1, int 32.6,")
	assert.FileExists(t, path)
}

func TestInfoOfAnApplicationHasItsLaunchesAndArrays(t *testing.T) {
	_, app := counting(t, "expect: {array: data, fill: 1}", "", "") // not asked for
	got := cotenant(t, "trace", "info", "--app", app, "--json", "-")
	require.Equal(t, 0, got.status, got.stderr)
	var info traceInfo
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &info))
	assert.Equal(t, []string{app, ""}, []string{info.App, info.Trace})
	require.Len(t, info.Launches, 2)
	assert.Equal(t, "count", info.Launches[1].Kernel)
	assert.Equal(t, []arrayInfo{{"data", "u8", 4, 4}}, info.Arrays)

	got = cotenant(t, "trace", "info", "--app", app)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stdout, "│ 2 │ count  │ 1    │ 4     │")
	assert.Contains(t, got.stdout, "│ data  │        4 │ 0.0 │ u8   │")

	got = cotenant(t, "trace", "info", "--app", "profile:"+file(t, "small.yaml", smallApp))
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stdout, "│ 1 │ small  │")
	assert.NotContains(t, got.stdout, "Elements")
}

func TestFaultyTraceCommands(t *testing.T) {
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "x"), nil, 0o600))
	for _, c := range []struct {
		args    []string
		status  int
		message string
	}{
		{[]string{"trace"}, 2, "trace needs a command; valid: capture, export, info"},
		{[]string{"report"}, 2, "report needs a command; valid: area, compare, results, sweep, validation, workloads"},
		{[]string{"report", "workloads", "--into", "/dev/zero"}, 1, "--into: /dev/zero: not a regular file; give the path of a document"},
		{[]string{"trace", "import"}, 2, `unknown command "import"; valid: capture, export, info`},
		{[]string{"trace", "export", "--app", "sgemm"}, 2, "--app and --out are needed; valid: --app APP, one of NAME,"},
		{[]string{"trace", "export", "--app", "nosuch", "--out", "new"}, 2, `no application of real kernels is called "nosuch"`},
		{[]string{"trace", "export", "--app", "sgemm", "--out", full}, 1, full + " is not empty; give the path of a new or an empty folder"},
		{[]string{"trace", "info"}, 2, "trace info takes one trace, got 0; valid: trace info DIR, or trace info --app APP"},
		{[]string{"trace", "info", full, "--app", "sgemm"}, 2, "trace info has --app and the trace " + full + "; valid: one of them"},
		{[]string{"trace", "info", "--app", "nosuch"}, 2, `no application of real kernels is called "nosuch"`},
		{[]string{"trace", "info", full}, 1, "kernelslist.g"},
	} {
		got := cotenant(t, c.args...)
		assert.Equal(t, c.status, got.status, c.args)
		assert.Contains(t, got.stderr, c.message, c.args)
	}
}

func TestInterruptedExportLeavesNoFolder(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	parent := t.TempDir()
	got := cotenantIn(ctx, "trace", "export", "--app", "sgemm?size=tiny", "--out", filepath.Join(parent, "trace"))
	assert.Equal(t, exitInterrupted, got.status)
	entries, err := os.ReadDir(parent)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

func TestTraceCommandsGiveUpAKernelThatNeverEnds(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"loop.yaml": "name: loop\nptx: loop.ptx\nkernels: [{name: spin, block: [64]}]\nsteps: [{launch: {kernel: spin, grid: [3], args: []}}]\n",
		"loop.ptx": ".version 6.0\n.target sm_52\n.address_size 64\n.visible .entry spin()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, 0;\n" +
			"L: add.u32 %r1, %r1, 1;\nbra L;\nret;\n}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	app, out := "ptx:"+filepath.Join(folder, "loop.yaml"), filepath.Join(folder, "trace")
	for _, args := range [][]string{{"info", "--app", app}, {"export", "--app", app, "--out", out}} {
		got := cotenant(t, append([]string{"trace"}, append(args, "--max-instructions", "20000")...)...)
		assert.Equal(t, exitFailure, got.status)
		assert.Empty(t, got.stdout)
		assert.Regexp(t, `^cotenant: kernel spin: no thread block has ended for 20000 instructions of warps, the last at \S*loop.ptx:\d; it may never end; valid: a kernel that ends, or a larger --max-instructions\n$`, got.stderr)
	}
	assert.NoDirExists(t, out)
}
