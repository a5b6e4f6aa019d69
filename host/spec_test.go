package host

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimesOfTheCPUAreChecked(t *testing.T) {
	for cpu, factor := range map[string]float64{"": 0, "measured": 1, "measured*0.5": 0.5, "measured*20": 20} {
		s := plain
		s.CPU = cpu
		require.NoError(t, s.Validate())
		require.Equal(t, factor, s.CPUFactor())
	}
	for _, cpu := range []string{"2", "*2", "none", "measured2", "measured*", "measured*0", "measured*-1", "measured*NaN", "measured*1e9"} {
		s := plain
		s.CPU = cpu
		require.ErrorContains(t, s.Validate(), "must be measured, measured*FACTOR with a factor above 0 and up to 1000, or empty", cpu)
	}
	s := plain
	s.CallUS = 2.5
	require.NoError(t, s.Validate())
	s.Ideal = true
	require.ErrorContains(t, s.Validate(), "must be without ideal: true")
	s.Ideal, s.CallUS = false, 1001
	require.EqualError(t, s.Validate(), "call_us is 1001, must be 0 to 1000")
}
