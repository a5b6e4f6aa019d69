package kernels

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

func TestQueensAreAllWaysToFillTheRows(t *testing.T) {
	for _, c := range []struct {
		parameters string
		want       int
	}{
		{"width: 5, rows: 5", 10}, {"width: 6, rows: 6", 4}, {"width: 4, rows: 1", 4}, {"width: 4, rows: 2", 6}, {"width: 3, rows: 3", 0},
	} {
		i := generated(t, "queens: {"+c.parameters+"}")
		assert.Equal(t, c.want, parameter(i, "it.count"), c.parameters)
		assert.Len(t, ints(i, "it.columns"), c.want)
	}
	// Of a board of 4, with queens on columns 0 and 2 from the right.
	i := generated(t, "queens: {width: 4, rows: 2}")
	assert.Equal(t, []int{0b0101, 0b0010, 0b1100}, []int{ints(i, "it.columns")[0], ints(i, "it.from_right")[0], ints(i, "it.from_left")[0]})
	for _, columns := range words(i, "it.columns") {
		assert.Equal(t, 2, bits.OnesCount32(columns))
	}
}

func TestQueensNeedRowsOfTheBoard(t *testing.T) {
	for set, want := range map[string]string{
		"width:8,filled:7": `queens.rows "filled" is 7; valid: whole numbers from 1 to 6`,
		"width:3,filled:4": `queens.rows "filled" is 4; valid: whole numbers from 1 to 3`,
		"width:25":         `queens.width "width" is 25; valid: whole numbers from 1 to 24`,
	} {
		m, err := builtinManifest(t, "nqueens").Set(set)
		require.NoError(t, err)
		_, err = m.New("tiny", "", exec.NewMemory())
		assert.ErrorContains(t, err, want)
	}
}
