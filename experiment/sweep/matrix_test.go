package sweep

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/platform/wiring"
	"cotenant/tenant"
	"cotenant/workload"
	"cotenant/workload/source"
)

const full = `gpus: [gtx980, k20c]
policies:
  - fcfs
  - smk-pw:epoch=10k,x=1
mixes:
  - apps: [a, 'b?x=1&y=2']
  - pairs: [a, b, c]
  - random: {count: 2, size: 3, from: [a, b, c, d, e], seed: 7}
cycles: [200k, done]
seeds: [1, 18446744073709551615]
unknown_opcode: alu
`

func TestRunsAreAllCombinationsTheLastVaryingFastest(t *testing.T) {
	m, err := parse("m.yaml", []byte(full))
	require.NoError(t, err)
	runs := m.Runs()
	require.Len(t, runs, 2*2*(1+3+2)*2*2)
	assert.Equal(t, experiment.Spec{GPU: "gtx980", Policy: "fcfs", Apps: []string{"a", "b?x=1&y=2"}, Cycles: 200_000, Seed: 1, UnknownOpcodeALU: true}, runs[0])
	assert.Equal(t, uint64(18446744073709551615), runs[1].Seed)
	assert.Equal(t, Window{Until: "done"}, Window{runs[2].Cycles, runs[2].Until})
	assert.Equal(t, []string{"a", "b"}, runs[4].Apps)
	assert.Equal(t, []string{"a", "c"}, runs[8].Apps)
	assert.Equal(t, []string{"b", "c"}, runs[12].Apps)
	assert.Len(t, runs[16].Apps, 3)
	assert.Equal(t, "smk-pw:epoch=10k,x=1", runs[24].Policy)
	assert.Equal(t, "k20c", runs[48].GPU)
}

func TestGPUSeedAndOpcodesHaveDefaults(t *testing.T) {
	m, err := parse("m.yaml", []byte("policies: [fcfs]\nmixes: [{apps: [a]}]\ncycles: [5]\n"))
	require.NoError(t, err)
	assert.Equal(t, []experiment.Spec{{GPU: "gtx980", Policy: "fcfs", Apps: []string{"a"}, Cycles: 5, Seed: 1}}, m.Runs())
}

func TestPagesOfAMatrixAreThoseOfItsRuns(t *testing.T) {
	for mode, want := range map[string]wiring.PageMode{"resident": wiring.PagesResident, "lazy-heap": wiring.PagesLazyHeap} {
		m, err := parse("m.yaml", []byte("policies: [fcfs]\nmixes: [{apps: [a]}]\ncycles: [5]\npages: "+mode+"\n"))
		require.NoError(t, err)
		assert.Equal(t, want, m.Runs()[0].Pages)
	}
}

func TestAParameterOfAMatrixMayHaveSeveralValues(t *testing.T) {
	m, err := parse("m.yaml", []byte("policies: [fcfs]\nmixes: [{apps: [a]}]\ncycles: [5, done]\nseeds: [1, 2]\npages: [resident, demand]\n"))
	require.NoError(t, err)
	var list []string
	for _, r := range m.Runs() {
		list = append(list, r.String())
	}
	require.Len(t, list, 2*2*2)
	assert.Equal(t, "a on gtx980 under fcfs, 5 cycles, seed 2", list[1])
	assert.Equal(t, "a on gtx980 under fcfs, 5 cycles, seed 1, pages demand", list[2])
	for text, want := range map[string]string{"[resident, all]": `pages[1] is "all"; it takes one of resident, `, "[]": "pages is empty; ", "{a: b}": "pages is a mapping; it takes a value or a list of values"} {
		_, err := parse("m.yaml", []byte("policies: [fcfs]\nmixes: [{apps: [a]}]\ncycles: [5]\npages: "+text+"\n"))
		assert.ErrorContains(t, err, "m.yaml:4: "+want)
	}
}

