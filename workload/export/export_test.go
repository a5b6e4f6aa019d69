package export_test

import (
	"context"
	"math/bits"
	"os"
	"path/filepath"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/export"
	"cotenant/workload/functional"
	"cotenant/workload/profile"
	"cotenant/workload/source"
	"cotenant/workload/traceg"

	"github.com/stretchr/testify/require"
)

// launchFacts is what a launch and its replay must agree on.
type launchFacts struct {
	Kernel                                   string
	Grid, Block                              workload.Dim3
	RegistersPerTB, SharedBytesPerTB, Stream int
	WarpInstructions, ThreadInstructions     uint64
	Classes                                  [workload.NumClasses]uint64
	Warps                                    []uint64 // hash of each warp's instructions, by number
}

// facts executes an application and says what each launch does.
func facts(t *testing.T, app *workload.App) (all []launchFacts) {
	t.Helper()
	host, err := app.Start()
	require.NoError(t, err)
	for {
		op, ok, err := host.Next()
		require.NoError(t, err)
		if !ok {
			return all
		}
		k := op.Kernel
		if k == nil {
			continue
		}
		f := launchFacts{Kernel: k.Name, Grid: k.Grid, Block: k.Block, RegistersPerTB: k.RegistersPerTB,
			SharedBytesPerTB: k.SharedBytesPerTB, Stream: k.Stream, Warps: make([]uint64, k.TBs()*k.WarpsPerTB())}
		require.NoError(t, functional.Run(context.Background(), k, 16, functional.Observer{
			Executed: func(tb, warp int, inst *workload.Inst) {
				f.WarpInstructions++
				f.ThreadInstructions += uint64(bits.OnesCount32(inst.Active))
				f.Classes[inst.Class]++
				h := &f.Warps[tb*k.WarpsPerTB()+warp]
				*h = mix(*h, inst)
			},
		}))
		all = append(all, f)
	}
}

// mix adds all that timing depends on to a hash: class, registers as sets, and
// for accesses space, width, flags and the lanes' addresses.
func mix(h uint64, inst *workload.Inst) uint64 {
	add := func(v uint64) { h = (h ^ v) * 0x9e3779b97f4a7c15; h ^= h >> 29 }
	set := func(list []uint8) {
		var s [4]uint64
		for _, r := range list {
			if r != workload.NoReg {
				s[r/64] |= 1 << (r % 64)
			}
		}
		for _, v := range s {
			add(v)
		}
	}
	add(uint64(inst.Class))
	add(uint64(inst.Active))
	set(inst.Dst[:])
	set(inst.Src[:])
	if !inst.Class.IsMemory() || inst.Active == 0 {
		return h
	}
	space := inst.Space
	if space == workload.Texture {
		space = workload.Global // a trace has no other
	}
	add(uint64(space))
	add(uint64(inst.Width))
	add(uint64(inst.Flags & (workload.BypassL1 | workload.ReadOnly)))
	low := bits.TrailingZeros32(inst.Active)
	for m := inst.Active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if inst.Lanes != nil {
			add(inst.Lanes[lane])
		} else {
			add(inst.Base + uint64(int64(inst.Stride)*int64(lane-low)))
		}
	}
	return h
}

func open(t *testing.T, spec string) *workload.App {
	t.Helper()
	app, err := source.Open(spec, source.Options{Seed: 1})
	require.NoError(t, err)
	return app
}

func replay(t *testing.T, app *workload.App, o export.Options) (*workload.App, traceg.Counts) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "trace")
	counts, err := export.Trace(context.Background(), app, folder, o)
	require.NoError(t, err)
	again, err := traceg.Open(folder, traceg.Options{})
	require.NoError(t, err)
	return again, counts
}

// cycles runs an application alone on a GTX 980 and returns the core cycles.
func cycles(t *testing.T, app *workload.App) uint64 {
	t.Helper()
	gpu, err := presets.Load("plain16")
	require.NoError(t, err)
	p, err := policy.Parse("fcfs")
	require.NoError(t, err)
	wired, err := wiring.New(*gpu, p, []host.Process{{App: app}})
	require.NoError(t, err)
	require.NoError(t, wired.Run(context.Background(), 0, nil))
	return wired.Cycles(0)
}

func TestReplayOfAnExportDoesTheSame(t *testing.T) {
	for _, c := range []struct {
		spec string
		// sameCycles is false where execution order decides what is done, or
		// where the SM serves what the trace says faster than the original.
		sameCycles bool
	}{
		{"sgemm?size=tiny", true}, {"stencil?size=tiny", true}, {"spmv?size=tiny", true}, {"lbm?size=tiny", true},
		{"cutcp?size=tiny", true}, {"mri-q?size=tiny", true}, {"tpacf?size=tiny&set=points:128", false},
		{"sad?size=tiny", false}, {"histo?size=tiny", false}, {"bfs?size=tiny", false},
		{"mri-gridding?size=tiny&set=count:2048", true},
	} {
		t.Run(c.spec, func(t *testing.T) {
			t.Parallel()
			again, counts := replay(t, open(t, c.spec), export.Options{})
			require.Equal(t, facts(t, open(t, c.spec)), facts(t, again))
			t.Logf("%+v", counts)
			if c.sameCycles {
				require.Equal(t, cycles(t, open(t, c.spec)), cycles(t, again))
				require.Zero(t, counts.Texture)
				require.Zero(t, counts.Constants)
			}
		})
	}
}

