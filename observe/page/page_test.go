package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/observe/look"
	"cotenant/observe/sample"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/sm"
)

// hostile is a name that must not become part of the page's code.
const hostile = `</script><b id="broken">&"'`

// report is a run of some tenants with known progress, threads and traffic: tenant k has
// (k+1)/10 of each SM's threads, half of its speed alone, and moves k+1 GB/s of each
// kind.
func report(t *testing.T, tenants int) *Report { return sampled(t, tenants, 160) }

// sampled is report with a sample every few cycles.
func sampled(t *testing.T, tenants int, every uint64) *Report {
	config, err := presets.Load("gtx980")
	require.NoError(t, err)
	config.SMs = wiring.EqualSMs(4)
	config.Clocks.Core = 1000
	r := &Report{Config: *config, Preemptions: sample.NewPreemptions(), Command: "go run ./platform run --app x",
		Result: &experiment.Result{Schema: experiment.Schema, GPU: "gtx980", Policy: "spart", Version: "dev", Cycles: 3200, STP: 0.5, DRAM: experiment.DRAMResult{PeakGigabytes: 224}}}
	stalls := map[string]uint64{}
	for cause := range sm.NumCauses {
		stalls[cause.String()] = uint64(cause) + 1
	}
	for k := range tenants {
		name := fmt.Sprintf("app%d", k)
		if k == 1 {
			name = hostile
		}
		r.Tenants = append(r.Tenants, name)
		r.Result.Kernels = append(r.Result.Kernels, experiment.KernelResult{Name: name, App: name, Cycles: 3200, IPC: 50, IsolatedIPC: 100, NormalizedIPC: 0.5, NTT: 2, Stalls: stalls})
	}
	for i := range config.SMs.Count() {
		r.Result.SMs = append(r.Result.SMs, experiment.SMResult{ID: i, Stalls: stalls})
	}
	for cycle := uint64(0); cycle <= 3200; cycle += every {
		s := sample.Sample{Cycle: cycle}
		for k := range uint64(tenants) {
			perSM := cycle * uint64(config.SM.Threads) * (k + 1) / 10
			s.Tenants = append(s.Tenants, sample.Tenant{ThreadInstructions: 50 * cycle, ThreadCycles: 4 * perSM,
				DRAMBytes: (k + 1) * cycle, RequestFlits: (k + 1) * cycle / uint64(config.RequestNoC.FlitBytes), ReplyFlits: (k + 1) * cycle / uint64(config.ReplyNoC.FlitBytes)})
		}
		for range config.SMs.Count() {
			var of []sample.SM
			for k := range uint64(tenants) {
				of = append(of, sample.SM{ThreadCycles: cycle * uint64(config.SM.Threads) * (k + 1) / 10})
			}
			s.SMs = append(s.SMs, of)
		}
		r.Samples = append(r.Samples, s)
	}
	return r
}

func written(t *testing.T, r *Report) string {
	var out bytes.Buffer
	require.NoError(t, Write(&out, r))
	return out.String()
}

// option is what the tests read of a chart as it is in the page.
type option struct {
	ID     string
	Labels []int
	Option struct {
		Animation bool
		XAxis     []struct{ Data []string }
		YAxis     []struct{ Max any }
		Series    []struct {
			Name, Stack string
			Data        []struct{ Value json.RawMessage }
		}
	}
}

var optionsBlock = regexp.MustCompile(`(?s)<script type="application/json" id="charts">(.*?)</script>`)

func options(t *testing.T, text string) map[string]option {
	var list []option
	require.NoError(t, json.Unmarshal([]byte(optionsBlock.FindStringSubmatch(text)[1]), &list))
	byID := map[string]option{}
	for _, o := range list {
		byID[o.ID] = o
	}
	return byID
}

// values are a series' values, which must all be the same.
func constant(t *testing.T, o option, series int) float64 {
	var first float64
	for i, d := range o.Option.Series[series].Data {
		var v float64
		require.NoError(t, json.Unmarshal(d.Value, &v))
		if i == 0 {
			first = v
		}
		require.InDelta(t, first, v, 0.02*first, "%s at %d", o.ID, i)
	}
	return first
}

func TestChartsShowRatesOfEachTenant(t *testing.T) {
	charts := options(t, written(t, report(t, 2)))
	assert.Len(t, charts, 8)
	for id, want := range map[string][2]float64{
		"progress": {0.5, 0.5}, "occupancy": {10, 20}, "dram": {1, 2}, "requests": {1, 2}, "replies": {1, 2},
	} {
		for k := range want {
			assert.InDelta(t, want[k], constant(t, charts[id], k), 0.02*want[k], id)
		}
		assert.Equal(t, hostile, charts[id].Option.Series[1].Name)
		assert.Equal(t, "3,200", charts[id].Option.XAxis[0].Data[20])
		assert.Equal(t, []int{0, 5, 10, 15, 20}, charts[id].Labels, "every 800 cycles, where there is a sample")
		assert.Equal(t, id != "progress", charts[id].Option.Series[0].Stack != "", id)
	}
	for _, c := range charts {
		assert.False(t, c.Option.Animation, c.ID)
	}
}

