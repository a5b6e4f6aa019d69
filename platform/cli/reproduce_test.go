package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/reproduce"
)

func TestReproduceRunsWhatItTakesAndComparesWithThePaper(t *testing.T) {
	t.Setenv(asProgram, "1")
	quick := reproduce.Quick
	defer func() { reproduce.Quick = quick }()
	reproduce.Quick = reproduce.Scale{Quick: true, Cycles: 500, Size: "tiny"}
	path := filepath.Join(t.TempDir(), "s.sqlite")

	got := cotenant(t, "reproduce", "smk-table2", "--quick", "--store", path, "--json", "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	var report reproduce.Report
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report))
	assert.Equal(t, []any{"smk-table2", true, uint64(500), "tiny", 6, 1, 6}, []any{report.Name, report.Quick, report.Cycles, report.Size, report.Mixes, report.Policies, report.Simulations})
	assert.Len(t, report.Rows, 24)
	for _, row := range report.Rows {
		require.NotNil(t, row.Ours, row.Label)
		if strings.HasSuffix(row.Label, "stall cycles") {
			assert.True(t, *row.Ours > 0 && *row.Ours < 100, "%s: %v", row.Label, *row.Ours)
		}
	}

	again := cotenant(t, "reproduce", "smk-table2", "--quick", "--store", path)
	require.Equal(t, 0, again.status, again.stderr)
	assert.Equal(t, "6 of 6 runs\n", again.stderr, "all are stored")
	assert.Contains(t, again.stdout, "│ mysgemmNT, registers            │ %    │  94.500 │  94.531 │     +0.031 │ printed          │")
}

func TestReproduceThatLacksAPolicyFailsInOneLine(t *testing.T) {
	var missing *reproduce.Experiment
	for _, e := range reproduce.All() {
		if e.Check(reproduce.Quick) != nil {
			missing = e
		}
	}
	if missing == nil {
		t.Skip("this build has all that the experiments take")
	}
	path := filepath.Join(t.TempDir(), "s.sqlite")
	got := cotenant(t, "reproduce", missing.Name, "--quick", "--store", path)
	assert.Equal(t, 1, got.status)
	assert.Regexp(t, "^cotenant: "+missing.Name+" takes what this build does not have: .*\n$", got.stderr)
	assert.NoFileExists(t, path)
}

func TestExperimentsAreListedWithTheirSource(t *testing.T) {
	got := cotenant(t, "reproduce", "--list")
	require.Equal(t, 0, got.status, got.stderr)
	for _, e := range reproduce.All() {
		assert.Contains(t, got.stdout, e.Name+" ")
		assert.Contains(t, got.stdout, "("+e.Source+")")
	}
	for args, message := range map[string]string{
		"reproduce":                   "reproduce takes one experiment or --list, got 0 experiments; valid: reproduce NAME, reproduce --list",
		"reproduce a b":               "reproduce takes one experiment or --list, got 2 experiments",
		"reproduce smk-table2 --list": "reproduce takes one experiment or --list, got 1 experiment",
		"reproduce smk-fig99":         `unknown experiment "smk-fig99"; valid: smk-fig10, `,
	} {
		got := cotenant(t, strings.Fields(args)...)
		assert.Equal(t, 2, got.status, args)
		assert.True(t, strings.HasPrefix(got.stderr, "cotenant: "+message), got.stderr)
	}
}