// tpacf copies its input to the device and its result back, and ends with a CPU
// phase, which a trace cannot tell.
func TestCopiesInBothDirectionsAreWritten(t *testing.T) {
	operations := func(app *workload.App) (copies []workload.Op, phases int) {
		host, err := app.Start()
		require.NoError(t, err)
		for {
			op, ok, err := host.Next()
			require.NoError(t, err)
			switch {
			case !ok:
				return copies, phases
			case op.Kernel != nil:
				require.NoError(t, functional.Run(t.Context(), op.Kernel, 1, functional.Observer{}))
			case op.CPU != 0:
				phases++
			default:
				copies = append(copies, op)
			}
		}
	}
	want, phases := operations(open(t, "tpacf?size=tiny&set=points:128"))
	require.Equal(t, 1, phases)
	require.False(t, want[0].ToHost)
	require.True(t, want[len(want)-1].ToHost)
	again, counts := replay(t, open(t, "tpacf?size=tiny&set=points:128"), export.Options{})
	got, phases := operations(again)
	require.Equal(t, want, got)
	require.Zero(t, phases)
	require.Equal(t, []int{len(want), 1}, []int{counts.Copies, counts.CPUPhases})
}

func TestExportOfAProfileDoesTheSame(t *testing.T) {
	for name, tbs := range map[string]int{"spmv": 20, "tpacf": 1} {
		small := func() *workload.App {
			app, err := profile.Builtin(name, "", 1)
			require.NoError(t, err)
			k := *app.Kernels()[0]
			k.Grid = workload.Dim3{X: tbs, Y: 1, Z: 1}
			return &workload.App{Name: name, Ops: []workload.Op{{Kernel: &k}}}
		}
		again, counts := replay(t, small(), export.Options{Compress: true})
		t.Logf("%+v", counts)
		require.Equal(t, facts(t, small()), facts(t, again))
	}
}

func TestExportOfARealTraceDoesTheSame(t *testing.T) {
	const folder = "../../../shared/traces/"
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the reference traces are not at %s", folder)
	}
	for _, name := range []string{"vectoradd", "backprop-128", "bfs-rodinia-2.0"} {
		spec := "traceg:" + folder + name
		again, counts := replay(t, open(t, spec), export.Options{})
		t.Logf("%s: %+v", name, counts)
		want, got := facts(t, open(t, spec)), facts(t, again)
		require.Equal(t, want, got, name)
		require.Equal(t, cycles(t, open(t, spec)), cycles(t, again), name)
	}
}

// endless is an application of one warp that never ends.
type endless struct{ executed func() }

func (e endless) Open() (workload.Launch, error) { return e, nil }
func (e endless) Next(tb *workload.TB) error     { tb.Warps = []workload.Stream{e}; return nil }
func (e endless) Recycle(*workload.TB)           {}
func (e endless) Close() error                   { return nil }
func (e endless) Execute(*workload.Inst)         { e.executed() }
func (e endless) Fetch(inst *workload.Inst) bool {
	*inst = workload.Inst{Class: workload.Int, Dst: workload.NoRegs4, Src: workload.NoRegs10}
	return true
}

func TestInterruptedExportLeavesNothing(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	one := workload.Dim3{X: 1, Y: 1, Z: 1}
	left := 10_000
	k := &workload.Kernel{Name: "endless", Grid: one, Block: one, Source: endless{func() {
		if left--; left == 0 {
			interrupt()
		}
	}}}
	parent := t.TempDir()
	_, err := export.Trace(ctx, &workload.App{Ops: []workload.Op{{Kernel: k}}}, filepath.Join(parent, "new", "newer", "trace"), export.Options{})
	require.ErrorIs(t, err, context.Canceled)
	entries, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestExportTakesOnlyAnEmptyFolder(t *testing.T) {
	folder := t.TempDir()
	_, err := export.Trace(context.Background(), open(t, "sgemm?size=tiny"), folder, export.Options{})
	require.NoError(t, err, "a folder that is there and empty")
	_, err = export.Trace(context.Background(), open(t, "sgemm?size=tiny"), folder, export.Options{})
	require.EqualError(t, err, folder+" is not empty; give the path of a new or an empty folder")
	_, err = export.Trace(context.Background(), open(t, "sgemm?size=tiny"), filepath.Join(folder, "kernelslist.g", "trace"), export.Options{})
	require.ErrorContains(t, err, "cannot be written: not a directory")
}

func TestExportMakesTheFoldersAboveItsOwn(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "traces", "of", "today")
	_, err := export.Trace(context.Background(), open(t, "sgemm?size=tiny"), folder, export.Options{})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(folder, "kernelslist.g"))
}
