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
		"width:48,height:16": "",
		"width:100":          "manifests/sad.yaml:9: parameters[0] (width) is 100; valid: multiples of 16, from 16",
		"width:0":            "manifests/sad.yaml:9: parameters[0] (width) is 0; valid: multiples of 16, from 16",
		"height:-16":         "manifests/sad.yaml:10: parameters[1] (height) is -16; valid: multiples of 16, from 16",
		"height:16.5":        "manifests/sad.yaml:10: parameters[1] (height) is 16.5; valid: multiples of 16, from 16",
	} {
		changed, err := m.Set(set)
		require.NoError(t, err)
		if _, err = changed.New("tiny", "", exec.NewMemory()); message == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, message)
		}
	}
}
