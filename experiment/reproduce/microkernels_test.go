package reproduce

import (
	"testing"

	"cotenant/experiment/validation"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"

	"github.com/stretchr/testify/require"
)

// told is a Measured that notes what it is asked for.
type told struct{ asked []string }

func (m *told) Chase(gpu *wiring.Config) (*validation.GPUReport, error) {
	m.asked = append(m.asked, gpu.Name)
	return &validation.GPUReport{GPU: gpu.Name, Figures: []validation.Measurement{
		{Figure: "chase-64k", Unit: "cycles", Ours: 30, Published: []validation.Comparison{{Low: 28, High: 32, Source: "S", Mark: "p"}, {Low: 27, High: 27, Source: "T", Mark: "m"}}},
		{Figure: "chase-2m", Unit: "cycles", Ours: 200},
	}}, nil
}

func (m *told) L2Bandwidth(gpu *wiring.Config, kb int) (float64, error) {
	m.asked = append(m.asked, gpu.Name)
	return float64(kb), nil
}

// SameL2Bandwidth notes the GPU, and has a rate of its own.
func (m *told) SameL2Bandwidth(gpu *wiring.Config, kb int) (float64, error) {
	m.asked = append(m.asked, gpu.Name)
	return -float64(kb), nil
}

// Fabric notes the GPU, and has a rate for each SM.
func (m *told) Fabric(gpu *wiring.Config, t validation.Traffic) (float64, error) {
	m.asked = append(m.asked, gpu.Name)
	return float64(len(t.SMs)), nil
}

// Launches notes the GPU, and tells graphs apart.
func (m *told) Launches(gpu *wiring.Config, n int, graph bool) (float64, error) {
	m.asked = append(m.asked, gpu.Name)
	if graph {
		return float64(n), nil
	}
	return float64(2 * n), nil
}

// Kept notes the GPU, and has a time for each KB that is not kept.
func (m *told) Kept(gpu *wiring.Config, kb int, aside uint64, share float64) (float64, error) {
	m.asked = append(m.asked, gpu.Name)
	kept := min(share*float64(kb), float64(aside>>10))
	return 2*float64(kb) - kept, nil
}

func rowsMeasured(t *testing.T, name, gpu string, m Measured) []Row {
	t.Helper()
	e, err := Find(name)
	require.NoError(t, err)
	d := NewData(Scale{GPU: gpu}, presets.Load, nil, nil)
	d.Measured = m
	rows, err := e.Rows(d)
	require.NoError(t, err)
	return rows
}

func TestChaseHasARowForEachPublishedValue(t *testing.T) {
	m := &told{}
	rows := rowsMeasured(t, "chase", "", m)
	require.Equal(t, []string{"v100", "a100", "h100", "rtx4090"}, m.asked)
	require.Len(t, rows, 12)
	require.Equal(t, "v100, 64 KB", rows[0].Label)
	require.Equal(t, 30.0, *rows[0].Paper)
	require.Equal(t, 27.0, *rows[1].Paper)
	require.Equal(t, "T (m)", rows[1].From)
	require.Nil(t, rows[2].Paper)

	m = &told{}
	require.Len(t, rowsMeasured(t, "chase", "a100-1g", m), 3)
	require.Equal(t, []string{"a100-1g"}, m.asked)
}

func TestL2BandwidthMeasuresThePublishedBoards(t *testing.T) {
	m := &told{}
	rows := rowsMeasured(t, "l2-bandwidth", "", m)
	require.Len(t, rows, len(bandwidths))
	require.Equal(t, "a100, 4096 KB", rows[0].Label)
	require.Equal(t, 5466.9, *rows[0].Paper)
	last := rows[len(rows)-1]
	require.Equal(t, "L40, the same 3240 KB", last.Label)
	require.Equal(t, -3240.0, *last.Ours)
	require.Equal(t, 5713.3, *last.Paper)

	rows = rowsMeasured(t, "l2-bandwidth", "v100", m)
	require.Len(t, rows, 9)
	require.Nil(t, rows[8].Paper, "of another GPU")
	require.Nil(t, rowsMeasured(t, "l2-bandwidth", "v100", nil)[0].Ours)
}

