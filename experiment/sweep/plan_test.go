package sweep

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "cotenant/cta_dispatcher/policy/all"
	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
)

// tiny is a profile that one SM runs in a moment.
const tiny = `name: tiny
kernels:
  - name: tiny
    tbs: 4
    demands: [{threads: 64, registers_per_thread: 16}]
    instructions: 50
    phases:
      - mix: {int: 0.5, fp32: 0.5}
`

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func newPlan(program string) *Plan { return NewPlan(NewInputs(presets.Load), program) }

// key is a run's key in a plan of its own, as in a new process.
func key(t *testing.T, program string, r experiment.Spec) string {
	t.Helper()
	p := newPlan(program)
	require.NoError(t, p.Add(r))
	return p.Jobs[0].Key
}

func TestKeyChangesWithWhatIsInAPolicysFile(t *testing.T) {
	list := "applications:\n  x: {IPC_base16: 400, IPC_base8: 210, IPC_big: 330, IPC_small: 150}\n"
	file := write(t, "ipc.yaml", list)
	r := experiment.Spec{GPU: "heterocore-8b8s", Policy: "heterocore-static:ipc=" + file, Apps: []string{"profile:lbm", "profile:sad"}, Cycles: 1000, Seed: 1}
	before := key(t, "p", r)
	p := newPlan("p")
	require.NoError(t, p.Add(r))
	assert.Equal(t, []string{file}, p.Jobs[0].Files(), "the runner looks whether it changes")
	assert.Empty(t, p.Jobs[0].isolated[0].Files(), "the isolated runs have another policy")
	require.NoError(t, os.WriteFile(file, []byte(list+"# as before\n"), 0o600))
	assert.NotEqual(t, before, key(t, "p", r))
	require.NoError(t, os.WriteFile(file, []byte(list), 0o600))
	assert.Equal(t, before, key(t, "p", r))
	r.Policy = "heterocore-static:ipc=none"
	assert.NotEqual(t, before, key(t, "p", r))
}

func TestKeyChangesWithEverythingThatDeterminesTheResult(t *testing.T) {
	gpu := write(t, "gpu.yaml", "extends: gtx980\nsms: 1\n")
	profile := write(t, "tiny.yaml", tiny)
	base := experiment.Spec{GPU: gpu, Policy: "spart", Apps: []string{"profile:" + profile, "profile:lbm"}, Cycles: 1000, Seed: 1}
	first := key(t, "p", base)
	assert.Equal(t, first, key(t, "p", base))
	seen := map[string]string{first: "nothing"}
	differs := func(what, key string) {
		t.Helper()
		assert.Empty(t, seen[key], "%s does not change the key", what)
		seen[key] = what
	}
	with := func(change func(*experiment.Spec)) string {
		r := base
		change(&r)
		return key(t, "p", r)
	}
	differs("program", key(t, "q", base))
	differs("GPU", with(func(r *experiment.Spec) { r.GPU = "gtx980" }))
	differs("policy", with(func(r *experiment.Spec) { r.Policy = "even" }))
	differs("app", with(func(r *experiment.Spec) { r.Apps = []string{r.Apps[0], "profile:sad"} }))
	differs("order", with(func(r *experiment.Spec) { r.Apps = []string{r.Apps[1], r.Apps[0]} }))
	differs("options", with(func(r *experiment.Spec) { r.Apps = []string{r.Apps[0], "profile:lbm?arch=k20c"} }))
	differs("cycles", with(func(r *experiment.Spec) { r.Cycles = 1001 }))
	differs("end", with(func(r *experiment.Spec) { r.Cycles, r.Until = 0, "done" }))
	differs("seed", with(func(r *experiment.Spec) { r.Seed = 2 }))
	differs("opcodes", with(func(r *experiment.Spec) { r.UnknownOpcodeALU = true }))
	differs("GPU of the runs alone", with(func(r *experiment.Spec) { r.IsolatedGPU = "gtx980" }))
	differs("MMU", with(func(r *experiment.Spec) { r.GPU = "pagefault16" }))
	differs("pages", with(func(r *experiment.Spec) { r.GPU, r.Pages = "pagefault16", wiring.PagesDemand }))
	differs("other pages", with(func(r *experiment.Spec) { r.GPU, r.Pages = "pagefault16", wiring.PagesLazyOutput }))
	assert.Equal(t, first, with(func(r *experiment.Spec) { r.Pages = wiring.PagesResident }), "as not said")
	assert.Equal(t, first, with(func(r *experiment.Spec) { r.IsolatedGPU = r.GPU }), "as without")

	require.NoError(t, os.WriteFile(gpu, []byte("extends: gtx980\nsms: 1\nsm: {l1: {sets: 8}}\n"), 0o600))
	differs("contents of the GPU's file", key(t, "p", base))
	require.NoError(t, os.WriteFile(gpu, []byte("# a remark\nextends: gtx980\nsms: 1\n"), 0o600))
	assert.Equal(t, first, key(t, "p", base), "a remark is no parameter")
	require.NoError(t, os.WriteFile(profile, []byte(tiny+"# a remark\n"), 0o600))
	differs("contents of the application's file", key(t, "p", base))
}

