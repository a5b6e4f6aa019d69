package page

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/observe/browsertest"
	"cotenant/observe/look"
)

// promise gives a tenant of a report a goal: IPC is that of its counters.
func promise(r *Report, tenant int, goal float64, reached bool) {
	k := &r.Result.Kernels[tenant]
	k.GoalIPC, k.IPCOverGoal, k.GoalReached = experiment.Figure(goal), experiment.Figure(k.IPC/goal), &reached
}

// points are a series' values, -1 where it has none.
func points(t *testing.T, o option, series int) (list []float64) {
	for _, d := range o.Option.Series[series].Data {
		v := -1.0
		if string(d.Value) != `"-"` {
			require.NoError(t, json.Unmarshal(d.Value, &v))
		}
		list = append(list, v)
	}
	return list
}

// The tenant with the goal has 50 a cycle in the first half of the run and 100 in the
// second: 75 in all, of 80 that it was promised.
func TestIPCOverGoalIsWhatTheTenantHasHadSoFar(t *testing.T) {
	r := report(t, 3)
	for i := range r.Samples {
		if c := r.Samples[i].Cycle; c > 1600 {
			r.Samples[i].Tenants[1].ThreadInstructions = 50*1600 + 100*(c-1600)
		}
	}
	r.Result.Kernels[1].IPC = 75
	promise(r, 1, 80, false)
	text := written(t, r)
	charts := options(t, text)
	assert.Len(t, charts, 9)
	goals := charts["goals"]
	require.Len(t, goals.Option.Series, 1, "tenants without a goal have no line")
	assert.Equal(t, hostile, goals.Option.Series[0].Name)
	got := points(t, goals, 0)
	assert.Equal(t, []float64{0.625, 0.625, 0.625}, []float64{got[0], got[1], got[10]})
	assert.InDelta(t, 100*1.0/3+50*2.0/3, got[15]*80, 0.01, "at cycle 2400")
	assert.Equal(t, 0.9375, got[20], "its IPC over its goal")
	assert.Equal(t, 1.0, goals.Option.YAxis[0].Max, "the line at 1 is in the picture")
	assert.Contains(t, text, "<th>goal, IPC</th><th>IPC over goal</th><th>goal</th>")
	assert.Contains(t, text, "<td>80</td><td>0.9375</td><td>missed by 6.2 %</td>")
	assert.Equal(t, 2, strings.Count(text, "<td>–</td><td>–</td><td>–</td>"), "the others")

	promise(r, 1, 60, true)
	text = written(t, r)
	assert.Nil(t, options(t, text)["goals"].Option.YAxis[0].Max)
	assert.Contains(t, text, "<td>60</td><td>1.25</td><td>reached</td>")
}

func TestIPCOverGoalBeginsWithTheTenant(t *testing.T) {
	r := report(t, 2)
	r.Result.Kernels[0].ArrivalCycle, r.Result.Kernels[0].Cycles = 500, 1000
	for i := range r.Samples {
		r.Samples[i].Tenants[0].ThreadInstructions = 50 * min(max(r.Samples[i].Cycle, 500)-500, 1000)
	}
	promise(r, 0, 100, false)
	got := points(t, options(t, written(t, r))["goals"], 0)
	assert.Equal(t, []float64{-1, -1, -1, -1}, got[:4])
	for _, v := range got[4:11] {
		assert.Equal(t, 0.5, v)
	}
	assert.Equal(t, -1.0, got[11])
}

func TestPageWithoutGoalsSaysNothingOfThem(t *testing.T) {
	text := written(t, report(t, 2))
	assert.NotContains(t, options(t, text), "goals")
	assert.NotContains(t, text, "goal, IPC")
}

func TestBrowserDrawsGoals(t *testing.T) {
	r := report(t, 3)
	promise(r, 1, 80, false)
	promise(r, 2, 60, false)
	p := browsertest.Render(t, written(t, r), 1280, "")
	assert.Empty(t, p.Wrong)
	require.Len(t, p.Charts, 9)
	colours := p.Charts["goals"].Colours
	assert.Greater(t, colours["#8a93a3"], 200, "the line at 1")
	assert.Greater(t, colours[look.Colour(1)], 500)
	assert.Greater(t, colours[look.Colour(2)], 500)
	assert.Zero(t, colours[look.Colour(0)])
}
