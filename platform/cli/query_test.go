package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQueryReadsStoresAndResults(t *testing.T) {
	t.Setenv(asProgram, "1")
	folder := t.TempDir()
	gpu, _, app := conventional(t)
	store, result, matrix, table := filepath.Join(folder, "s.sqlite"), filepath.Join(folder, "r.json"), filepath.Join(folder, "m.yaml"), filepath.Join(folder, "t.csv")
	require.NoError(t, os.WriteFile(matrix, []byte("gpus: ["+gpu+"]\npolicies: [even, spart]\nmixes: [{apps: ["+app+", 'profile:lbm']}]\ncycles: [3k]\n"), 0o600))
	got := cotenant(t, "sweep", matrix, "--store", store, "--csv", table, "--csv-columns", "ipc,stats.sm.no_such_*,total.stp", "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stderr, "--csv-columns: no row has a field stats.sm.no_such_*")
	lines := strings.Split(read(t, table), "\n")
	assert.Equal(t, "run,policy,gpu,tenant,app,ipc,stats.sm.no_such_*,total.stp", lines[0])
	require.Len(t, lines, 6, "two runs of two tenants")
	got = cotenant(t, "query", store, "--where", "policy=even", "--where", "tenant=1", "--columns", "app,ipc,,total.stp", "--csv", "-")
	require.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "--columns")
	got = cotenant(t, "query", store, "--where", "policy=even", "--where", "tenant=1", "--columns", "run_is_no_field,ipc")
	require.Equal(t, 2, got.status)
	got = cotenant(t, "query", store, "--where", "policy=even", "--where", "tenant=1", "--columns", "app,ipc,total.stp", "--csv", "-")
	require.Equal(t, 0, got.status, got.stderr)
	even := strings.Split(lines[2], ",") // the sweep's first run is the first policy's
	assert.Equal(t, "app,ipc,total.stp\n"+strings.Join([]string{even[4], even[5], even[7]}, ",")+"\n", got.stdout)
	require.Equal(t, 0, cotenant(t, "run", "--gpu", gpu, "--app", app, "--cycles", "3k", "--json", result, "--quiet").status)
	got = cotenant(t, "query", store, result, "--rows", "run")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, got.stderr, "5 rows", "two runs, two applications alone, and a result")
	assert.Contains(t, got.stdout, "source")
	// The rows of a store come in the order of what they ran, whatever their keys.
	got = cotenant(t, "query", store, "--rows", "run", "--columns", "mix,policy", "--csv", "-")
	require.Equal(t, 0, got.status, got.stderr)
	lbm := "profile:lbm"
	assert.Equal(t, strings.Join([]string{"mix,policy", app + ",fcfs", lbm + ",fcfs", app + " + " + lbm + ",even", app + " + " + lbm + ",spart", ""}, "\n"), got.stdout)
	printed := got.stdout
	sheet := filepath.Join(folder, "rows.csv")
	got = cotenant(t, "query", store, "--rows", "run", "--columns", "mix,policy", "--csv", sheet)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Empty(t, got.stdout, "the rows are in the file")
	assert.Equal(t, printed, read(t, sheet))
	got = cotenant(t, "query", result, "--names")
	assert.Contains(t, got.stdout, "\nstats.sm.l1_hits\n")
	got = cotenant(t, "query", matrix)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "m.yaml: not the result of a run")
	got = cotenant(t, "run", "--app", app, "--csv-columns", "ipc")
	assert.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, "--csv-columns is for --csv; valid: both")
}