func TestPagesThatNoMMUTranslatesAreRefused(t *testing.T) {
	r := experiment.Spec{GPU: "gtx980", Policy: "fcfs", Apps: []string{"profile:lbm"}, Cycles: 1000, Parameters: experiment.Parameters{Pages: wiring.PagesDemand}}
	assert.ErrorContains(t, newPlan("p").Add(r), "pages are demand, and GPU gtx980 does not translate addresses")
	r.GPU, r.Pages = "pagefault16", "all"
	assert.ErrorContains(t, newPlan("p").Add(r), `pages are "all"; valid: resident`)
}

// What is compared with the application alone is that with pages as in the mix.
func TestApplicationsHaveTheirPagesAloneAsInTheMix(t *testing.T) {
	p := newPlan("p")
	require.NoError(t, p.Add(experiment.Spec{GPU: "pagefault16", Policy: "even", Apps: []string{"profile:lbm", "profile:sad"}, Cycles: 1000, Parameters: experiment.Parameters{Pages: wiring.PagesDemand}}))
	require.Len(t, p.All(), 3)
	for _, j := range p.All() {
		assert.Equal(t, wiring.PagesDemand, j.Pages)
	}
}

func TestApplicationsAreRunAloneOnceForAllPoliciesAndMixes(t *testing.T) {
	p := newPlan("p")
	apps := []string{"profile:sgemm", "profile:lbm", "profile:sad"}
	for _, policy := range []string{"fcfs", "spart"} {
		for _, mix := range append(Pairs(apps), []string{"profile:lbm"}) {
			require.NoError(t, p.Add(experiment.Spec{GPU: "gtx980", Policy: policy, Apps: mix, Cycles: 1000, Seed: 1}))
		}
	}
	assert.Len(t, p.Jobs, 8)
	assert.Equal(t, 3+6+1, p.Len(), "lbm under spart is not lbm alone under fcfs")
	var alone []string
	for _, j := range p.All()[:3] {
		alone = append(alone, j.Policy+" "+j.Apps[0])
	}
	assert.ElementsMatch(t, []string{"fcfs profile:sgemm", "fcfs profile:lbm", "fcfs profile:sad"}, alone)
	assert.Same(t, p.Jobs[0].isolated[1], p.Jobs[3], "the mix of lbm alone is its isolated run")
	assert.Same(t, p.Jobs[0].isolated[0], p.Jobs[4].isolated[0])
}

// Where runs alone are made on another GPU, single applications have one there too.
func TestRunsAloneAreMadeOnTheGPUThatIsNamed(t *testing.T) {
	p := newPlan("p")
	for _, apps := range [][]string{{"profile:sgemm", "profile:lbm?qos_time=2ms"}, {"profile:sgemm"}} {
		for _, gpu := range []string{"gtx980?sms=8", "gtx980"} {
			require.NoError(t, p.Add(experiment.Spec{GPU: gpu, IsolatedGPU: "gtx980", Policy: "spart", Apps: apps, Cycles: 1000, Seed: 1}))
		}
	}
	mix, single := p.Jobs[0], p.Jobs[2]
	assert.Equal(t, 4+3, p.Len(), "and both alone, and lbm to its end")
	assert.Equal(t, mix.isolated[0], single.isolated[0])
	assert.Equal(t, p.Jobs[1].isolated, mix.isolated)
	assert.Equal(t, []string{"run", "--gpu", "gtx980", "--policy", "fcfs", "--app", "profile:sgemm", "--cycles", "1000", "--seed", "1"}, single.isolated[0].Arguments())
	assert.Equal(t, []string{"run", "--gpu", "gtx980", "--policy", "fcfs", "--app", "profile:lbm", "--until", "done", "--seed", "1"}, mix.whole[1].Arguments())
	assert.Equal(t, []string{"run", "--gpu", "gtx980?sms=8", "--policy", "spart", "--app", "profile:sgemm", "--cycles", "1000", "--isolated-gpu", "gtx980", "--seed", "1"}, single.Arguments())
	assert.Empty(t, p.Jobs[3].isolated, "it is on that GPU itself")
	for i, j := range p.All() {
		assert.Equal(t, i >= 3+1, len(j.isolated) > 0, "those that others wait for come first")
	}
}

