package reproduce

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
)

// In a millisecond a thousand million thread instructions take 60 mJ on fermi16, and
// 57.74 mJ are static. On 8B8S three of four warp instructions are of a big SM, so that
// an access to a register takes (3 sqrt(1.5) + sqrt(0.5)) / 4 = 1.0953354 times as much
// and an instruction 60.572012 pJ; SMs' idle power is 1.9 % more, 58.22336 mJ in all.
func TestEnergyGoesByWhereInstructionsIssue(t *testing.T) {
	e, err := Find("heterocore-energy")
	require.NoError(t, err)
	story := func(r experiment.Spec) *experiment.Result {
		result := counted(1e9, 0)
		if r.GPU != "fermi16" {
			if strings.HasPrefix(r.Apps[0], "lavamd") {
				result.Stats["sm"].Total[0].Value = 2e9
			}
			result.SMs[0].WarpInstructions, result.SMs[8].WarpInstructions = 3, 1
		}
		result.Cycles = 700_000
		return result
	}
	d := dataOf(e, Quick, story)
	rows, err := e.Rows(d)
	require.NoError(t, err)
	on := evaluationOf(t, "heterocore-energy", d)
	better := func(metric string, m mix) float64 {
		return on.value(&cell{entry: &rowsOf{Base: "even", Change: "mixes"}, metric: measures[metric], way: wayIn(t, "heterocore-energy", "dynamic"), mixes: []mix{m}})
	}
	seen := 0
	for first, want := range map[string][2]float64{
		"FDTD3D": {100 * (118.795372/117.74 - 1), 100 * (118.795372/117.74 - 1)},
		"LAVAMD": {100 * (179.367385/2/117.74 - 1), 100 * (179.367385/117.74 - 1)},
	} {
		for _, m := range figureOf(t, "heterocore-energy").group(Quick, "ALL").mixes {
			if m.apps[0] == first {
				seen++
				assert.InDelta(t, want[0], better("energy of an instruction", m), 1e-5, title(m.apps))
				assert.InDelta(t, want[1], better("power", m), 1e-5, title(m.apps))
			}
		}
	}
	assert.Equal(t, 4, seen)
	assert.Equal(t, -11.2, *find(t, rows, "energy of an instruction, heterogeneous, dynamic").Paper)
	assert.Equal(t, 4.1, *find(t, rows, "power, ALL, dynamic").Paper)
	for _, label := range []string{"heterogeneous", "homogeneous", "ALL"} {
		assert.NotNil(t, find(t, rows, "energy of an instruction, "+label+", dynamic").Ours)
	}

	// Without instructions, or without a counter, nothing is defined.
	gpu, err := d.GPU(hetero8b8s)
	require.NoError(t, err)
	for _, r := range []*experiment.Result{counted(0, 0), {}} {
		c, err := r.Energies(gpu)
		require.NoError(t, err)
		assert.True(t, math.IsNaN(c.Instruction))
	}
}
