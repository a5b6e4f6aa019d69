package emulated

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/workload"
	"cotenant/workload/functional"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"
)

// execute runs an application once without timing, one thread block after the
// other, and lists its operations.
func execute(t *testing.T, app *workload.App, o functional.Observer) (list []workload.Op) {
	t.Helper()
	host, err := app.Start()
	require.NoError(t, err)
	for {
		op, ok, err := host.Next()
		require.NoError(t, err)
		if !ok {
			return list
		}
		if op.Kernel != nil {
			require.NoError(t, functional.Run(t.Context(), op.Kernel, 1, o))
			op.Kernel = &workload.Kernel{Name: op.Kernel.Name, Grid: op.Kernel.Grid, RegistersPerTB: op.Kernel.RegistersPerTB}
		}
		list = append(list, op)
	}
}

// The run that App began, to know the first kernel, is the first run; what it
// saw on the way is not left out, and the next run has a memory of its own.
func TestEveryRunHasTheSameOperations(t *testing.T) {
	m, err := kernels.Builtin("cutcp")
	require.NoError(t, err)
	app, err := App(m, "tiny", "", workload.Target{}, sass.Options{})
	require.NoError(t, err)
	first, second := execute(t, app, functional.Observer{}), execute(t, app, functional.Observer{})
	assert.Equal(t, first, second)
	require.NotEmpty(t, first)
	assert.NotZero(t, first[0].Bytes, "copies come before the first launch")
	require.Len(t, app.Kernels(), 1)
	assert.Nil(t, app.Kernels()[0].Source, "nothing holds the memory")
}

// What a program does before its first launch is kept, for the first run.
func TestOperationsBeforeTheFirstLaunchAreBounded(t *testing.T) {
	const text = ".entry k() { ret; }"
	for times, want := range map[string]string{"50000": "", "50001": "steps makes more than 100000 copies and CPU phases before its first launch; make it fewer"} {
		m := user(t, `name: a
ptx: a.ptx
kernels: [{name: k, block: [32]}]
steps:
  - repeat: {times: `+times+`, steps: [{cpu: 1ns}, {cpu: 1ns}]}
  - launch: {kernel: k, grid: [1]}
`, text)
		_, err := App(m, "tiny", "", workload.Target{}, sass.Options{})
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "a.yaml:5: "+want)
		}
	}
}
