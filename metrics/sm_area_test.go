package metrics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// HeteroCore 6.2, and the parabola's values for 4B12S and 12B4S (6.5), by hand: 15 + 7.6 x
// 2.25 and 10/6 + 7.6/36.
func TestSMAreaGoesThroughThePapersPoints(t *testing.T) {
	for scale, percent := range map[float64]float64{0.5: -3.1, 1: 0, 1.5: 6.9, 2.5: 32.1, 7.0 / 6: 1.877778} {
		assert.InDelta(t, percent, SMAreaPercent(scale), 1e-6)
	}
	assert.InDelta(t, HeteroCorePrinted.SMs, HeteroCorePrinted.BigSM+HeteroCorePrinted.SmallSM, 1e-9, "the paper's sum is of one SM of each kind")
}

func TestSMAreaOfAGPUIsTheMeanOverItsSMs(t *testing.T) {
	for _, c := range []struct {
		bigs, slots int
		big, gpu    float64
		printed     bool
	}{{8, 72, 6.9, 1.9, true}, {4, 120, 32.1, 5.7, false}, {12, 56, 1.877778, 0.633333, false}} {
		got, err := SMAreaOf(48, []SMAreaOfKind{{Kind: "big", SMs: c.bigs, WarpSlots: c.slots}, {Kind: "small", SMs: 16 - c.bigs, WarpSlots: 24}})
		require.NoError(t, err)
		require.Len(t, got.Kinds, 2)
		assert.Equal(t, 48, got.BaseWarpSlots)
		big, small := got.Kinds[0], got.Kinds[1]
		assert.InDelta(t, c.big, big.Percent, 1e-6)
		assert.InDelta(t, float64(c.slots)/48, big.Scale, 1e-9)
		assert.InDelta(t, -3.1, small.Percent, 1e-9)
		assert.InDelta(t, c.gpu, got.Percent, 1e-6)
		assert.Equal(t, []any{"big", c.bigs, c.slots, c.printed}, []any{big.Kind, big.SMs, big.WarpSlots, big.Printed})
		assert.Equal(t, []any{"small", 16 - c.bigs, 24, true}, []any{small.Kind, small.SMs, small.WarpSlots, small.Printed})
	}
}

func TestSMAreaRefusesWhatIsNotThere(t *testing.T) {
	_, err := SMAreaOf(0, nil)
	assert.EqualError(t, err, "warp slots of a baseline SM are 0: must be at least 1")
	_, err = SMAreaOf(48, nil)
	assert.EqualError(t, err, "no kind of SM is given: at least one must be")
	_, err = SMAreaOf(48, []SMAreaOfKind{{Kind: "big", SMs: 0, WarpSlots: 72}})
	assert.EqualError(t, err, "kind big has 0 SMs of 72 warp slots: both must be at least 1")
	_, err = SMAreaOf(48, []SMAreaOfKind{{Kind: "big", SMs: 1}})
	assert.EqualError(t, err, "kind big has 1 SMs of 0 warp slots: both must be at least 1")
}

// HeteroCore 6.2: 2.4 % less for homogeneous mixes, and 1.041 / 0.928.
func TestPrintedEnergiesImplyOthers(t *testing.T) {
	p := HeteroCorePrinted
	assert.InDelta(t, -2.4, EPIOfOthers(p.EPI, p.EPIMixed, 66, 36), 1e-9)
	assert.InDelta(t, 12.176724, MoreInstructions(p.Power, p.EPI), 1e-6)
}

func TestLargerSMsTakeMoreIdlePowerAndNothingElse(t *testing.T) {
	larger := Maxwell.WithSMArea(1.9)
	assert.InDelta(t, 1.59*1.019, larger.SMPower, 1e-12)
	larger.SMPower = Maxwell.SMPower
	assert.Equal(t, Maxwell, larger)
}

// With any energies, more instructions in the same time take less energy each, as they share
// static power.
func TestEnergyPerInstructionFallsWhenMoreIsDoneInTheSameTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Float64Range(0.01, 100)
		draw := func(name string) float64 { return number.Draw(t, name) }
		c := Energies{draw("instruction"), draw("product"), draw("shared"), draw("l1"), draw("sector"), draw("l2"), draw("flit"), draw("activate"), draw("dram"), draw("sm"), draw("static"), 0}
		e := Events{draw("seconds"), draw("sms"), draw("instructions"), draw("products"), draw("passes"), draw("accesses"), draw("sectors"), draw("bytes"), draw("flits"), draw("rows"), draw("data")}
		more := rapid.Float64Range(1.01, 3).Draw(t, "more")
		better := Events{e.Seconds, e.SMs, more * e.Instructions, more * e.TensorMultiplyAdds, more * e.SharedPasses, more * e.L1Accesses, more * e.L1Sectors, more * e.L2Bytes, more * e.Flits, more * e.Activates, more * e.DRAMBytes}
		require.Less(t, c.EnergyPerInstruction(better), c.EnergyPerInstruction(e))
		larger := c.WithSMArea(1)
		require.Greater(t, larger.EnergyPerInstruction(e), c.EnergyPerInstruction(e))
	})
	assert.True(t, math.IsNaN(Maxwell.EnergyPerInstruction(Events{Seconds: 1})))
}