// Goals leave what an application has alone as it is; one in time needs to know
// what a whole run of it is.
func TestGoalsShareTheRunsAlone(t *testing.T) {
	p := newPlan("p")
	add := func(policy string, window experiment.Spec, apps ...string) *Job {
		r := window
		r.GPU, r.Policy, r.Apps, r.Seed = "gtx980", policy, apps, 1
		require.NoError(t, p.Add(r))
		return p.Jobs[len(p.Jobs)-1]
	}
	window := experiment.Spec{Cycles: 1000, MaxCycles: 5000}
	plain := add("fcfs", window, "profile:sgemm", "profile:lbm")
	part := add("spart", window, "profile:sgemm?qos=0.5", "profile:lbm")
	assert.Equal(t, plain.isolated, part.isolated)
	assert.Equal(t, []*Job{nil, nil}, part.whole)
	assert.Equal(t, 4, p.Len())
	assert.NotContains(t, part.Arguments(), "--max-cycles")
	timed := add("even", window, "profile:sgemm", "profile:lbm?qos_time=2ms")
	assert.Equal(t, plain.isolated, timed.isolated)
	assert.Equal(t, 6, p.Len(), "lbm to its end, and the mix")
	require.Nil(t, timed.whole[0])
	assert.Equal(t, []string{"run", "--gpu", "gtx980", "--policy", "fcfs", "--app", "profile:lbm", "--until", "done", "--max-cycles", "5000", "--seed", "1"}, timed.whole[1].Arguments())
	assert.Subset(t, timed.Arguments(), []string{"--cycles", "1000", "--max-cycles", "5000"})
	done := add("even", experiment.Spec{Until: "done"}, "profile:sgemm", "profile:lbm?qos_time=2ms")
	assert.Equal(t, []*Job{nil, nil}, done.whole, "its isolated run is to the end")
	assert.Equal(t, []string{"spart", "even"}, p.OnlyReporting())
}

func TestFaultOfAnInputIsAtItsPlaceInTheMatrix(t *testing.T) {
	bad := write(t, "bad.yaml", tiny+"x: 1\n")
	for text, want := range map[string]string{
		"gpus: [gtx980,\n gtx]\npolicies: [fcfs]\nmixes: [{apps: [profile:lbm]}]\ncycles: [1]":                           `m.yaml:2: gpus[1]: unknown preset "gtx"; valid: `,
		"policies:\n- fcfs\n- best\nmixes: [{apps: [profile:lbm]}]\ncycles: [1]":                                         `m.yaml:3: policies[1]: unknown policy "best"; valid: `,
		"policies: [fcfs]\nmixes: [{apps: [profile:lbm]},\n {pairs: [profile:lbm, lbn]}]\ncycles: [1]":                   `m.yaml:3: mixes[1].pairs[1]: application "lbn": no application`,
		"policies: [fcfs]\nmixes: [{random: {count: 1, size: 1, from: [x:y]}}]\ncycles: [1]":                             `m.yaml:2: mixes[0].random.from[0]: application "x:y": unknown source`,
		"policies: [fcfs]\nmixes: [{apps: ['profile:" + bad + "']}]\ncycles: [1]":                                        bad + `:9: unknown key "x"`,
		"gpus: ['" + bad + "']\npolicies: [fcfs]\nmixes: [{apps: [profile:lbm]}]\ncycles: [1]":                           bad + `:2: unknown key "kernels"`,
		"isolated_gpu: gtx\npolicies: [fcfs]\nmixes: [{apps: [profile:lbm]}]\ncycles: [1]":                               `m.yaml:1: isolated_gpu: unknown preset "gtx"; valid: `,
		"gpus: [ccbp16]\nisolated_gpu: k20c\npolicies: [fcfs]\nmixes: [{apps: [profile:lbm]}]\ncycles: [1]":              `m.yaml:2: isolated_gpu: GPU k20c of the isolated runs has a core clock of `,
		"policies: [fcfs]\nmixes: [{apps: [profile:lbm]}]\npages: demand\ncycles: [1]":                                   `m.yaml:3: pages: pages are demand, and GPU gtx980 does not`,
		"gpus: [pagefault16]\npolicies: [fcfs]\nmixes: [{apps: ['profile:lbm?arrival=5k']}]\npages: demand\ncycles: [1]": `m.yaml:5: cycles: application`,
		"policies: [fcfs]\nmixes: [{apps: ['traceg:" + filepath.Dir(bad) + "']}]\ncycles: [1]":                           filepath.Dir(bad),
	} {
		m, err := parse("m.yaml", []byte(text))
		require.NoError(t, err)
		err = newPlan("p").AddMatrix(m)
		require.Error(t, err, text)
		assert.Equal(t, want, err.Error()[:min(len(want), len(err.Error()))], err.Error())
	}
}

