package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReportResultsAddsReportsAndWritesTheDocument(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "reasons.yaml"), []byte("[]\n"), 0o600))
	report, document := filepath.Join(folder, "r"), filepath.Join(folder, "d.md")
	got := cotenant(t, "reproduce", "ccbp-table3", "--json", report, "--store", filepath.Join(folder, "s"))
	require.Equal(t, 0, got.status, got.stderr)
	got = cotenant(t, "report", "results", report, "--data", folder, "--commit", "0a1b2c3d", "--date", "2026-11-24", "--out", document)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Contains(t, read(t, document), "`cotenant reproduce ccbp-table3`, commit 0a1b2c3d, 2026-11-24.")
	again := cotenant(t, "report", "results", "--data", folder)
	assert.Equal(t, read(t, document), again.stdout, "from the record alone")

	got = cotenant(t, "report", "results", report, "--data", folder)
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "valid: --date")
	got = cotenant(t, "report", "results", filepath.Join(folder, "reasons.yaml"), "--data", folder, "--date", "2026-11-24")
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr, "it is no report of reproduce --json")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "reasons.yaml"), []byte("[{experiment: x, rows: [y], reason: z}]\n"), 0o600))
	got = cotenant(t, "report", "results", "--data", folder)
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stderr, "no row of [\"y\"] is outside the tolerance")
}
