package emulated

import (
	"testing"

	"cotenant/workload"
	"cotenant/workload/kernels"
	"cotenant/workload/ptx/sass"

	"github.com/stretchr/testify/require"
)

func TestApplicationListsItsArraysWhereEveryRunHasThem(t *testing.T) {
	for _, name := range kernels.Names() {
		m, err := kernels.Builtin(name)
		require.NoError(t, err)
		app, err := App(m, "tiny", "", workload.Target{}, sass.Options{})
		require.NoError(t, err)
		for range 2 { // the second run has a memory of its own
			program, err := app.Start()
			require.NoError(t, err)
			live := map[string]workload.Array{}
			for _, a := range program.(workload.Inspectable).Arrays() {
				a.Data = nil
				live[a.Name] = a
			}
			arrays := 0
			for _, a := range app.Arrays {
				if a.Origin == workload.Loaded || a.Origin == workload.Heap {
					continue
				}
				require.Equal(t, live[a.Name], a, name)
				arrays++
			}
			require.Equal(t, len(live), arrays, name)
		}
	}
}

func TestArraysKeepTheirPlaceWhenNamesAreSwapped(t *testing.T) {
	m := user(t, `
name: a
ptx: a.ptx
arrays:
  - {name: from, type: u32, length: 8, fill: 1}
  - {name: to, type: u32, length: 8}
kernels: [{name: k, block: [1]}]
steps:
  - swap: [from, to]
  - launch: {kernel: k, grid: [1]}
`, ".visible .entry k() { ret; }")
	app, err := App(m, "tiny", "", workload.Target{}, sass.Options{})
	require.NoError(t, err)
	require.Equal(t, []workload.Array{
		{Name: "from", Type: "type: u32", Length: 8, Addr: 0x10000000, Bytes: 32, Origin: workload.Uploaded},
		{Name: "to", Type: "type: u32", Length: 8, Addr: 0x10000200, Bytes: 32, Origin: workload.Untouched},
	}, app.Arrays)
	program, err := app.Start()
	require.NoError(t, err)
	live := program.(workload.Inspectable).Arrays()
	require.Equal(t, []string{"from", "to"}, []string{live[0].Name, live[1].Name})
	require.Equal(t, workload.Untouched, live[0].Origin, "it is the other array")
	require.Equal(t, uint64(0x10000200), live[0].Addr)
}
