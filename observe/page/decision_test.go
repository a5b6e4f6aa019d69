package page

import (
	"encoding/json"
	"strings"
	"testing"

	"cotenant/cta_dispatcher/policy"
	_ "cotenant/cta_dispatcher/policy/ccbp"
	_ "cotenant/cta_dispatcher/policy/heterocore"
	_ "cotenant/cta_dispatcher/policy/ws"
	"cotenant/observe/browsertest"
	"cotenant/observe/look"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ccbpDecision is the JSON of CCBP's explanation of a fully detected pair, and of a
// pair that it has just met.
const ccbpDecision = `{"sustained":{"replies":24,"accesses":18.17,"units":20},REHEARSAL"sets":[
{"present":true,"phase":"settled","prior_lsk":0.8,"kernels":[
 {"tenant":0,"threads":256,"most_ctas":8,"ctas":7,"rate":null,"first":true,"traffic":{"type":"LS","rf":0.9336,"df":0.0721,"even_rate":12.85,"demand":8.625,"nbw":[0,1,2],"dbw":[0,0.1,0.2],"noc":2.5,"dram":0.25}},
 {"tenant":1,"threads":64,"most_ctas":32,"ctas":4,"rate":14.4,"first":false,"traffic":{"type":"NBI","rf":null,"df":null,"even_rate":null,"demand":46.77,"nbw":[0,5,10,15,15],"dbw":[0,0,0,0,0],"noc":0,"dram":0}}]},
{"present":false,"phase":"warm-up","kernels":[{"tenant":0,"threads":512,"most_ctas":4,"ctas":2,"rate":null,"first":false,"traffic":{"type":"unknown","nbw":null,"dbw":null,"noc":0,"dram":0}}]}]}`

// explained sets a policy and its explanation.
func explained(r *Report, spec, decision string) {
	r.Result.Policy, r.Result.Decision = spec, json.RawMessage(decision)
}

func TestPageShowsWhatThePolicyDecided(t *testing.T) {
	r := report(t, 2)
	explained(r, "ccbp", strings.ReplaceAll(ccbpDecision, "REHEARSAL", ""))
	text := written(t, r)
	assert.Contains(t, text, "in which 24 replies with data and 18.17 accesses of the DRAM are sustained: 20 units each.")
	assert.NotContains(t, text, "rehearsal")
	assert.Contains(t, text, "<p>Set 1, settled, priorLSK 0.8: the last that ran</p>")
	assert.Contains(t, text, `<td>256</td><td class="text">LS</td><td>0.9336</td><td>0.0721</td><td>12.85</td><td>8.625</td><td>7</td><td>8</td><td>2.5</td><td>0.25</td><td>–</td><td>yes</td></tr>`)
	assert.Contains(t, text, `<td class="text">NBI</td><td>–</td><td>–</td><td>–</td><td>46.77</td><td>4</td><td>32</td><td>0</td><td>0</td><td>14.4</td><td>no</td></tr>`)
	assert.Contains(t, text, "<p>Set 2, warm-up</p>")
	charts := options(t, text)
	require.Len(t, charts, 9, "no chart of what is not known")
	curves := charts["curves-1"]
	require.Len(t, curves.Option.Series, 4)
	assert.Equal(t, hostile+", DRAM", curves.Option.Series[3].Name)
	assert.Equal(t, []float64{0, 5, 10, 15, 15}, points(t, curves, 2))
	assert.Equal(t, []string{"0", "1", "2", "3", "4"}, curves.Option.XAxis[0].Data)

	explained(r, "ccbp", strings.ReplaceAll(ccbpDecision, "REHEARSAL", `"rehearsal":{"cycles":1234567,"settled":true},`))
	assert.Contains(t, written(t, r), "Found out in a rehearsal of 1,234,567 cycles.")
	explained(r, "ccbp", strings.ReplaceAll(ccbpDecision, "REHEARSAL", `"rehearsal":{"cycles":1234567,"settled":false},`))
	assert.Contains(t, written(t, r), "1,234,567 cycles, which was cut off;")
}

func TestPageShowsHowKernelsScale(t *testing.T) {
	r := report(t, 1)
	explained(r, "ws:sample=2k", `{"sets":[{"present":true,"phase":"shared","kernels":[{"tenant":0,"threads":64,"most_ctas":2,"ctas":1,"scaling":{"performance":[0,0.5,1],"predicted":0.5}}]}]}`)
	text := written(t, r)
	assert.Contains(t, text, "<td>64</td><td>1</td><td>2</td><td>0.5</td></tr>")
	assert.NotContains(t, text, "first</th>")
	assert.Equal(t, []float64{0, 0.5, 1}, points(t, options(t, text)["curves-1"], 0))
}

func TestPageShowsWhatKernelsAchieveOnKindsOfSM(t *testing.T) {
	r := report(t, 1)
	explained(r, "heterocore", `{"sets":[{"present":true,"phase":"by kind","kernels":[{"tenant":0,"threads":64,"on_kinds":{"ipc_big":41.25,"ipc_small":null,"ipc_base":30.96,"sms_big":8,"sms_small":0}}]}]}`)
	text := written(t, r)
	assert.Contains(t, text, "<td>64</td><td>41.25</td><td>–</td><td>30.96</td><td>8</td><td>0</td></tr>")
	assert.NotContains(t, text, "CTAs on an SM</th>")
}

// Nothing outside this test knows the policy's columns.
func TestPageShowsTheTablesOfAnyPolicy(t *testing.T) {
	policy.Register(policy.Descriptor{Name: "page-test", Explains: []*policy.Form{{Name: "shares", Curves: policy.Curves{Unit: "parts"}, Columns: []policy.Column{
		{Name: "who", Title: "tenant", Kind: policy.TenantNumber}, {Name: "share", Title: "share <>", Unit: "of 1", Kind: policy.Number},
		{Name: "gain", Title: "gain", Kind: policy.Curve}}}}})
	r := report(t, 2)
	explained(r, "page-test", `{"shares":[{"who":1,"share":0.25,"gain":[0,2]},{"who":0,"share":null,"gain":null}],"unknown":{}}`)
	text := written(t, r)
	assert.Contains(t, text, "<th>share &lt;&gt; of 1</th>")
	assert.Contains(t, text, "<td>0.25</td></tr>")
	assert.Equal(t, []float64{0, 2}, points(t, options(t, text)["curves-1"], 0))
	explained(r, "page-test", `{"shares":{"of":"another version"}}`)
	assert.NotContains(t, written(t, r), "decided")
}

func TestPageOfAPolicyThatExplainsNothingSaysNothing(t *testing.T) {
	assert.NotContains(t, written(t, report(t, 2)), "decided")
}

func TestBrowserDrawsCurves(t *testing.T) {
	r := report(t, 2)
	explained(r, "ccbp", strings.ReplaceAll(ccbpDecision, "REHEARSAL", ""))
	p := browsertest.Render(t, written(t, r), 1280, "")
	assert.Empty(t, p.Wrong)
	assert.LessOrEqual(t, p.Wide, 1280)
	for k := range 2 {
		assert.Greater(t, p.Charts["curves-1"].Colours[look.Colour(k)], 300)
	}
}
