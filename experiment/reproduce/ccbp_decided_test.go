package reproduce

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/experiment"
)

// ofType is a kernel of a tenant that was found to be of a type.
func ofType(tenant int, kind string, ctas int) kernel {
	demand := float64(ctas)
	return kernel{Tenant: tenant, CTAs: ctas, Traffic: &traffic{Type: kind, Demand: &demand}}
}

// written is a decision as results keep it.
func written(d decision) json.RawMessage {
	text, _ := json.Marshal(d)
	return text
}

func TestWhatIsDecidedIsOfTheFirstSetThatIsKnown(t *testing.T) {
	set := func(kind string, ctas int) kernelSet {
		return kernelSet{Kernels: []kernel{ofType(0, kind, ctas), ofType(1, kind, 10*ctas)}}
	}
	with := func(sets ...kernelSet) *experiment.Result {
		return &experiment.Result{Decision: written(decision{sets})}
	}
	assert.Equal(t, 2, decided(with(set("unknown", 1), set("LS", 2), set("DBI", 3)), 0).CTAs)
	assert.Equal(t, 10, decided(with(set("unknown", 1), set("unknown", 3)), 1).CTAs)
	assert.Equal(t, 3.0, wanted(decided(with(set("NBI", 3)), 0)))
	assert.Nil(t, figureRow("", "", wanted(decided(&experiment.Result{}, 0))).Ours)
}

// BP is taken for a bandwidth-intensive kernel.
func TestDetectionIsComparedWithTable2(t *testing.T) {
	e, err := Find("ccbp-fig9")
	require.NoError(t, err)
	story := ccbpStory(func(experiment.Spec, string) float64 { return 1 })
	rows, err := e.Rows(dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
		result := story(r)
		var set kernelSet
		for i, name := range namesOf(r) {
			kind := figureOf(t, "ccbp-fig9").paper.Setting.Applications[slices.IndexFunc(figureOf(t, "ccbp-fig9").paper.Setting.Applications, func(a application) bool { return a.Name == name })].Class[0]
			if name == "BP" && r.Policy == "ccbp:variant=offline,epoch=1k" {
				kind = "DBI"
			}
			set.Kernels = append(set.Kernels, ofType(i, kind, 1))
		}
		result.Decision = written(decision{[]kernelSet{set}})
		return result
	}))
	require.NoError(t, err)
	beside := 0
	for _, mix := range mixesIn(t, "ccbp-fig9", "LS+BI", Quick) {
		if slices.Contains(mix, "BP") {
			beside++
		}
	}
	require.Positive(t, beside)
	assert.InDelta(t, 100*(1-float64(beside)/28), ours(t, rows, "kernels detected as printed, LS+BI, CCBP"), 1e-9)
	assert.Equal(t, 100.0, ours(t, rows, "kernels detected as printed, NBI+DBI, CCBP"))
	assert.Equal(t, 100.0, ours(t, rows, "kernels detected as printed, ALL, CCBP_online"))
}

// Slower arbiters and other queues run what CCBP decided on the machine itself.
func TestComparedMachinesAreHeldToOneDecision(t *testing.T) {
	for _, name := range []string{"ccbp-arbiter", "ccbp-fig15"} {
		e, err := Find(name)
		require.NoError(t, err)
		story, rate := ccbpStory(func(experiment.Spec, string) float64 { return 1 }), 15.5
		d := dataOf(e, Quick, func(r experiment.Spec) *experiment.Result {
			result := story(r)
			if r.Policy == "ccbp:variant=offline,epoch=1k" {
				require.Equal(t, "ccbp16-irc", r.GPU)
				first, second := ofType(0, "LS", 7), ofType(1, "NBI", 4)
				first.First, second.Rate = true, &rate
				result.Decision = written(decision{[]kernelSet{{Kernels: []kernel{first, second}}}})
			}
			return result
		})
		held := map[string]int{}
		for _, r := range d.runs {
			if r.Policy == "fixed:tbs=7/4,rates=-/15.5,first=1/0" {
				held[r.GPU]++
			}
		}
		want := map[string]map[string]int{
			"ccbp-arbiter": {"ccbp16-irc": 22, "ccbp16-irc?sm.irc.latency=2": 22, "ccbp16-irc?sm.irc.latency=4": 22},
			"ccbp-fig15":   {"ccbp16-irc": 22, "ccbp16-irc?sm.irc.depth=8": 22, "ccbp16-irc?sm.irc.depth=32": 22, "ccbp16-irc?sm.irc.depth=1024": 22},
		}
		assert.Equal(t, want[name], held, name)
	}
}
