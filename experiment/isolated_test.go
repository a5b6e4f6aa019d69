package experiment

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestIsolatedFiguresReadBackAsTheyAreWritten(t *testing.T) {
	for _, want := range []Isolated{{}, {IPC: 1.5}, {IPC: 1.0 / 3, Turnaround: 2e9 / 7}, {IPC: 9, WIPC: 1.0 / 7}, {IPC: 9, Turnaround: 3, WIPC: 0.5},
		{IPC: 9, Instructions: 1}, {IPC: 9, Turnaround: 3, Instructions: math.MaxUint64}, {IPC: 1e30, Turnaround: 3, WIPC: 0.5, Instructions: 1<<53 + 1}} {
		got, err := ParseIsolated(want.String())
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestWhoHasIssuedNothingAloneIsMeasuredAgain(t *testing.T) {
	got, err := ParseIsolated(Isolated{Instructions: 5}.String())
	require.NoError(t, err)
	require.Equal(t, Isolated{}, got)
}

func TestInstructionsOfARunAreAWholeNumberAboveZero(t *testing.T) {
	for _, text := range []string{"0", "", "-1", "1.5", "1e9", "2k", "18446744073709551616", "3:4", "3@4"} {
		_, err := ParseIsolated("2@3:1#" + text)
		require.EqualError(t, err, `"`+text+`" is not the thread instructions of one run; valid: a whole number above 0`)
	}
	_, err := ParseIsolated("0#5")
	require.ErrorContains(t, err, `"0" is not an isolated IPC`)
}

func TestIsolatedFiguresAreNormalNumbersAboveZero(t *testing.T) {
	for _, text := range []string{"1e-320", "1e-400", "1e400", "-1", "nan", "inf", "x", "", "0.0"} {
		_, err := ParseIsolated(text)
		require.ErrorContains(t, err, `"`+text+`" is not an isolated IPC; valid: a number above 0, as small as 2.2e-308, or 0 to measure it`)
		_, err = ParseIsolated("2@" + text)
		require.ErrorContains(t, err, `"`+text+`" is not an isolated turnaround time; valid: `)
		_, err = ParseIsolated("2@3:" + text)
		require.ErrorContains(t, err, `"`+text+`" is not an isolated WIPC; valid: `)
	}
	_, err := ParseIsolated("2@0")
	require.Error(t, err)
	_, err = ParseIsolated("0@5")
	require.ErrorContains(t, err, `"0" is not an isolated IPC`, "to measure it is to measure both")
}
