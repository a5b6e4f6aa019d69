package kernels

import (
	"testing"

	"cotenant/workload/ptx/exec"

	"github.com/stretchr/testify/require"
)

// A kernel that takes a size for a multiple would compute something else.
func TestParametersAreTheMultiplesThatKernelsTakeThemFor(t *testing.T) {
	m, err := Builtin("sad")
	require.NoError(t, err)
	for set, message := range map[string]string{
		"width:48,height:16":  "",
		"width:1.6e1":         "",
		"width:100":           "width is 100; valid: multiples of 16, from 16",
		"width:0":             "width is 0; valid: multiples of 16, from 16",
		"width:16,height:-16": "height is -16; valid: multiples of 16, from 16",
		"height:16.5":         "height is 16.5; valid: multiples of 16, from 16",
	} {
		changed, err := m.Set(set)
		if message != "" {
			require.EqualError(t, err, message)
			continue
		}
		require.NoError(t, err)
		_, err = changed.New("tiny", "", exec.NewMemory())
		require.NoError(t, err)
	}
}

func TestThereIsNothingToSetWithoutParameters(t *testing.T) {
	m, err := Builtin("sad")
	require.NoError(t, err)
	m.Parameters = nil
	_, err = m.Set("width:48")
	require.EqualError(t, err, "the manifest has no parameters; leave it out")
}
