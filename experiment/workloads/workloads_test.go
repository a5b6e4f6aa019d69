package workloads

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/tests/need"
	"cotenant/workload/kernels"
	"cotenant/workload/source"
)

func keptSmall(t *testing.T) *Data {
	t.Helper()
	d, err := Kept("small")
	require.NoError(t, err)
	return d
}

// The figures that are kept come from the applications and the GPU as they are:
// otherwise run make workloads.
func TestKeptDataAreOfTheseInputs(t *testing.T) {
	d := keptSmall(t)
	gpu, err := presets.Load(d.GPU)
	require.NoError(t, err)
	inputs, err := Inputs(gpu)
	require.NoError(t, err)
	require.Equal(t, inputs, d.Inputs, "make workloads")
	for i, name := range kernels.Names() {
		require.Equal(t, name, d.Apps[i].Name)
		m, err := kernels.Builtin(name)
		require.NoError(t, err)
		require.Len(t, d.Apps[i].Kernels, len(m.Kernels), name)
	}
}

// Measuring again gives the figures that are kept: of one application in full, in CI of an
// application of several kernels too, and of all the shape of the first launch.
func TestKeptDataAreWhatTheCommandGives(t *testing.T) {
	d := keptSmall(t)
	gpu, err := presets.Load(d.GPU)
	require.NoError(t, err)
	full := "spmv"
	if need.CI() {
		full = "resnet-block"
	}
	for _, a := range d.Apps {
		app, err := source.Open(a.Name+"?size=small", source.Options{})
		require.NoError(t, err)
		first := app.Ops[0].Kernel
		shape := a.Kernels[0].Shape()
		assert.Equal(t, first.Grid, shape.Grid, a.Name)
		assert.Equal(t, first.Block, shape.Block, a.Name)
		assert.Equal(t, first.RegistersPerTB, shape.RegistersPerTB, a.Name)
		assert.Equal(t, first.SharedBytesPerTB, shape.SharedBytesPerTB, a.Name)
		if a.Name == full {
			again, err := Measure(context.Background(), gpu, a.Name, d.Size, d.Least)
			require.NoError(t, err)
			require.Equal(t, a, again, "make workloads")
		}
	}
}

func TestKernelsAddUpToTheirApplication(t *testing.T) {
	for _, a := range keptSmall(t).Apps {
		var sum Counts
		for i := range a.Kernels {
			sum.add(&Counts{}, &a.Kernels[i].Counts)
		}
		require.Equal(t, a.Counts, sum, a.Name)
		cycles := uint64(0)
		for _, n := range a.Stalls {
			cycles += n
		}
		require.Equal(t, a.Cycles*16*4, cycles, a.Name)
	}
}

// The SMK paper's Table 2, by what the measured kernels take of an SM.
func TestResourceSharesAreThoseOfSMKTable2(t *testing.T) {
	d := keptSmall(t)
	gpu, err := presets.Load("plain16")
	require.NoError(t, err)
	c := gpu.SM.Capacity()
	want := map[string][3]float64{ // registers, shared memory, threads
		"lattice6overlap": {87.5, 67.1, 100}, "StreamCollide": {92.3, 0, 52.7}, "mysgemmNT": {94.5, 5.7, 68.8},
		"spmvjds": {46.9, 0, 93.8}, "block2Dregtiling": {75, 0, 100}, "genhists": {76.6, 94.8, 87.5},
	}
	for _, k := range d.kernels() {
		w, listed := want[k.Name]
		if !listed {
			continue
		}
		delete(want, k.Name)
		tbs, _ := k.Occupancy(&c)
		shape := k.Shape()
		// The table's figures are rounded, or cut off, to a tenth.
		assert.InDelta(t, w[0], 100*float64(tbs*shape.RegistersPerTB)/65536, 0.1, k.Name)
		assert.InDelta(t, w[1], 100*float64(tbs*shape.SharedBytesPerTB)/98304, 0.1, k.Name)
		assert.InDelta(t, w[2], 100*float64(tbs*shape.ThreadsPerTB())/2048, 0.1, k.Name)
	}
	require.Empty(t, want)
}

func TestClassesAreThoseOfTheSMKPaper(t *testing.T) {
	for _, a := range keptSmall(t).Apps {
		p, ok := published[a.Name]
		if !ok {
			continue
		}
		require.Equal(t, p.name, a.Class(), "%s: stalled for %.3f of the cycles", a.Name, a.Stalled())
	}
}

func TestClassTurnsAtTheMiddleOfSMKsGap(t *testing.T) {
	c := Counts{Stalls: map[string]uint64{"issued": 2500, "idle": 7500}}
	require.Equal(t, "C", c.Class())
	c.Stalls["idle"] += 50 // 75.1 %
	require.Equal(t, "M", c.Class())
}

// plain16 has 16 SMs, 16 slices and 8 channels.
func TestTrafficIsAShareOfAllPortsAndChannels(t *testing.T) {
	gpu, err := presets.Load("plain16")
	require.NoError(t, err)
	c := Counts{NoCCycles: 1000, RequestFlits: 16 * 500, ReplyFlits: 16 * 250, DRAMCycles: 2000, DRAMBusCycles: 8 * 1500}
	cells := keptSmall(t).memory(gpu, &c)
	require.Equal(t, []string{"50.0", "25.0", "75.0"}, cells[2:])
}

// A panic of another goroutine would end the program with Go's stacks.
func TestPanicWhileAnApplicationIsMeasuredIsAnError(t *testing.T) {
	defer func(was func(context.Context, *wiring.Config, string, string, uint64) (*App, error)) { measure = was }(measure)
	measure = func(ctx context.Context, gpu *wiring.Config, name, size string, least uint64) (*App, error) {
		if name == "lbm" {
			panic("no such thing")
		}
		return &App{}, nil
	}
	gpu, err := presets.Load("plain16")
	require.NoError(t, err)
	_, err = MeasureAll(t.Context(), gpu, "tiny", 1, nil)
	require.EqualError(t, err, "internal error with lbm: no such thing")
}
