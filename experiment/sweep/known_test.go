package sweep

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
	"cotenant/experiment/store"
	"cotenant/platform/wiring"
)

// put stores a run of a plan, with a result of some tenants' normalised IPC.
func put(t *testing.T, s *store.Store, j *Job, normalized ...float64) {
	r := experiment.Result{Schema: experiment.Schema, ConfigHash: j.hash, Cycles: 1000, STP: 1.25, Fairness: 0.5, ANTT: experiment.Figure(math.NaN()),
		Stalls: map[string]uint64{"issued": 1, "idle": 3}}
	for _, n := range normalized {
		r.Kernels = append(r.Kernels, experiment.KernelResult{IPC: 100 * n, NormalizedIPC: experiment.Figure(n)})
	}
	if len(normalized) > 1 {
		reached := false
		r.Kernels[1].GoalIPC, r.Kernels[1].GoalReached = 100, &reached
	}
	identity, err := json.Marshal(j.identity)
	require.NoError(t, err)
	result, err := json.Marshal(r)
	require.NoError(t, err)
	require.NoError(t, s.Put(store.Entry{Key: j.Key, Identity: identity, Result: result}))
}

func TestStoredRunIsKnownByWhatWasAskedFor(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "s.sqlite"))
	require.NoError(t, err)
	defer s.Close()
	plan := newPlan("p")
	want := experiment.Spec{GPU: "pagefault16", Policy: "spart", Apps: []string{"profile:lbm", "profile:sgemm?qos=0.5"}, Cycles: 5000, Seed: 7, UnknownOpcodeALU: true, Parameters: experiment.Parameters{Pages: wiring.PagesDemand}}
	require.NoError(t, plan.Add(want))
	for _, j := range plan.All() {
		if len(j.Apps) == 2 {
			put(t, s, j, 0.75, 0.5)
		} else {
			put(t, s, j, 1)
		}
	}
	list, faults, err := Read(t.Context(), s, func(string) bool { return false })
	require.NoError(t, err)
	assert.Empty(t, faults)
	require.Len(t, list, 3)
	var mix *Known
	for i, k := range list {
		assert.True(t, i == 0 || list[i-1].Key < k.Key, "in order")
		if len(k.Apps) == 2 {
			mix = k
		}
	}
	require.NotNil(t, mix)
	job := plan.Jobs[0]
	assert.Equal(t, want, mix.Spec)
	assert.Equal(t, job.Arguments(), mix.Arguments())
	assert.Equal(t, []any{job.Key, "p", job.hash, []string{"lbm", "sgemm"}, uint64(1000)}, []any{mix.Key, mix.Program, mix.ConfigHash, mix.Names, mix.Took})
	assert.Equal(t, experiment.Figure(1.25), mix.STP)
	assert.False(t, mix.ANTT.Defined())
	assert.Equal(t, experiment.Figure(0.75), mix.Tenants[0].NormalizedIPC)
	assert.Equal(t, 0.5, mix.OverGoal())
	again, _, err := Read(t.Context(), s, func(key string) bool { return key == mix.Key })
	require.NoError(t, err)
	assert.Len(t, again, 2)
}

func TestRunThatCannotBeShownIsNamed(t *testing.T) {
	s, err := store.Open(filepath.Join(t.TempDir(), "s.sqlite"))
	require.NoError(t, err)
	defer s.Close()
	for key, texts := range map[string][2]string{"a": {`{}`, `{"schema": 1}`}, "b": {`{"apps": 3}`, `{}`}, "c": {`{"apps": [{}]}`, `{"schema": 2, "kernels": [{}]}`}} {
		require.NoError(t, s.Put(store.Entry{Key: key, Identity: json.RawMessage(texts[0]), Result: json.RawMessage(texts[1])}))
	}
	list, faults, err := Read(t.Context(), s, func(string) bool { return false })
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.True(t, math.IsNaN(list[0].OverGoal()))
	require.Len(t, faults, 2)
	assert.Equal(t, []string{"a", "b"}, []string{faults[0].Key, faults[1].Key})
	assert.ErrorContains(t, faults[0].Err, "not the result of a run")
}

func TestGPUOfAFileIsNamedAfterIt(t *testing.T) {
	for name, want := range map[string]string{"gtx980": "gtx980", "gtx980?sms=8": "gtx980?sms=8", "mine": "mine.yaml", "dir/mine.yaml?sms=8": "dir/mine.yaml?sms=8"} {
		assert.Equal(t, want, reference(name), fmt.Sprint(name))
	}
}
