package programs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/host"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/programs"
)

var allChecks = programs.Check{Uninitialized: true, Races: true}

// Each fault is told with its line, thread, address and array; programs without a fault are told nothing.
func TestChecksTellFaultsOfKernels(t *testing.T) {
	path := compiled(t, "faults.cu")[0]
	for what, want := range map[string]string{
		"none":          `^$`,
		"uninitialized": `^faults\.cu\.ptx:\d+: ld\.global\.u32 in kernel _Z3sumPKiPi, thread \(36,0,0\) of thread block \(1,0,0\): reads address 0x10000790, which nothing has written: byte 400 of the array of 512 bytes at 0x10000600\n$`,
		"shared-race":   `^faults\.cu\.ptx:\d+: st\.shared\.u32 in kernel _Z5hastyPKiPi, thread \(32,0,0\) of thread block \(0,0,0\): writes address 0x80 of shared memory, which thread \(0,0,0\) of thread block \(0,0,0\) reads at line \d+, and nothing puts them in order\n$`,
		"race":          `^faults\.cu\.ptx:\d+: st\.global\.u32 in kernel _Z11overlappingPi, thread \(0,0,0\) of thread block \(1,0,0\): writes address 0x10000380 of the array of 512 bytes at 0x10000300, which thread \(32,0,0\) of thread block \(0,0,0\) writes at line \d+, and nothing puts them in order\n$`,
	} {
		stdout, told, e, err := emulate(t, programs.Spec{Program: path, Args: []string{what}, Check: allChecks})
		require.NoError(t, err)
		assert.Equal(t, "PASSED\n", stdout)
		assert.Regexp(t, want, told, what)
		assert.Equal(t, what != "none", e.Faults == 1, what)
		_, told, e, err = emulate(t, programs.Spec{Program: path, Args: []string{what}})
		require.NoError(t, err)
		assert.Empty(t, told, "off")
		assert.Zero(t, e.Faults)
	}
	for _, path := range compiled(t, "vectoradd.cu", "reduction.cu", "streams.cu", "sgemm.cu", "textures.cu") {
		_, told, _, err := emulate(t, programs.Spec{Program: path, Check: allChecks})
		require.NoError(t, err)
		assert.Empty(t, told, path)
	}
}

// On a GPU a fault is told once for all runs of a program, and looking changes no cycle.
func TestChecksChangeNoCycle(t *testing.T) {
	path := compiled(t, "faults.cu")[0]
	var cycles []uint64
	for _, check := range []programs.Check{{}, allChecks} {
		app, err := programs.App(programs.Spec{Program: path, Args: []string{"race"}, Device: programs.Emulator, Check: check}, workload.Target{}, rules)
		require.NoError(t, err)
		var told []string
		app.Tell = func(text string) { told = append(told, text) }
		w := platform(t, "k20c", "fcfs", host.Process{App: app, Runs: 2})
		require.NoError(t, w.Run(t.Context(), 0, nil))
		cycles = append(cycles, w.Cycles(0))
		if check == allChecks {
			require.Len(t, told, 1)
			require.Contains(t, told[0], "in kernel _Z11overlappingPi")
		}
	}
	require.Equal(t, cycles[0], cycles[1])
}

// A program and a recording of it, as two tenants of a mix, are the same to the GPU; so is the same mix again, also
// if what the program prints differs.
func TestProgramBesideItsRecordingDoesTheSame(t *testing.T) {
	path := compiled(t, "sgemm.cu")[0]
	folder := captured(t, path)
	var runs []*wiring.Platform
	for range 2 {
		recording, err := programs.CaptureApp(programs.Spec{Program: folder, Device: programs.Emulator}, workload.Target{}, rules)
		require.NoError(t, err)
		w := platform(t, "gtx980", "even", host.Process{App: open(t, path)}, host.Process{App: recording})
		require.NoError(t, w.Run(t.Context(), 0, nil))
		a, b := w.Launches(0, w.Cycles(0)), w.Launches(1, w.Cycles(0))
		require.Len(t, a, len(b))
		for i := range a {
			require.Equal(t, a[i].SM.WarpInstructions, b[i].SM.WarpInstructions)
			require.Equal(t, a[i].SM.ThreadInstructions, b[i].SM.ThreadInstructions)
		}
		runs = append(runs, w)
	}
	require.Equal(t, runs[0].Cycles(0), runs[1].Cycles(0))
	for tenant := range 2 {
		require.Equal(t, runs[0].Launches(tenant, runs[0].Cycles(0)), runs[1].Launches(tenant, runs[1].Cycles(0)))
	}
}
