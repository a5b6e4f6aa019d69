package experiment

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/fcfs"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload/source"
)

// keeper is a policy that says that it keeps goals, and notes what it is told.
type keeper struct {
	policy.Policy
	goals []float64 // of the arrived tenants, by tenant
	alone []float64
}

func (k *keeper) Needs() policy.Needs { return policy.Needs{Goals: true} }

func (k *keeper) Decide(v *policy.View, a policy.Actions) {
	k.goals, k.alone = k.goals[:0], k.alone[:0]
	for i := range v.Tenants {
		k.goals, k.alone = append(k.goals, v.Tenants[i].Goal), append(k.alone, v.Tenants[i].IsolatedIPC)
	}
	k.Policy.Decide(v, a)
}

// kept is the keeper made last.
var kept *keeper

func init() {
	policy.Register(policy.Descriptor{Name: "keeper", New: func(*policy.Options) policy.Policy {
		p, _ := policy.Parse("fcfs")
		kept = &keeper{Policy: p}
		return kept
	}})
}

// toy is a run of profiles on one SM; each application is followed by its options,
// and takes about 1000 cycles alone.
func toy(t *testing.T, policy string, cycles uint64, apps ...string) (*Run, *[]string) {
	gpu, err := presets.Load("plain16?sms=1")
	require.NoError(t, err)
	r := &Run{Spec: Spec{Policy: policy, Cycles: cycles, Seed: 1}, GPU: gpu}
	file := filepath.Join(t.TempDir(), "toy.yaml")
	require.NoError(t, os.WriteFile(file, []byte("name: toy\nkernels:\n  - name: toy\n    tbs: 40\n    demands: [{threads: 64, registers_per_thread: 16}]\n"+
		"    instructions: 50\n    phases:\n      - mix: {int: 0.5, fp32: 0.5}\n"), 0o600))
	for _, options := range apps {
		app, err := Open("profile:"+file+options, source.Options{Seed: 1})
		require.NoError(t, err)
		r.Apps = append(r.Apps, app)
	}
	warnings := &[]string{}
	r.Warn = func(text string) { *warnings = append(*warnings, strings.ReplaceAll(text, file, "TOY")) }
	return r, warnings
}

// toyInstructions is what one run of a toy executes: 40 TBs of 64 threads and 50
// instructions.
const toyInstructions = 40 * 64 * 50

func do(t *testing.T, r *Run) *Result {
	t.Helper()
	result, err := r.Do(t.Context())
	require.NoError(t, err)
	return result
}

func TestGoalOfAPartIsThatPartOfTheIsolatedIPC(t *testing.T) {
	assert.Equal(t, 800*0.8, Goal(tenant.Attributes{QoS: 0.8}, Isolated{IPC: 800, Instructions: 5}, 1216))
	assert.Zero(t, Goal(tenant.Attributes{Priority: 5}, Isolated{IPC: 800, Instructions: 5}, 1216))
}

// QoS 3.2, with the specification's example: 2e9 thread instructions in 2 ms at 1216
// MHz are an IPC of 822.4.
func TestGoalOfATimeIsInstructionsOverCycles(t *testing.T) {
	got := Goal(tenant.Attributes{QoSTime: 2 * time.Millisecond}, Isolated{IPC: 900, Instructions: 2_000_000_000}, 1216)
	assert.Equal(t, 2e9/2_432_000, got)
	assert.Equal(t, "822.4", fmt.Sprintf("%.1f", got))
	assert.Equal(t, 3.0, Goal(tenant.Attributes{QoSTime: 1}, Isolated{Instructions: 3}, 1000), "a cycle")
}

func TestPolicyIsToldGoalsBeforeTheMixRuns(t *testing.T) {
	r, warnings := toy(t, "keeper", 5000, "?qos=0.5", "", "?qos_time=4us&arrival=2000")
	result := do(t, r)
	a, b, c := &result.Kernels[0], &result.Kernels[1], &result.Kernels[2]
	inTime := toyInstructions / (4.0 * float64(r.GPU.Clocks.Core))
	assert.Equal(t, []float64{a.IsolatedIPC / 2, 0, inTime}, kept.goals)
	assert.Equal(t, []float64{a.IsolatedIPC, 0, c.IsolatedIPC}, kept.alone)
	assert.Equal(t, []Figure{Figure(a.IsolatedIPC / 2), Figure(inTime)}, []Figure{a.GoalIPC, c.GoalIPC})
	assert.Equal(t, a.IPC/(a.IsolatedIPC/2), float64(a.IPCOverGoal))
	assert.Equal(t, a.IPC >= a.IsolatedIPC/2, *a.GoalReached)
	assert.False(t, b.HasGoal() || b.GoalIPC.Defined() || b.IPCOverGoal.Defined())
	assert.Equal(t, uint64(3000), c.Cycles, "its IPC is from its arrival on, alone too")
	assert.Empty(t, *warnings)
}

