package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReportAreaCountsTheHardwareOfTheCCBPPaper(t *testing.T) {
	got := cotenant(t, "report", "area")
	require.Equal(t, 0, got.status, got.stderr)
	assert.Equal(t, `Issue-rate controllers of ccbp16: N = 8 sub-queues, 16 SMs (Lin et al., CCBP, ACM TACO 2019, section 6.4)

Sub-queues                         3N - 1         23 sets of wires
                                   N - 1          7 multiplexers
Virtual queue partitioning vector  N log2 N       24 bits
Issue rate credit vector           8N             64 bits
RF monitor                         2 x 32 N       512 bits
DF monitor                         2 x 32 N       512 bits
Storage of an SM                   sum            1112 bits
Storage of all SMs                 sum x SMs / 8  2224 bytes
`, got.stdout)
}

func TestReportAreaTakesTheGPUAndTheSubQueues(t *testing.T) {
	got := cotenant(t, "report", "area", "--gpu", "k20c?sms=15", "--sub-queues", "4", "--json", "-")
	require.Equal(t, 0, got.status, got.stderr)
	var report areaReport
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report))
	assert.Equal(t, "k20c?sms=15", report.GPU)
	assert.Equal(t, "Lin et al., CCBP, ACM TACO 2019, section 6.4", report.Source)
	assert.Equal(t, []int{4, 15, 552, 1035}, []int{report.RateControl.SubQueues, report.RateControl.SMs, report.RateControl.SMBits, report.RateControl.Bytes})
	assert.False(t, strings.Contains(got.stdout, "Storage"))

	got = cotenant(t, "report", "area", "--sub-queues", "0")
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "--sub-queues")
}
