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
	const gpu = "gtx980?sm.pipes.alu.latency=7"
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
func TestReportValidationFailsForAReasonThatIsNotNeededOnceAllIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gtx980.yaml")
	require.NoError(t, os.WriteFile(path, []byte("extends: gtx980\nsm: {pipes: {alu: {latency: 6}}, l1: {hit_latency: 90}}\n"), 0o600))
	got := cotenant(t, "report", "validation", "--gpu", path, "--parallel", "1")
	assert.Equal(t, exitFailure, got.status)
	assert.Contains(t, got.stdout, "\n| `l1-chain` | 90 | cycles | 82 | Jia et al., arXiv 1804.06826, M60 (m) | +9.8 % | |\n")
	assert.Contains(t, got.stderr, "gtx980: fp32-chain is 6, within 5 % of the 6 of Volkov, PhD thesis, Berkeley 2016, and needs no reason; ")
	assert.Contains(t, got.stderr, "gtx980: l1-chain is 90, +9.8 % beside the 82 of Jia et al., arXiv 1804.06826, M60, and no reason is given")
}

func TestReportValidationRefusesAGPUTwice(t *testing.T) {
	got := cotenant(t, "report", "validation", "--gpu", "k20c", "--gpu", "k20c")
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "--gpu k20c is given twice; once is enough")
}
