package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
)

// Recordings in one folder must not be taken for recordings of another ISA.
func TestGPUDecidesIfKernelsAreLowered(t *testing.T) {
	cache := t.TempDir()
	kernel := func(gpu, app string) (experiment.KernelResult, string) {
		got := cotenant(t, "run", "--cache", cache, "--gpu", gpu, "--app", app, "--until", "done", "--json", "-")
		require.Equal(t, 0, got.status, got.stderr)
		r := result(t, got.stdout)
		return r.Kernels[0], r.ConfigHash
	}
	machine, plain := kernel("plain16", "spmv?size=tiny")
	ptx, other := kernel("plain16?isa=ptx", "spmv?size=tiny")
	off, _ := kernel("plain16", "spmv?size=tiny&lower=-all")
	on, _ := kernel("plain16?isa=ptx", "spmv?size=tiny&lower=+all")
	assert.NotEqual(t, machine.WarpInstructions, ptx.WarpInstructions)
	assert.NotEqual(t, plain, other, "config_hash")
	assert.Equal(t, off.WarpInstructions, ptx.WarpInstructions)
	assert.Equal(t, off.IPC, ptx.IPC)
	assert.Equal(t, machine.WarpInstructions, on.WarpInstructions)
	assert.Equal(t, machine.IPC, on.IPC)
	some, _ := kernel("plain16?isa=ptx", "spmv?size=tiny&lower=+wide")
	assert.Greater(t, some.WarpInstructions, ptx.WarpInstructions, "the other rules stay off")
}

func TestGPUDecidesHowTexturesLie(t *testing.T) {
	cache := t.TempDir()
	lines := func(gpu string) uint64 {
		got := cotenant(t, "run", "--cache", cache, "--gpu", gpu, "--app", "sad?size=tiny", "--until", "done", "--json", "-")
		require.Equal(t, 0, got.status, got.stderr)
		return result(t, got.stdout).Kernels[0].L1.Accesses
	}
	rows := lines("plain16")
	assert.Less(t, lines("plain16?texture_layout=tiles"), rows)
	assert.Less(t, lines("plain16?texture_layout=block-linear"), rows)
}

func TestGPUOfRunsAloneMustHaveTheSameISA(t *testing.T) {
	got := cotenant(t, "run", "--gpu", "plain16?isa=ptx", "--app", "spmv?size=tiny", "--isolated-gpu", "plain16", "--cycles", "1k")
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.stderr, "GPU plain16 of the isolated runs has isa machine, texture_layout rows and register_unit 0, and GPU plain16?isa=ptx isa ptx, texture_layout rows and register_unit 0; valid: a GPU of the same")
}

func TestPagesSayThatAGPUExecutesPTX(t *testing.T) {
	for gpu, isa := range map[string]string{"plain16": "machine", "plain16?isa=ptx": "ptx"} {
		assert.Contains(t, cotenant(t, "netlist", "--gpu", gpu).stdout, `localparam isa = "`+isa+`"`)
		list := cotenant(t, "list", "kernels", "--gpu", gpu).stdout
		says := assert.NotContains
		if isa == "ptx" {
			says = assert.Contains
		}
		says(t, list, gpu+" executes PTX (isa: ptx)")
	}
}
