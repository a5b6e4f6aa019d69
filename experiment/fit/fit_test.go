package fit

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "cotenant/cta_dispatcher/policy/fcfs"
	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/tests/need"
	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/profile"
	"cotenant/workload/source"
)

// classes are warp instructions by what the profile's mix tells apart, and lanes by what
// Nsight Compute counts by thread.
type classes struct {
	warps   map[string]float64
	threads map[string]float64
}

// count executes one launch without timing.
func count(t *testing.T, k *workload.Kernel) classes {
	var warps, threads [256][2]float64
	require.NoError(t, functional.Run(context.Background(), k, 1, functional.Observer{Executed: func(_, _ int, inst *workload.Inst) {
		shared := 0
		if inst.Class.IsMemory() && inst.Space == workload.Shared {
			shared = 1
		}
		warps[inst.Class][shared]++
		threads[inst.Class][shared] += float64(bits.OnesCount32(inst.Active))
	}}))
	c := classes{map[string]float64{}, map[string]float64{}}
	for class := range warps {
		for shared, prefix := range []string{"", "shared_"} {
			if n := warps[class][shared]; n > 0 {
				name := prefix + workload.Class(class).String()
				c.warps[name] += n
				c.warps["all"] += n
				c.threads[name] += threads[class][shared]
				c.threads["all"] += threads[class][shared]
			}
		}
	}
	return c
}

// first is the first launch of a run of an application.
func first(t *testing.T, app *workload.App) *workload.Kernel {
	h, err := app.Start()
	require.NoError(t, err)
	for {
		op, ok, err := h.Next()
		require.NoError(t, err)
		require.True(t, ok)
		if op.Kernel != nil {
			return op.Kernel
		}
	}
}

// gpu is one on which a launch of the smallest inputs takes a second or less.
const gpu = "plain16?sms=4"

// run simulates the first launch of an application on it.
func run(t *testing.T, app *workload.App, g *wiring.Config, spec string) *experiment.Result {
	r := &experiment.Run{Spec: experiment.Spec{GPU: gpu, Policy: "fcfs", Until: "done", Apps: []string{spec}, Parameters: experiment.Parameters{StopAfterLaunch: 1}},
		GPU: g, Apps: []experiment.App{{Spec: spec, Workload: app}}}
	result, err := r.Do(context.Background())
	require.NoError(t, err)
	return result
}

