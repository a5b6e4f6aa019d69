package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment/validation"
)

func TestReportValidationWritesWhatMicrokernelsShow(t *testing.T) {
	document := filepath.Join(t.TempDir(), "v.md")
	const gpu = "gtx980?sms=2&l2.sets=16&sm.pipes.alu.latency=7"
	got := cotenant(t, "report", "validation", "--gpu", gpu, "--json", "-", "--out", document, "--quiet")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Empty(t, got.stderr)
	var report validation.Report
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report))
	require.Len(t, report.GPUs, 1)
	assert.Equal(t, gpu, report.GPUs[0].GPU)
	assert.Equal(t, "int-chain", report.GPUs[0].Figures[0].Figure)
	assert.Equal(t, 7.0, report.GPUs[0].Figures[0].Ours)
	assert.Contains(t, read(t, document), "\n| `int-chain` | 7 | cycles | | | | |\n")
}

// A GPU of a preset's name is compared with what is published of it.
func TestReportValidationFailsForALackingReasonOnceAllIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ccbp16.yaml")
	require.NoError(t, os.WriteFile(path, []byte("extends: ccbp16\nsms: 2\nl2: {sets: 16, hit_latency: 500}\n"), 0o600))
	got := cotenant(t, "report", "validation", "--gpu", path, "--parallel", "1")
	assert.Equal(t, exitFailure, got.status)
	assert.Regexp(t, "\n\\| `l2-chain` \\| [0-9.]+ \\| cycles \\| 200 \\| CCBP paper, Table 1 \\(p\\) \\| \\+[0-9.]+ % \\| \\|\n", got.stdout)
	assert.Regexp(t, "ccbp16: l2-chain is [0-9.]+, \\+[0-9.]+ % beside the 200 of CCBP paper, Table 1, and no reason is given", got.stderr)
}

func TestReportValidationRefusesAGPUTwice(t *testing.T) {
	got := cotenant(t, "report", "validation", "--gpu", "k20c", "--gpu", "k20c")
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "--gpu k20c is given twice; once is enough")
}
