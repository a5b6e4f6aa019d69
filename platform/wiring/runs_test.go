package wiring_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/host"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/script"
)

// The application that is furthest from its number of runs says how far the run is.
func TestProgressOfReplaysIsThatOfTheSlowestApplication(t *testing.T) {
	gpu, err := presets.Load("plain16")
	require.NoError(t, err)
	even, err := policy.Parse("even")
	require.NoError(t, err)
	app := func(length int) *workload.App {
		return script.App("a", script.Kernel("k", 4, 64, func(int, int) (list []workload.Inst) {
			for range length {
				list = append(list, workload.Inst{Class: workload.Int, Active: 1, Dst: workload.NoRegs4, Src: workload.NoRegs10})
			}
			return list
		}))
	}
	p, err := wiring.New(*gpu, even, []host.Process{{App: app(20_000), Runs: 3, Restart: true}, {App: app(10), Runs: 3, Restart: true}})
	require.NoError(t, err)
	seen := map[uint64]bool{}
	require.NoError(t, p.Run(t.Context(), 0, func(uint64, uint64) {
		completed, of := p.Runs()
		assert.EqualValues(t, 3, of)
		assert.InDelta(t, float64(completed)/3, p.Progress(), 1e-12)
		seen[completed] = true
	}))
	assert.Equal(t, map[uint64]bool{0: true, 1: true, 2: true}, seen)
	completed, of := p.Runs()
	assert.Equal(t, [2]uint64{3, 3}, [2]uint64{completed, of})
}

// What a program launches is known when it launches it.
func TestProgressOfAProgramIsNotKnown(t *testing.T) {
	gpu, err := presets.Load("plain16")
	require.NoError(t, err)
	fcfs, err := policy.Parse("fcfs")
	require.NoError(t, err)
	kernel := script.Kernel("k", 4, 64, func(int, int) []workload.Inst { return nil })
	launched := false
	program := &workload.App{Name: "program", Host: func() (workload.Host, error) {
		return hostFunc(func() (workload.Op, bool, error) {
			first := !launched
			launched = true
			return workload.Op{Kernel: kernel}, first, nil
		}), nil
	}}
	p, err := wiring.New(*gpu, fcfs, []host.Process{{App: program}})
	require.NoError(t, err)
	require.NoError(t, p.Run(t.Context(), 0, nil))
	require.Zero(t, p.Progress())
	require.True(t, launched)
}

type hostFunc func() (workload.Op, bool, error)

func (f hostFunc) Next() (workload.Op, bool, error) { return f() }
