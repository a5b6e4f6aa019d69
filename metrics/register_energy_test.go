package metrics

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// By hand: three accesses of 2 pJ out of the 60 pJ of a thread instruction grow or shrink. The
// register counts are from HeteroCore's Table 1 and section 6.5, over 32,768.
func TestLargerRegisterFilesTakeMoreForEachAccess(t *testing.T) {
	for registers, want := range map[int][2]float64{
		32_768: {1, 1}, 16_384: {0.707107, 0.970711}, 49_152: {1.224745, 1.022474}, 81_920: {1.581139, 1.058114}, 38_229: {1.080119, 1.008012},
		4 * 32_768: {2, 1.1},
	} {
		got, err := SMEnergyOf(32_768, []SMEnergyOfKind{{Kind: "k", Registers: registers}})
		require.NoError(t, err)
		require.Len(t, got, 1)
		assert.InDelta(t, want[0], got[0].Access, 1e-6, "%d", registers)
		assert.InDelta(t, want[1], got[0].Instruction, 1e-6, "%d", registers)
		assert.Equal(t, []any{"k", registers}, []any{got[0].Kind, got[0].Registers})
	}
}

func TestRegistersChangeInstructionsAndNothingElse(t *testing.T) {
	c := Maxwell.WithRegisters(2)
	assert.InDelta(t, 66e-12, c.Instruction, 1e-18)
	c.Instruction = Maxwell.Instruction
	assert.Equal(t, Maxwell, c)
}

func TestRegisterEnergyRefusesWhatIsNotThere(t *testing.T) {
	_, err := SMEnergyOf(0, nil)
	assert.EqualError(t, err, "registers of a baseline SM are 0: must be at least 1")
	_, err = SMEnergyOf(1, []SMEnergyOfKind{{Kind: "big"}})
	assert.EqualError(t, err, "kind big has 0 registers: must be at least 1")
}