func TestFaultOfAMatrixNamesLineAndWhatIsValid(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"gpus: [gtx980, k20c]", "gpu: gtx980", `:1: unknown key "gpu" in the matrix; valid keys: pages, warmup, skip-launches, stop-after-launch, gpus, isolated_gpu, policies, mixes, cycles, max_cycles, seeds, unknown_opcode, check, strict, outside`},
		{"policies:\n  - fcfs\n  - smk-pw:epoch=10k,x=1\n", "", ":1: policies is missing; it takes at least one entry"},
		{"policies:\n  - fcfs\n  - smk-pw:epoch=10k,x=1\n", "policies: []\n", ":2: policies is empty; it takes at least one entry"},
		{"cycles: [200k, done]", "cycles: [2G]", `:9: cycles[0] is "2G"; it takes a number of cycles from 1 to 1000000000000, such as 200k or 2M, or done, or replays=N with N from 1 to 1000000`},
		{"cycles: [200k, done]", "cycles: 5", `:9: cycles is "5"; it takes a list, such as [a, b]`},
		{"cycles: [200k, done]", "cycles: [200k]\nmax_cycles: 1M", ":10: max_cycles bounds runs to the end, and cycles has none; valid: with done, or replays=N with N from 1 to 1000000"},
		{"cycles: [200k, done]", "cycles: [done]\nmax_cycles: 0", `:10: max_cycles is "0"; it takes a number of cycles from 1 to 1000000000000, such as 200k or 2M`},
		{"seeds: [1,", "seeds: [-1,", `:10: seeds[0] is "-1"; it takes a whole number from 0`},
		{"from: [a, b, c, d, e]", "from: []", ":8: mixes[2].random.from is empty; it takes at least one application"},
		{"unknown_opcode: alu", "pages: lazy", `:11: pages is "lazy"; it takes one of resident, demand, lazy-output, lazy-heap, strict`},
		{"unknown_opcode: alu", "unknown_opcode: skip", `:11: unknown_opcode is "skip"; it takes error or alu`},
		{"apps: [a, 'b?x=1&y=2']", "apps: []", ":6: mixes[0].apps has 0 applications; a mix takes 1 to 16"},
		{"apps: [a, 'b?x=1&y=2']", "apps: [a]\n    pairs: [a, b]", ":6: mixes[0] has 2 of apps, pairs and random; it takes one of them"},
		{"apps: [a, 'b?x=1&y=2']", "app: [a]", `:6: unknown key "app" in mixes[0]; valid keys: apps, pairs, random`},
		{"pairs: [a, b, c]", "pairs: [a]", ":7: mixes[1].pairs has 1 application; pairs take at least 2"},
		{"count: 2", "count: 11", ":8: mixes[2].random.count is 11; it takes 1 to 10, the number of different mixes"},
		{"size: 3", "size: 6", ":8: mixes[2].random.size is 6; it takes 1 to 5, as from has 5 applications and a mix at most 16"},
		{"seed: 7", "seed: -1", ":8: mixes[2].random.seed is -1; it takes a whole number from 0"},
		{"seeds: [1, 18446744073709551615]", "seeds: [" + strings.Repeat("1, ", 50_000) + "1]", ":6: mixes and the other lists make more than 1000000 runs; split the sweep"},
	} {
		text := strings.Replace(full, c.from, c.to, 1)
		require.NotEqual(t, full, text, c.from)
		_, err := parse("m.yaml", []byte(text))
		assert.EqualError(t, err, "m.yaml"+c.want)
		var fault *workload.InputError
		assert.True(t, errors.As(err, &fault))
	}
	_, err := Load("no/such.yaml")
	assert.EqualError(t, err, "no/such.yaml: cannot be read: no such file or directory; give the path of a sweep matrix")
}

