package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goals is a command line of two tenants on one SM, with options of each.
func goals(t *testing.T, first, second string, more ...string) []string {
	app := "profile:" + file(t, "small.yaml", smallApp)
	return append([]string{"run", "--gpu", file(t, "small.yaml", smallGPU), "--app", app + first, "--app", app + second}, more...)
}

func TestGoalsFromTheCommandLineToTheTable(t *testing.T) {
	args := goals(t, "?qos=0.4", "?qos_time=50ns", "--policy", "even", "--cycles", "20k")
	got := cotenant(t, append(args, "--json", "-")...)
	require.Equal(t, 0, got.status, got.stderr)
	assert.Equal(t, 1, strings.Count(got.stderr, "cotenant: warning: goals are only reported under even; "), got.stderr)
	assert.Equal(t, 1, strings.Count(got.stderr, ": it cannot be reached"), got.stderr)
	assert.Equal(t, 2, strings.Count(got.stderr, "\n"), got.stderr)
	k := result(t, got.stdout).Kernels
	assert.Equal(t, 0.4*k[0].IsolatedIPC, float64(k[0].GoalIPC))
	assert.True(t, *k[0].GoalReached)
	assert.False(t, *k[1].GoalReached)
	table := cotenant(t, args...)
	assert.Contains(t, table.stdout, "│ IPC over goal │ Goal ")
	assert.Contains(t, table.stdout, "│ reached ")
	assert.Contains(t, table.stdout, "│ missed by ")
	assert.NotContains(t, cotenant(t, goals(t, "", "", "--cycles", "20k")...).stdout, "IPC over goal")
}

func TestBoundOfTheRunThatAGoalInTimeNeeds(t *testing.T) {
	got := cotenant(t, goals(t, "", "?qos_time=1us", "--cycles", "60", "--max-cycles", "61")...)
	require.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "one run of profile:")
	assert.Contains(t, got.stderr, ": not done after 61 cycles: tenant 0 (small): ")
	got = cotenant(t, goals(t, "", "?qos=0.5", "--cycles", "60", "--max-cycles", "61")...)
	require.Equal(t, 2, got.status)
	assert.Equal(t, "cotenant: --max-cycles bounds a run to the end, and --cycles says when a run ends; valid: one of them\n", got.stderr)
	got = cotenant(t, goals(t, "?arrival=60&qos=0.5", "", "--cycles", "60")...)
	require.Equal(t, 2, got.status)
	assert.Contains(t, got.stderr, `?arrival=60&qos=0.5": arrival is cycle 60; valid: below 60, the end of the run`)
}
