package kernels

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/ptx/exec"
)

// Work is added to what the kernels do, in eights, and changes no result.
func TestWorkOnlyTakesInstructions(t *testing.T) {
	for _, name := range Names() {
		m := builtinManifest(t, name)
		if !slices.ContainsFunc(m.Parameters, func(p Parameter) bool { return p.Name == "work" }) {
			continue
		}
		var instructions []int
		var results [][]workload.Array
		for _, set := range []string{"work:0", "work:8", "work:16"} {
			worked, err := m.Set(set)
			require.NoError(t, err)
			i, err := worked.New("tiny", "", exec.NewMemory())
			require.NoError(t, err)
			instructions = append(instructions, finish(t, i))
			results = append(results, i.Arrays())
		}
		assert.Equal(t, results[0], results[1], name)
		assert.Equal(t, results[0], results[2], name)
		first, second := instructions[1]-instructions[0], instructions[2]-instructions[1]
		assert.Positive(t, second, name)
		assert.Zero(t, second%8, name)
		assert.GreaterOrEqual(t, first, second, name)
	}
}
