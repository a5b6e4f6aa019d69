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

func TestReportAreaSaysHowLargeSMsOfSeveralKindsAre(t *testing.T) {
	got := cotenant(t, "report", "area", "--gpu", "heterocore-12b4s")
	require.Equal(t, 0, got.status, got.stderr)
	_, table, found := strings.Cut(got.stdout, "2224 bytes\n")
	require.True(t, found)
	assert.Equal(t, `
SMs of heterocore-12b4s beside base SMs of 48 warp slots (Zhao et al., HeteroCore, IEEE TPDS 2019, section 6.2 (GPUWattch))

Kind   SMs  Warp slots  Scale  Area of an SM  by
big    12   56          1.17   +1.9 %         the parabola through -3.1 % at 1/2, 0 at 1 and +6.9 % at 3/2
small  4    24          0.5    -3.1 %         the paper
all    16                      +0.6 %         the mean over the SMs

Energy of registers beside base SMs (square root of the size, our choice; no published number)

Kind   Registers  An access  A thread instruction
big    38229      x 1.080    x 1.008
small  16384      x 0.707    x 0.971

The paper prints of 8 big and 8 small SMs: SMs +3.8 %, which is 6.9 - 3.1 and no mean, and chip +1.8 %;
power +4.1 %; energy of an instruction -11.2 % in heterogeneous mixes, "neutral" in homogeneous ones, -7.2 % in all,
so that homogeneous ones have -2.4 %, and 12.2 % more instructions are executed.
`, table)

	got = cotenant(t, "report", "area", "--gpu", "heterocore-8b8s", "--json", "-")
	require.Equal(t, 0, got.status, got.stderr)
	var report areaReport
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &report))
	require.NotNil(t, report.SMArea)
	assert.InDelta(t, 1.9, report.SMArea.Percent, 1e-9)
	assert.Equal(t, 8, report.SMArea.Kinds[0].SMs)
	assert.Equal(t, "Zhao et al., HeteroCore, IEEE TPDS 2019, section 6.2 (GPUWattch)", report.SMAreaSource)
	require.Len(t, report.SMEnergy, 2)
	assert.Equal(t, []any{"big", 49152, "small", 16384}, []any{report.SMEnergy[0].Kind, report.SMEnergy[0].Registers, report.SMEnergy[1].Kind, report.SMEnergy[1].Registers})
	assert.InDelta(t, 1.2247, report.SMEnergy[0].Access, 1e-4)
	assert.InDelta(t, 1.0225, report.SMEnergy[0].Instruction, 1e-4)
	assert.Equal(t, "square root of the size, our choice; no published number", report.SMEnergySource)
}

func TestReportAreaOfEqualSMsHasNothingOfKinds(t *testing.T) {
	got := cotenant(t, "report", "area", "--json", "-")
	require.Equal(t, 0, got.status, got.stderr)
	assert.NotContains(t, got.stdout, "sm_area")
	assert.NotContains(t, got.stdout, "sm_energy")
}
