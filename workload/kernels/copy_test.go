package kernels

import (
	"testing"

	"github.com/stretchr/testify/require"

	"cotenant/workload/ptx/exec"
)

func TestCopyTakesElementsByStartStrideAndCount(t *testing.T) {
	for step, want := range map[string][]byte{
		"":                                {1, 2, 3, 4, 5, 6},
		", count: 3":                      {1, 2, 3, 0, 0, 0},
		", from_start: 2":                 nil, // from has no element 6
		", from_start: 2, count: 4":       {3, 4, 5, 6, 0, 0},
		", to_start: 3, count: 2":         {0, 0, 0, 1, 2, 0},
		", from_stride: 0":                {1, 1, 1, 1, 1, 1},
		", from_stride: 2, count: 3":      {1, 3, 5, 0, 0, 0},
		", to_stride: 2, count: 3":        {1, 0, 2, 0, 3, 0},
		", to_stride: 0, from_start: 0":   {6, 0, 0, 0, 0, 0},
		", count: 0":                      {0, 0, 0, 0, 0, 0},
		", from_start: 5, count: 1":       {6, 0, 0, 0, 0, 0},
		", from_stride: 0, to_stride: 0":  {1, 0, 0, 0, 0, 0},
		", from_stride: 0, from_start: 2": {3, 3, 3, 3, 3, 3},
	} {
		m := userManifest(t, `
name: a
ptx: a.ptx
arrays:
  - {name: from, type: u8, length: 6, formula: i + 1}
  - {name: to, type: u8, length: 6}
kernels: [{name: k, block: [1]}]
steps: [{copy: {from: from, to: to`+step+`}}, {launch: {kernel: k, grid: [1]}}]
`, ".visible .entry k() { ret; }")
		i, err := m.New("tiny", "", exec.NewMemory())
		require.NoError(t, err)
		_, _, err = i.Next()
		if want == nil {
			require.ErrorContains(t, err, "reads element 7 of from, which has 6", step)
			continue
		}
		require.NoError(t, err, step)
		require.Equal(t, want, i.arrays["to"].Bytes, step)
	}
}