// report writes the counters of a launch as ncu --csv --page raw does.
func report(t *testing.T, k *workload.Kernel, c classes, r *experiment.Result) string {
	total := func(module, name string) float64 {
		group, ok := r.Stats[module]
		require.True(t, ok, module)
		x, ok := group.Total.Get(name)
		require.True(t, ok, "%s.%s", module, name)
		return float64(x)
	}
	tenant := &r.Kernels[0]
	hitRate := func(f experiment.Figure) float64 {
		if !f.Defined() {
			return 0
		}
		return float64(f)
	}
	// Sectors of loads alone: those that the L1 looked up, without stores and atomics.
	sectors := total("sm", "l1_sectors")
	reads := float64(tenant.L2.Accesses - tenant.L2.Writes - tenant.L2.Atomics)
	metrics := []struct {
		name, unit string
		value      float64
	}{
		{registers, "register/thread", float64(k.RegistersPerTB / (k.WarpsPerTB() * workload.WarpSize))},
		{staticShared, "Kbyte/block", float64(k.SharedBytesPerTB) / 1e3}, {dynamicShared, "byte/block", 0},
		{instructions, "inst", c.warps["all"]}, {threads, "inst", c.threads["all"]},
		{fp32, "inst", c.threads["fp32"]}, {fp64, "inst", c.threads["fp64"]}, {special, "inst", c.warps["sfu"]}, {tensor, "inst", 0},
		{branches, "inst", c.warps["branch"]}, {globalLoads, "inst", c.warps["load"]}, {globalStores, "inst", c.warps["store"]},
		{globalAtomics, "inst", c.warps["atomic"]}, {globalReductions, "inst", c.warps["reduction"]},
		{sharedLoads, "inst", c.warps["shared_load"]}, {sharedStores, "inst", c.warps["shared_store"]}, {sharedAtomics, "inst", c.warps["shared_atomic"]},
		{loadConflicts, "", total("sm", "lsu_shared_conflicts")}, {storeConflicts, "", 0},
		{loadSectors, "sector", sectors}, {loadHits, "sector", sectors * hitRate(tenant.L1.HitRate)},
		{storeSectors, "sector", 4 * float64(tenant.L2.Writes)},
		{l2Hits, "sector", reads * hitRate(tenant.L2.HitRate)}, {l2Misses, "sector", reads * (1 - hitRate(tenant.L2.HitRate))},
	}
	names, units := []string{"ID", "Kernel Name", "Block Size", "Grid Size"}, []string{"", "", "", ""}
	row := []string{"0", k.Name + "(float *, int)", fmt.Sprintf("(%d, %d, %d)", k.Block.X, k.Block.Y, k.Block.Z), fmt.Sprintf("(%d, %d, %d)", k.Grid.X, k.Grid.Y, k.Grid.Z)}
	for _, m := range metrics {
		names, units, row = append(names, m.name), append(units, m.unit), append(row, fmt.Sprintf("%f", m.value))
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	for _, record := range [][]string{names, units, row} {
		quoted := make([]string, len(record)) // ncu quotes every field
		for i, field := range record {
			quoted[i] = `"` + field + `"`
		}
		text.WriteString(strings.Join(quoted, ",") + "\n")
	}
	w.Flush()
	return "==PROF== Profiling\n" + text.String()
}

// TestProfileHasTheCountersThatItWasFittedTo fits profiles to our own counters of built-in
// kernels, runs them, and compares. The bounds are what the fit reaches, rounded up. With SLOW=1
// the inputs are those of docs/fitting.md; otherwise some are cut short, and fit as well.
func TestProfileHasTheCountersThatItWasFittedTo(t *testing.T) {
	for _, c := range []struct {
		app       string
		ipc, dram float64 // largest ratio of the two, the larger over the smaller
		l1, l2    float64 // largest difference of hit rates
		mix       float64 // largest difference of a class's share
	}{
		{"sgemm?size=small&set=k:128", 1.05, 1.35, 0.02, 0.02, 0.01},
		{"lbm?size=small&set=y:40", 1.06, 1.05, 0.02, 0.12, 0.06},
		{"stencil?size=small&set=nx:128", 1.6, 1.5, 0.2, 0.03, 0.01},
		{"spmv?size=small", 1.1, 2.2, 0.12, 0.08, 0.01},
		{"cutcp?size=tiny", 1.5, 2, 0.12, 0.05, 0.01},
	} {
		if need.Slow() {
			c.app, _, _ = strings.Cut(c.app, "&")
		}
		g, err := presets.Load(gpu)
		require.NoError(t, err)
		open := func(spec string) *workload.App {
			app, err := source.Open(spec, source.Options{Seed: 1, Target: g.Streams()})
			require.NoError(t, err)
			return app
		}
		k := first(t, open(c.app))
		want := run(t, open(c.app), g, c.app)
		mix := count(t, k)
		text := report(t, k, mix, want)
		launches, err := Read("r.csv", strings.NewReader(text))
		require.NoError(t, err)
		require.Len(t, launches, 1)
		yaml, notes, err := Fit("r.csv", "fitted", launches)
		require.NoError(t, err)
		assert.Equal(t, Unfitted, notes, "every metric was there")
		file := filepath.Join(t.TempDir(), "p.yaml")
		require.NoError(t, os.WriteFile(file, []byte(yaml), 0o600))
		app, err := profile.Open(file, "", 1)
		require.NoError(t, err, yaml)
		got := run(t, app, g, "profile:"+file)
		a, b := &want.Kernels[0], &got.Kernels[0]
		fitted := count(t, app.Kernels()[0])
		worst := 0.0
		for _, class := range []string{"fp32", "sfu", "load", "store", "shared_load", "shared_store"} {
			worst = math.Max(worst, math.Abs(mix.warps[class]/mix.warps["all"]-fitted.warps[class]/fitted.warps["all"]))
		}
		apart := func(x, y float64) float64 { return math.Max(x/y, y/x) }
		assert.InEpsilon(t, a.WarpInstructions, b.WarpInstructions, 0.01, c.app)
		assert.LessOrEqual(t, worst, c.mix, c.app)
		assert.LessOrEqual(t, apart(a.IPC, b.IPC), c.ipc, "%s: IPC %g, fitted %g", c.app, a.IPC, b.IPC)
		assert.LessOrEqual(t, apart(float64(a.DRAM.Bytes), float64(b.DRAM.Bytes)), c.dram, "%s: DRAM bytes %d, fitted %d", c.app, a.DRAM.Bytes, b.DRAM.Bytes)
		assert.InDelta(t, float64(a.L1.HitRate), float64(b.L1.HitRate), c.l1, "%s: L1", c.app)
		assert.InDelta(t, float64(a.L2.HitRate), float64(b.L2.HitRate), c.l2, "%s: L2", c.app)
		t.Logf("%-29s instructions %d %d; mix within %.3f; IPC %.1f %.1f (%.2f); L1 hits %.3f %.3f; L2 hits %.3f %.3f; DRAM %d %d (%.2f)", c.app,
			a.WarpInstructions, b.WarpInstructions, worst, a.IPC, b.IPC, b.IPC/a.IPC, a.L1.HitRate, b.L1.HitRate, a.L2.HitRate, b.L2.HitRate, a.DRAM.Bytes, b.DRAM.Bytes, float64(b.DRAM.Bytes)/float64(a.DRAM.Bytes))
	}
}

func TestReportsThatCannotBeRead(t *testing.T) {
	head := "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\"\n\"\",\"\",\"\",\"\"\n"
	for text, want := range map[string]string{
		"==ERROR== nothing\n": `r.csv: no row begins with "ID"; valid: the output of ncu --csv --page raw`,
		head:                  "r.csv: it has no launch",
		"==PROF==\n" + head + `"0","k","x","(1)"`: `r.csv:4: Block Size "x" is no size; valid: such as (128, 1, 1)`,
		head + `"0","k","(1)"`:                    "r.csv:3: record on line 3: wrong number of fields",
	} {
		_, err := Read("r.csv", strings.NewReader(text))
		assert.EqualError(t, err, want, text)
	}
	launches, err := Read("r.csv", strings.NewReader(head+`"0","k","(1)","(1)"`))
	require.NoError(t, err)
	_, _, err = Fit("r.csv", "x", launches)
	assert.ErrorContains(t, err, "launch 1, k: there is no metric "+registers)
}

func TestLaunchesOfOneShapeAreOneKernel(t *testing.T) {
	launch := func(kernel string, grid, n float64) Launch {
		return Launch{kernel, map[string]float64{"Grid Size": grid, "Block Size": 64, registers: 16, instructions: n, threads: 32 * n, globalLoads: n / 10, globalStores: 0}}
	}
	text, notes, err := Fit("r", "two kernels", []Launch{launch("a(int)", 4, 800), launch("b", 4, 800), launch("a(int)", 4, 1600), launch("a(int)", 8, 1600)})
	require.NoError(t, err)
	assert.Contains(t, text, "name: two_kernels\nkernels:\n  - name: a\n    tbs: 4\n    launches: 2\n    loop: all\n")
	assert.Contains(t, text, "    instructions: 150\n", "the mean of 800 and 1600 instructions over 8 warps")
	assert.Contains(t, text, "  - name: a-2\n    tbs: 8\n    launches: 1\n")
	assert.Contains(t, notes, "no metric "+loadSectors)
	file := filepath.Join(t.TempDir(), "p.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	app, err := profile.Open(file, "", 1)
	require.NoError(t, err, text)
	assert.Len(t, app.Kernels(), 4)
}
