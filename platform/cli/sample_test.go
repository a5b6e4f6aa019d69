package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repeated is a step between two launches of counting that launches 48 times more.
const repeated = "repeat: {times: 48, steps: [launch: {kernel: count, grid: [1], args: [data]}]}"

func TestSampleEstimatesARunAndWritesTheSameBytesAgain(t *testing.T) {
	_, app := counting(t, "", repeated, "expect: {array: data, fill: 114}")
	whole := cotenant(t, "run", "--gpu", "plain16", "--app", app, "--json", "-")
	require.Equal(t, 0, whole.status, whole.stderr)
	var texts []string
	for range 2 {
		got := cotenant(t, "run", "--gpu", "plain16", "--app", app, "--sample", "--json", "-")
		require.Equal(t, 0, got.status, got.stderr)
		assert.Empty(t, got.stderr)
		texts = append(texts, withoutWallTimes(got.stdout))
	}
	assert.Equal(t, texts[0], texts[1])
	var r struct {
		Cycles, Schema  uint64
		SimulatedCycles uint64 `json:"simulated_cycles"`
		Launches        []struct{ Role string }
	}
	require.NoError(t, json.Unmarshal([]byte(texts[0]), &r))
	require.Len(t, r.Launches, 50)
	assert.Equal(t, "representative", r.Launches[0].Role)
	assert.Equal(t, "estimated", r.Launches[49].Role)
	full := result(t, whole.stdout)
	assert.InDelta(t, full.Cycles, r.Cycles, 0.02*float64(full.Cycles))
	assert.Less(t, r.SimulatedCycles, full.Cycles/4)
}

func TestSampleShowsEstimateBoundAndShare(t *testing.T) {
	folder, app := counting(t, "", repeated, "expect: {array: data, fill: 115}")
	got := cotenant(t, "run", "--gpu", "plain16", "--app", app, "--sample")
	assert.Equal(t, 1, got.status, "an expect fails, as in the whole run")
	assert.Equal(t, "cotenant: "+filepath.Join(folder, "count.yaml")+":9: steps[3].expect failed: data[0] is 114, expected 115; 4 of 4 elements differ\n", got.stderr)
	assert.Regexp(t, `^ptx:.*count\.yaml on plain16: about \d+ cycles, error at most [0-9.]+ % \(for 95 %\), IPC [0-9.]+\n10 of 50 launches simulated, 20\.0 % of the warp instructions, in [0-9.]+ s\n`, got.stdout)
	assert.Contains(t, got.stdout, "Sampling bound %")
}

func TestSampleRefusesWhatItDoesNotKnow(t *testing.T) {
	_, app := counting(t, "", "", "")
	for _, c := range []struct {
		args   string
		status int
		fault  string
	}{
		{"--app APP", 2, "--sample estimates an application alone, as launches of 2 applications meet otherwise in a sampled run; valid: one --app"},
		{"--cycles 5k", 2, "--sample estimates a whole run, as launches that are skipped take no part of a window; valid: without --cycles"},
		{"--until replays=2", 2, "--sample estimates one run of the application; valid: --until done"},
		{"--policy even", 2, "--sample estimates an application alone, which policy even has nothing to share with; valid: --policy fcfs"},
		{"--gpu pagefault16 --pages demand", 2, "--sample does not know which pages skipped launches would have moved; valid: --pages resident"},
		{"--isolated 5", 2, "--sample compares with no other run; valid: without --isolated and --isolated-gpu"},
		{"--html run.html", 2, "--sample simulates a part of the run, and --html would show it as the whole; valid: --json, or without --sample"},
		{"", 1, "--sample, APP: 100 % of the instructions would be simulated, as its 2 launches form 2 clusters; valid: an application with launches that repeat, for at most 50 %"},
	} {
		args := append([]string{"run", "--sample", "--app", app}, strings.Fields(strings.ReplaceAll(c.args, "APP", app))...)
		got := cotenant(t, args...)
		assert.Equal(t, c.status, got.status, c.args)
		assert.Equal(t, "cotenant: "+strings.ReplaceAll(c.fault, "APP", app)+"\n", got.stderr, c.args)
		assert.Empty(t, got.stdout, c.args)
	}
	got := cotenant(t, "run", "--sample", "--app", "spmv?size=tiny&qos=0.5")
	assert.Equal(t, 2, got.status)
	assert.Equal(t, "cotenant: --sample keeps no goals; valid: spmv?size=tiny&qos=0.5 without ?qos and ?qos_time\n", got.stderr)
}
