package page

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/experiment/compare"
)

// runWith is a run of one tenant, isolated IPC 2, with progress.
func runWith(name string, h *experiment.OverTime) *compare.Run {
	return &compare.Run{Name: name, Result: &experiment.Result{Cycles: 400, OverTime: h,
		Kernels: []experiment.KernelResult{{Name: "a", App: "a", Cycles: 400, IsolatedIPC: 2}}}}
}

func TestProgressOfRunsIsDrawnOverOneAnother(t *testing.T) {
	c := &compare.Comparison{Runs: []*compare.Run{
		runWith("one", &experiment.OverTime{Cycles: []uint64{0, 200, 400}, ThreadInstructions: [][]uint64{{0, 400, 500}}}),
		runWith("without", nil),
		runWith("two", &experiment.OverTime{Cycles: []uint64{0, 100, 400}, ThreadInstructions: [][]uint64{{0, 100, 400}}}),
	}}
	list := progressOverTime(c)
	require.Len(t, list, 1)
	require.Equal(t, "Progress of a", list[0].Title)
	text, err := json.Marshal(list[0].Option)
	require.NoError(t, err)
	var option struct {
		XAxis  []struct{ Data []string }
		Series []struct {
			Name string
			Data []struct{ Value any }
		}
	}
	require.NoError(t, json.Unmarshal(text, &option))
	require.Equal(t, []string{"0", "100", "200", "400"}, option.XAxis[0].Data)
	values := map[string][]any{}
	for _, s := range option.Series {
		for _, d := range s.Data {
			values[s.Name] = append(values[s.Name], d.Value)
		}
	}
	require.Equal(t, map[string][]any{"one": {1.0, "-", 1.0, 0.25}, "two": {0.5, 0.5, "-", 0.5}}, values)
}

func TestProgressThatIsNotOfTheTenantsIsLeftOut(t *testing.T) {
	for name, h := range map[string]*experiment.OverTime{
		"no tenant":     {Cycles: []uint64{0, 400}},
		"too few":       {Cycles: []uint64{0, 400}, ThreadInstructions: [][]uint64{{1}}},
		"one moment":    {Cycles: []uint64{0}, ThreadInstructions: [][]uint64{{0}}},
		"not in order":  {Cycles: []uint64{400, 0}, ThreadInstructions: [][]uint64{{0, 1}}},
		"other tenants": {Cycles: []uint64{0, 400}, ThreadInstructions: [][]uint64{{0, 1}, {0, 1}}},
	} {
		require.Empty(t, progressOverTime(&compare.Comparison{Runs: []*compare.Run{runWith(name, h)}}), name)
	}
}