func TestSmallKernelsAreLaunchedByThemselvesAndInGraphs(t *testing.T) {
	rows := rowsMeasured(t, "small-kernels", "", &told{})
	require.Len(t, rows, 2*len(smallKernels))
	require.Equal(t, "a100, 64 KB, launch to launch", rows[0].Label)
	require.Equal(t, 2.621, *rows[0].Paper)
	require.Equal(t, 2*4096.0, *rows[0].Ours)
	require.Equal(t, "a100, 64 KB, in a graph", rows[1].Label)
	require.Equal(t, 1.337, *rows[1].Paper)
	require.Equal(t, 4096.0, *rows[1].Ours)
	require.Equal(t, "L40, 16196 KB, in a graph", rows[29].Label)

	m := &told{}
	rows = rowsMeasured(t, "small-kernels", "v100", m)
	require.Len(t, rows, 10)
	require.Equal(t, "v100, 64 KB, launch to launch", rows[0].Label)
	require.Equal(t, "v100", m.asked[0])
	require.Nil(t, rows[0].Paper, "of another GPU")
	require.Nil(t, rowsMeasured(t, "small-kernels", "", nil)[0].Ours)
}

func TestNoCSpeedupsAreOfSMsInTheSameTPCAndGPC(t *testing.T) {
	m := &told{}
	rows := rowsMeasured(t, "noc-speedup", "", m)
	require.Len(t, rows, len(fabric))
	require.Equal(t, "v100, two SMs of a TPC over one, reads", rows[0].Label)
	var ours []float64
	for _, r := range rows {
		ours = append(ours, *r.Ours)
	}
	// SMs over SMs: a V100 has 7 TPCs in a GPC, the largest GPC of an H100 9.
	require.Equal(t, []float64{2, 2, 7, 14, 1, 1, 2, 2, 2, 2, 9, 6}, ours)
	require.Len(t, m.asked, 19, "each traffic once")
	require.Equal(t, 3.5, *rows[2].Paper)
	require.Nil(t, rows[3].Paper)

	rows = rowsMeasured(t, "noc-speedup", "rtx4090", m)
	require.Len(t, rows, 6)
	require.Equal(t, "rtx4090, an SM of each TPC of a GPC over one, reads", rows[2].Label)
	require.Nil(t, rows[2].Paper)
	require.Nil(t, rowsMeasured(t, "noc-speedup", "", nil)[0].Ours)

	e, err := Find("noc-speedup")
	require.NoError(t, err)
	d := NewData(Scale{GPU: "plain16"}, presets.Load, nil, nil)
	d.Measured = m
	_, err = e.Rows(d)
	require.EqualError(t, err, "plain16 has no gpcs or no driver.tpc_sms; valid: v100, a100, h100, rtx4090 and what extends them")
}

// SMs that are spread come from all GPCs.
func TestSpreadSMs(t *testing.T) {
	gpu, err := presets.Load("v100")
	require.NoError(t, err)
	p, err := placesOf(gpu)
	require.NoError(t, err)
	require.Equal(t, []int{0, 14, 28, 42, 56, 68, 1, 15}, acrossGPCs(8)(p))
	require.Equal(t, []int{0, 2, 4, 6, 8, 10, 12}, p.tpcs())
}

func TestKeptLinesAreOfQuartersOfTheL2(t *testing.T) {
	m := &told{}
	rows := rowsMeasured(t, "l2-kept", "", m)
	values := map[string]float64{}
	for _, r := range rows {
		values[r.Label] = *r.Ours
	}
	require.Len(t, rows, 11)
	require.Equal(t, "a100", m.asked[0])
	require.InDelta(t, 2, values["a100, 3/4 of the L2, kept"], 1e-9)
	require.InDelta(t, 80./50, values["a100, 4/4 of the L2, kept"], 1e-9)
	require.InDelta(t, 80./60, values["a100, 4/4 of the L2, half of the L2 kept"], 1e-9)
	require.InDelta(t, 120./100, values["a100, 6/4 of the L2, half of the L2 kept"], 1e-9)
	require.InDelta(t, 120./90, values["least, beyond"], 1e-9)
	require.Equal(t, []float64{1.5, 0.9}, []float64{*rows[9].Paper, *rows[10].Paper})

	rows = rowsMeasured(t, "l2-kept", "rtx4090", m)
	require.Equal(t, "rtx4090, 1/4 of the L2, kept", rows[0].Label)
	require.Nil(t, rows[9].Paper)
	require.Nil(t, rowsMeasured(t, "l2-kept", "", nil)[0].Ours)
}
