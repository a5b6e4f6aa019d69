package sweep

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment"
	_ "cotenant/platform/blocks/all"
	"cotenant/platform/presets"
	"cotenant/tests/need"
	"cotenant/workload/source"
)

// testdata/identities.json lists runs, as they were asked for, with the keys and hashes
// under which stores have their results: sweeps and figures, with their runs alone,
// goals, pages, ends, seeds and options of GPUs. It is not to be made anew: results of
// which a key changes are lost.
func TestStoredResultsAreFoundAgain(t *testing.T) {
	var fixture struct {
		Asked []experiment.Spec
		Runs  []struct {
			Run        experiment.Spec
			Key        string
			ConfigHash string `json:"config_hash"`
		}
	}
	text, err := os.ReadFile("testdata/identities.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &fixture))
	require.Len(t, fixture.Asked, 128)
	p := newPlan("0123456789abcdef")
	if !need.Slow() {
		namedBySmallestInputs(t, p, fixture.Asked)
	}
	for _, s := range fixture.Asked {
		require.NoError(t, p.Add(s))
	}
	require.Equal(t, len(fixture.Runs), p.Len())
	for i, j := range p.All() {
		want := fixture.Runs[i]
		assert.Equal(t, []string{want.Run.Command(), want.Key, want.ConfigHash}, []string{j.Command(), j.Key, p.Order(j).ConfigHash})
	}
}

// namedBySmallestInputs opens built-in applications of medium inputs with the smallest inputs
// instead, because opening fills the inputs. An identity has the name of the opened application
// and nothing of its inputs; the options of the run still come from its own text.
func namedBySmallestInputs(t *testing.T, p *Plan, runs []experiment.Spec) {
	t.Helper()
	for _, run := range runs {
		for _, spec := range run.Apps {
			name, options, _ := strings.Cut(spec, "?")
			if !strings.Contains(options, "size=medium") {
				continue
			}
			opened, err := p.inputs.app(name+"?size=tiny", run.UnknownOpcodeALU)
			require.NoError(t, err)
			_, attributes, err := source.Split(spec)
			require.NoError(t, err)
			medium := *opened
			medium.Spec, medium.attributes = spec, attributes
			p.inputs.apps[appChoice{spec, run.UnknownOpcodeALU}] = &medium
		}
	}
}

// A task carries a run as JSON.
func TestARunIsReadBackFromItsJSON(t *testing.T) {
	want := experiment.Spec{GPU: "a", IsolatedGPU: "b", Policy: "c:d=1", Apps: []string{"e?qos=0.5", "f"}, Cycles: 1, Until: "replays=2", MaxCycles: 3, Seed: 1<<64 - 1,
		UnknownOpcodeALU: true, Parameters: experiment.Parameters{Pages: "demand"}, Isolated: []experiment.Isolated{{IPC: 0.1, Turnaround: 1e30, WIPC: 0.2, Instructions: 1 << 60}, {}}}
	text, err := json.Marshal(want)
	require.NoError(t, err)
	var got experiment.Spec
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, want, got)
}

// What a GPU tells CUDA programs alone is part of their results' keys, and of no others.
func TestCapabilityIsPartOfAProgramsIdentity(t *testing.T) {
	one, err := presets.Load("gtx980")
	require.NoError(t, err)
	two := *one
	two.Driver.ComputeCapability, two.Driver.MemoryBytes = 70, 1<<30
	for app, differs := range map[string]bool{"sgemm": false, "ptx:a.yaml": false, "cuda:./a?args=1": true, "capture:a": true, "a.app.yaml?lower=all": true} {
		s := experiment.Spec{Apps: []string{"lbm", app}}
		a, b := s.Identity(one, nil), s.Identity(&two, nil)
		assert.Equal(t, differs, a.Key() != b.Key(), app)
		assert.Equal(t, differs, a.ConfigHash() != b.ConfigHash(), app)
	}
}