// A tenant outside its process' time has no value, unlike a tenant without progress.
func TestProgressIsAbsentBeforeArrivalAndAfterTheEnd(t *testing.T) {
	r := report(t, 3)
	r.Result.Kernels[1].ArrivalCycle, r.Result.Kernels[1].Cycles = 480, 2720 // at a sample
	r.Result.Kernels[2].ArrivalCycle, r.Result.Kernels[2].Cycles = 500, 1000 // between two, and so is its end
	shown := func(series []struct{ Value json.RawMessage }) (text string) {
		for _, d := range series {
			text += map[bool]string{true: "-", false: "x"}[string(d.Value) == `"-"`]
		}
		return text
	}
	charts := options(t, written(t, r))
	assert.Equal(t, "xxxxxxxxxxxxxxxxxxxxx", shown(charts["progress"].Option.Series[0].Data))
	assert.Equal(t, "---xxxxxxxxxxxxxxxxxx", shown(charts["progress"].Option.Series[1].Data))
	assert.Equal(t, "----xxxxxxx----------", shown(charts["progress"].Option.Series[2].Data))
	assert.Equal(t, "xxxxxxxxxxxxxxxxxxxxx", shown(charts["dram"].Option.Series[2].Data), "what it has written may move later")
	// In the interval of its arrival a tenant is measured over the time since then.
	assert.JSONEq(t, "0.5714", string(charts["progress"].Option.Series[2].Data[4].Value), "50 x 160 of 100 x 140")
}

func TestLastMomentHasALabel(t *testing.T) {
	every := func(interval, last uint64) (list []uint64) {
		for c := uint64(0); c < last; c += interval {
			list = append(list, c)
		}
		return append(list, last)
	}
	for _, c := range []struct {
		moments []uint64
		want    []uint64
	}{
		{every(400, 100_000), []uint64{0, 20_000, 40_000, 60_000, 80_000, 100_000}},
		{every(400, 93_777), []uint64{0, 20_000, 40_000, 60_000, 80_000, 93_777}},
		{every(400, 62_000), []uint64{0, 8_000, 16_000, 24_000, 32_000, 40_000, 48_000, 56_000, 62_000}},
		{every(400, 59_000), []uint64{0, 8_000, 16_000, 24_000, 32_000, 40_000, 48_000, 59_000}}, // 56,000 would touch it
		{every(3, 100), []uint64{0, 15, 30, 45, 60, 75, 100}},                                    // none is round
		{[]uint64{0, 7}, []uint64{0, 7}},
	} {
		var got []uint64
		for _, i := range labelled(c.moments) {
			got = append(got, c.moments[i])
		}
		assert.Equal(t, c.want, got)
	}
}

func TestMapShowsWhenContextsMove(t *testing.T) {
	r := report(t, 2)
	assert.NotContains(t, written(t, r), "contexts</span>")
	for i := range r.Samples {
		// From cycle 320 to 960 SM 2 saves contexts of tenant 1, and from 640 it
		// loads a context of tenant 0.
		r.Samples[i].SMs[2][1].SavedBytes = 1024 * uint64(min(max(i-2, 0), 4))
		r.Samples[i].SMs[2][0].LoadedBytes = 512 * uint64(min(max(i-4, 0), 1))
	}
	text := written(t, r)
	m := options(t, text)["sms"]
	require.Len(t, m.Option.Series, 4)
	moved := func(series int) string {
		var cells []string
		for _, d := range m.Option.Series[series].Data {
			cells = append(cells, string(d.Value))
		}
		return m.Option.Series[series].Name + " " + strings.Join(cells, " ")
	}
	assert.Equal(t, "saves contexts [2,5,5,4]", moved(2), "columns 2 to 5, row 5, 4 KiB")
	assert.Equal(t, "loads contexts [4,4,4,0.5]", moved(3))
	assert.Contains(t, text, "</i>saves contexts</span>")
	assert.Contains(t, text, "</i>loads contexts</span>")
}

func TestMapHasACellForEachSMTenantAndWindow(t *testing.T) {
	m := options(t, written(t, report(t, 2)))["sms"]
	for k, s := range m.Option.Series {
		require.Len(t, s.Data, 4*20)
		for i, d := range s.Data {
			var cell [3]float64
			require.NoError(t, json.Unmarshal(d.Value, &cell))
			require.Equal(t, [2]float64{float64(i / 4), float64(i%4*2 + k)}, [2]float64{cell[0], cell[1]})
			require.InDelta(t, 10*float64(k+1), cell[2], 0.1)
		}
	}
}