// The measured figures, given, make the same run, and nothing is run alone.
func TestGivenIsolatedFiguresMakeTheSameGoals(t *testing.T) {
	r, _ := toy(t, "keeper", 5000, "?qos=0.5", "?qos_time=10us")
	measured := do(t, r)
	var phases []string
	r.Progress = func(p Progress) { phases = append(phases, p.Phase) }
	for _, k := range measured.Kernels {
		given, err := ParseIsolated(Isolated{IPC: k.IsolatedIPC, Turnaround: float64(k.IsolatedTurnaroundCycles), WIPC: float64(k.IsolatedWIPC), Instructions: toyInstructions}.String())
		require.NoError(t, err)
		r.Isolated = append(r.Isolated, given)
	}
	cache := &IsolatedCache{}
	r.Cache = cache
	again := do(t, r)
	measured.WallSeconds, measured.IsolatedWallSeconds = again.WallSeconds, again.IsolatedWallSeconds
	var texts [2]bytes.Buffer
	require.NoError(t, WriteJSON(&texts[0], measured))
	require.NoError(t, WriteJSON(&texts[1], again))
	assert.True(t, texts[0].String() == texts[1].String(), "measured goals %v, given %v", measured.Kernels[1].GoalIPC, again.Kernels[1].GoalIPC)
	assert.Zero(t, cache.len())
	assert.NotContains(t, strings.Join(phases, " "), "isolated")
}

func TestGoalsDoNotSplitTheCache(t *testing.T) {
	cache := &IsolatedCache{}
	for _, options := range []string{"", "?qos=0.5", "?qos=0.8", "?qos_time=10us", "?priority=2&qos=1"} {
		r, _ := toy(t, "keeper", 5000, options, options)
		r.Apps[0].source, r.Apps[1].source = "toy", "toy" // toy writes a new file each time
		r.Cache = cache
		do(t, r)
	}
	assert.Equal(t, 1, cache.len())
}

// A window too short for one run says nothing of its instructions.
func TestGoalInTimeOfARunThatTheWindowCutsOff(t *testing.T) {
	r, _ := toy(t, "keeper", 300, "?qos_time=1us", "")
	cache := &IsolatedCache{}
	r.Cache = cache
	result := do(t, r)
	assert.Zero(t, result.Kernels[0].Completions)
	assert.Equal(t, Figure(toyInstructions/(1.0*float64(r.GPU.Clocks.Core))), result.Kernels[0].GoalIPC)
	assert.Equal(t, 2, cache.len(), "one in the window, for both, and one to its end")

	r.Cache, r.MaxCycles = nil, 310
	_, err := r.Do(context.Background())
	require.ErrorIs(t, err, wiring.ErrUnfinished)
	require.ErrorContains(t, err, "one run of profile:")

	r.Isolated = []Isolated{{IPC: 50}, {IPC: 50}}
	_, err = r.Do(context.Background())
	require.ErrorIs(t, err, wiring.ErrUnfinished, "an IPC alone is not enough")
	r.Isolated[0].Instructions = 1234
	assert.Equal(t, Figure(1.234/float64(r.GPU.Clocks.Core)*1000), do(t, r).Kernels[0].GoalIPC)
}

func TestSingleApplicationMayHaveAGoal(t *testing.T) {
	for _, cycles := range []uint64{0, 5000} {
		for _, policy := range []string{"fcfs", "keeper"} {
			r, warnings := toy(t, policy, cycles, "?qos=1")
			k := &do(t, r).Kernels[0]
			assert.Equal(t, []any{Figure(k.IPC), Figure(1), true}, []any{k.GoalIPC, k.IPCOverGoal, *k.GoalReached}, "alone it has exactly what it has alone")
			if policy == "keeper" {
				assert.Empty(t, *warnings, "what it has alone can be reached")
				assert.Equal(t, []float64{k.IPC}, kept.goals)
			}
		}
	}
}

func TestGoalsThatNobodyKeepsOrReachesAreWarnedOfOnce(t *testing.T) {
	r, warnings := toy(t, "fcfs", 5000, "?qos=0.5", "?qos=0.5")
	do(t, r)
	assert.Equal(t, []string{"goals are only reported under fcfs; policies that keep them: keeper"}, *warnings)

	r, warnings = toy(t, "keeper", 5000, "", "?qos_time=10ns")
	k := &do(t, r).Kernels[1]
	assert.Equal(t, []string{fmt.Sprintf(`application "profile:TOY?qos_time=10ns": the goal is an IPC of %.4g, and alone it has %.4g: it cannot be reached`, float64(k.GoalIPC), k.IsolatedIPC)}, *warnings)
	assert.False(t, *k.GoalReached)

	r, warnings = toy(t, "keeper", 2, "", "?qos=0.5&arrival=1")
	assert.False(t, do(t, r).Kernels[1].HasGoal())
	assert.Equal(t, []string{`application "profile:TOY?qos=0.5&arrival=1" issues nothing alone in this time, so there is nothing to promise: it has no goal`}, *warnings)

	r, warnings = toy(t, "fcfs", 5000, "", "")
	do(t, r)
	assert.Empty(t, *warnings)
}

func TestNotesOfApplicationsAreWarnings(t *testing.T) {
	r, warnings := toy(t, "fcfs", 5000, "", "")
	r.Apps[1].Workload.Notes = []string{"a note"}
	do(t, r)
	assert.Equal(t, []string{"a note"}, *warnings)
}

func TestGoalOfATenantThatArrivesTooLateIsAnError(t *testing.T) {
	r, _ := toy(t, "keeper", 5000, "", "?qos=0.5&arrival=5000")
	_, err := r.Do(t.Context())
	require.ErrorContains(t, err, "?qos=0.5&arrival=5000\": arrival is cycle 5000; valid: below 5000, the end of the run")
}