func TestEveryInputIsReadOnce(t *testing.T) {
	loads := 0
	in := NewInputs(func(name string) (*wiring.Config, error) {
		loads++
		return presets.Load(name)
	})
	p := NewPlan(in, "p")
	for cycles := range uint64(5) {
		require.NoError(t, p.Add(experiment.Spec{GPU: "gtx980", Policy: "fcfs", Apps: []string{"profile:lbm"}, Cycles: cycles + 1}))
	}
	assert.Equal(t, 1, loads)
	assert.Error(t, p.Add(experiment.Spec{GPU: "no", Policy: "fcfs", Apps: []string{"profile:lbm"}, Cycles: 1}))
}

func TestFileThatChangesIsNoticed(t *testing.T) {
	path := write(t, "tiny.yaml", tiny)
	p := NewPlan(NewInputs(presets.Load), "p")
	require.NoError(t, p.Add(experiment.Spec{GPU: "gtx980", Policy: "fcfs", Apps: []string{"profile:" + path}, Cycles: 1}))
	files := p.Order(p.Jobs[0]).Files
	require.Len(t, files, 1)
	file, changed := files[0], path+" has changed since the sweep began; start the sweep again"
	require.NoError(t, file.Untouched())
	require.NoError(t, file.Unchanged())
	require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)))
	assert.EqualError(t, file.Untouched(), changed)
	assert.NoError(t, file.Unchanged(), "the contents are the same")
	require.NoError(t, os.WriteFile(path, []byte(strings.ToUpper(tiny)), 0o600))
	assert.EqualError(t, file.Unchanged(), changed)
	require.NoError(t, os.Remove(path))
	assert.ErrorIs(t, file.Untouched(), os.ErrNotExist)
	assert.ErrorIs(t, file.Unchanged(), os.ErrNotExist)
}

func TestFileWithoutEndIsNotHashed(t *testing.T) {
	_, err := HashFile("/dev/zero")
	assert.EqualError(t, err, "/dev/zero is not a regular file; give the path of one")
}

// A matrix of a few lines may have a million runs, each on a GPU of hundreds of
// parameters.
func TestRunsOfAPlanShareTheirGPU(t *testing.T) {
	p := newPlan("p")
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	add := func(n uint64) {
		require.NoError(t, p.Add(experiment.Spec{GPU: "gtx980", Policy: "fcfs", Apps: []string{"profile:lbm"}, Cycles: 1000, Seed: n}))
	}
	add(0)
	const runs = 500
	before := heap()
	for n := range uint64(runs) {
		add(n + 1)
	}
	assert.Less(t, int(heap()-before)/runs, 2000, "bytes for each")
	runtime.KeepAlive(p)
}

// What run refuses before it starts, a sweep does too.
func TestAnArrivalBehindTheWindowIsAFaultOfTheMatrix(t *testing.T) {
	m, err := parse("m.yaml", []byte("policies: [fcfs]\nmixes: [{apps: [\"profile:lbm?arrival=5k\"]}]\ncycles: [1k]\n"))
	require.NoError(t, err)
	require.EqualError(t, newPlan("p").AddMatrix(m),
		`m.yaml:3: cycles: application "profile:lbm?arrival=5k": arrival is cycle 5000; valid: below 1000, the end of the run`)
}