// Each SM's threads are a share of what that SM holds.
func TestSMsOfSeveralKindsAreShownByTheirOwnSize(t *testing.T) {
	r := report(t, 2)
	small := r.Config.SM
	small.Threads /= 2
	r.Config.SMKinds = map[string]sm.Spec{"small": small}
	r.Config.SMs = wiring.SMGroups{{Count: 2, Kind: wiring.BaseKind}, {Count: 2, Kind: "small"}}
	text := written(t, r)
	charts := options(t, text)
	for k, s := range charts["sms"].Option.Series {
		require.Len(t, s.Data, 4*20)
		for i, d := range s.Data {
			var cell [3]float64
			require.NoError(t, json.Unmarshal(d.Value, &cell))
			require.InDelta(t, float64(10*(k+1)*(1+i%4/2)), cell[2], 0.1, "SM %d", i%4)
		}
	}
	assert.InDelta(t, 100*8192*0.1/6144, constant(t, charts["occupancy"], 0), 0.1)
	assert.Equal(t, []string{"0 base", "1 base", "2 small", "3 small"}, charts["sm-stalls"].Option.XAxis[0].Data)
	assert.Contains(t, text, "in per cent of the 2 x 2048 &#43; 2 x 1024 that the SMs hold.")
	assert.Contains(t, text, `"SM 3 small"`)
	assert.Contains(t, text, "sm_kinds:\n")
}

func TestMapOfALargeGPUIsBounded(t *testing.T) {
	r := report(t, 1)
	r.Config.SMs = wiring.EqualSMs(1024)
	for i := range r.Samples {
		one := r.Samples[i].SMs[0]
		r.Samples[i].SMs = nil
		for range r.Config.SMs.Count() {
			r.Samples[i].SMs = append(r.Samples[i].SMs, one)
		}
	}
	for len(r.Samples) < 512 {
		r.Samples = append(r.Samples, r.Samples[1:]...)
	}
	step := r.columns(1024)
	assert.LessOrEqual(t, 1024*len(r.Samples)/step, mostCells+1024)
	assert.Greater(t, step, 1)
	names := strings.Join(everyFew(make([]string, 1024)), " ")
	assert.Equal(t, 32, strings.Count(names, "SM"))
}

func TestStallsAddUpToAHundredPerCent(t *testing.T) {
	charts := options(t, written(t, report(t, 2)))
	for id, bars := range map[string]int{"tenant-stalls": 2, "sm-stalls": 4} {
		sum := make([]float64, bars)
		for _, s := range charts[id].Option.Series {
			require.Len(t, s.Data, bars)
			for i, d := range s.Data {
				var v float64
				require.NoError(t, json.Unmarshal(d.Value, &v))
				sum[i] += v
			}
		}
		for _, total := range sum {
			assert.InDelta(t, 100, total, 0.05, id)
		}
		assert.Len(t, charts[id].Option.Series, int(sm.NumCauses))
	}
}

func TestEveryCauseHasANameAndAColourOfItsOwn(t *testing.T) {
	names, colours := map[string]bool{}, map[string]bool{}
	for cause := range sm.NumCauses {
		names[cause.Info().Shown], colours[string(causeFills[cause].css())] = true, true
	}
	assert.Len(t, names, int(sm.NumCauses))
	assert.Len(t, colours, int(sm.NumCauses))
	assert.False(t, names[""] || colours[""])
}

func TestSixteenTenantsCanBeToldApart(t *testing.T) {
	seen := map[string]bool{}
	for k := range 16 {
		seen[look.Colour(k)+dash(k)] = true
	}
	assert.Len(t, seen, 16)
}

func TestPreemptionsAreListed(t *testing.T) {
	r := report(t, 2)
	assert.Contains(t, written(t, r), "No thread block was told to leave its SM.")
	l := r.Preemptions.Listener()
	e := dispatcher.TBEvent{Cycle: 100, Mechanism: policy.Switch}
	l.TBLeaving(e)
	e.Cycle, e.ContextBytes = 1334, 10*1024
	l.TBPreempted(e)
	l.SMReserved(dispatcher.SMEvent{Cycle: 0, Mechanism: policy.Drain})
	l.SMFreed(dispatcher.SMEvent{Cycle: 1280})
	text := written(t, r)
	assert.Contains(t, text, "<td class=\"text\">app0</td><td class=\"text\">switch</td><td>1</td><td>1,234</td><td>1,234</td><td>0</td><td>10</td>")
	assert.Contains(t, text, "<td class=\"text\">drain</td><td>1</td><td>1,280</td><td>1,280</td><td>10.0</td>", "1280 of 4 x 3200 cycles")
}

func TestPageNeedsNothingElse(t *testing.T) {
	text := written(t, report(t, 2))
	assert.Equal(t, 3, strings.Count(text, "<script>")+strings.Count(text, `<script type="application/json" id="charts">`))
	markup := regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(text, "")
	assert.NotRegexp(t, `src=|href=|@import|url\(|<script`, markup)
	assert.NotContains(t, markup, "<b id")
	assert.Contains(t, markup, "<pre>go run ./platform run --app x</pre>")
	assert.Contains(t, markup, "core_mhz: 1000")
	assert.Less(t, len(text), 1_400_000)
	assert.Equal(t, text, written(t, report(t, 2)), "equal reports give equal bytes")
}