func TestDrawnMixesAreDifferentAndAlwaysTheSame(t *testing.T) {
	from := []string{"a", "b", "c", "d", "e"}
	mixes := Draw(10, 2, from, 3)
	seen := map[string]bool{}
	for _, mix := range mixes {
		require.Len(t, mix, 2)
		assert.Less(t, mix[0], mix[1], "in the order of the list")
		seen[strings.Join(mix, "")] = true
	}
	assert.Len(t, seen, 10, "all that there are")
	assert.Equal(t, mixes, Draw(10, 2, from, 3))
	assert.NotEqual(t, mixes, Draw(10, 2, from, 4))
	// PCG's output is specified, so these are the same with every compiler.
	assert.Equal(t, [][]string{{"b", "d"}, {"d", "e"}, {"b", "e"}}, mixes[:3])
}

// aloneOf is the run of an application alone that a mix of a and it plans.
func aloneOf(t *testing.T, r experiment.Spec, app string, mhz int) *experiment.Job {
	t.Helper()
	_, a, err := source.Split(app)
	require.NoError(t, err)
	r.Apps = []string{"a", app}
	return r.Plan([]tenant.Attributes{{}, a}, mhz, policy.Needs{})[2]
}

func TestArgumentsAreARunCommand(t *testing.T) {
	r := experiment.Spec{GPU: "gtx980", Policy: "spart", Apps: []string{"a", "b"}, Cycles: 5, Seed: 2, UnknownOpcodeALU: true}
	assert.Equal(t, "run --gpu gtx980 --policy spart --app a --app b --cycles 5 --seed 2 --unknown-opcode alu", strings.Join(r.Arguments(), " "))
	r.Cycles, r.Until, r.UnknownOpcodeALU, r.Pages = 0, "done", false, wiring.PagesDemand
	assert.Equal(t, "a + b on gtx980 under spart, done, seed 2, pages demand", r.String())
	assert.Equal(t, "run --gpu gtx980 --policy spart --app a --app b --until done --pages demand --seed 2", strings.Join(r.Arguments(), " "))
	r.Pages = wiring.PagesResident
	assert.NotContains(t, r.Arguments(), "--pages")
	alone := aloneOf(t, r, "b?priority=3&arrival=1us", 1000)
	assert.Equal(t, "run --gpu gtx980 --policy fcfs --app b --until done --seed 2", strings.Join(alone.Arguments(), " "))
	r.Cycles = 5000
	alone = aloneOf(t, r, "b?priority=3&arrival=1us", 1000)
	assert.Equal(t, "run --gpu gtx980 --policy fcfs --app b --cycles 4000 --seed 2", strings.Join(alone.Arguments(), " "), "it has as long as in the mix")
	r.Cycles = 0
	assert.Equal(t, "a + b on gtx980 under spart, done, seed 2", r.String())
}

func TestBoundIsOfRunsToTheEnd(t *testing.T) {
	m, err := parse("m.yaml", []byte("policies: [fcfs]\nmixes: [{apps: [a]}]\ncycles: [5, done]\nmax_cycles: 2M\n"))
	require.NoError(t, err)
	runs := m.Runs()
	require.Len(t, runs, 2)
	assert.NotContains(t, runs[0].Arguments(), "--max-cycles")
	assert.Subset(t, runs[1].Arguments(), []string{"--until", "done", "--max-cycles", "2000000"})
}

// A goal in time may need a run to the end, whatever the window is.
func TestBoundIsOfGoalsInTime(t *testing.T) {
	for mix, valid := range map[string]bool{"apps: ['a?qos_time=1ms']": true, "pairs: [b, c, 'a?qos_time=1ms']": true,
		"random: {count: 1, size: 1, from: [b, 'a?qos_time=1ms']}": true, "apps: ['a?qos=0.5', b]": false} {
		_, err := parse("m.yaml", []byte("policies: [fcfs]\nmixes: [{apps: [b]}, {"+mix+"}]\ncycles: [5]\nmax_cycles: 2M\n"))
		if valid {
			require.NoError(t, err, mix)
		} else {
			require.ErrorContains(t, err, "m.yaml:4: max_cycles bounds runs to the end, and cycles has none")
		}
	}
}
