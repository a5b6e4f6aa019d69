package metrics

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Each energy and each count is a number of its own, so that one taken for another
// shows.
func TestEnergyIsTheSumOfEventsTimesTheirEnergies(t *testing.T) {
	c := Energies{Instruction: 2, TensorMultiplyAdd: 29, SharedPass: 3, L1Access: 5, L1Sector: 31, L2Byte: 7, Flit: 11, Activate: 13, DRAMByte: 17, SMPower: 19, Static: 23}
	e := Events{Seconds: 2, SMs: 4, Instructions: 1000, TensorMultiplyAdds: 3, SharedPasses: 100, L1Accesses: 10, L1Sectors: 2, L2Bytes: 20, Flits: 30, Activates: 40, DRAMBytes: 50}
	joules := 2000.0 + 87 + 300 + 50 + 62 + 140 + 330 + 520 + 850 + 2*(4*19+23)
	assert.Equal(t, joules, c.Energy(e))
	assert.Equal(t, 1000/(joules/2), c.InstructionsPerWatt(e))
}

// A million of each event, by hand: 60 pJ; 1024 bits of 5.32 and 5.85 pJ; 15.48 pJ a
// bit less 31.25 pJ a byte; 1 nJ; twice 1.38 nJ; 30.55 pJ a bit.
func TestMaxwellHasThePublishedEnergies(t *testing.T) {
	for name, c := range map[string]struct {
		e           Events
		microjoules float64
	}{
		"instructions":  {Events{Instructions: 1e6}, 60},
		"tensor cores":  {Events{TensorMultiplyAdds: 1e6}, 3.27381},
		"shared memory": {Events{SharedPasses: 1e6}, 5447.68},
		"L1":            {Events{L1Accesses: 1e6}, 5990.4},
		"L2":            {Events{L2Bytes: 1e6}, 92.59},
		"flits":         {Events{Flits: 1e6}, 1000},
		"activates":     {Events{Activates: 1e6}, 2760},
		"DRAM":          {Events{DRAMBytes: 1e6}, 244.4},
		"time":          {Events{Seconds: 1e-6, SMs: 16}, 57.74},
		"L2 to L1":      {Events{L2Bytes: 32e6, Flits: 1e6}, 3962.88}, // 256 bits of 15.48 pJ
	} {
		assert.InDelta(t, c.microjoules, 1e6*Maxwell.Energy(c.e), 1e-6, name)
	}
}

func TestEveryEventTakesEnergy(t *testing.T) {
	events := reflect.TypeFor[Events]()
	rapid.Check(t, func(t *rapid.T) {
		var e Events
		for i := range events.NumField() {
			reflect.ValueOf(&e).Elem().Field(i).SetFloat(rapid.Float64Range(1e5, 1e9).Draw(t, events.Field(i).Name))
		}
		e.Seconds, e.SMs = e.Seconds/1e9, e.SMs/1e7 // in a run's range
		all := Maxwell
		all.L1Sector = all.L1Access / 4
		before := all.Energy(e)
		for i := range events.NumField() {
			more := e
			field := reflect.ValueOf(&more).Elem().Field(i)
			field.SetFloat(2 * field.Float())
			require.Greater(t, all.Energy(more), before, events.Field(i).Name)
		}
	})
}

func TestRatiosDoNotDependOnTheScaleOfTheEnergies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) Events {
			var e Events
			v := reflect.ValueOf(&e).Elem()
			for i := range v.NumField() {
				v.Field(i).SetFloat(rapid.Float64Range(1, 1e6).Draw(t, name))
			}
			return e
		}
		a, b, scale := draw("a"), draw("b"), rapid.Float64Range(0.01, 100).Draw(t, "scale")
		scaled := Maxwell
		v := reflect.ValueOf(&scaled).Elem()
		for i := range v.NumField() {
			v.Field(i).SetFloat(scale * v.Field(i).Float())
		}
		was := Maxwell.InstructionsPerWatt(a) / Maxwell.InstructionsPerWatt(b)
		require.InEpsilon(t, was, scaled.InstructionsPerWatt(a)/scaled.InstructionsPerWatt(b), 1e-9)
	})
}

func TestInstructionsPerWattOfNoTimeAreNotDefined(t *testing.T) {
	assert.True(t, math.IsNaN(Maxwell.InstructionsPerWatt(Events{Instructions: 1})))
	assert.Zero(t, Maxwell.InstructionsPerWatt(Events{Seconds: 1}))
}
