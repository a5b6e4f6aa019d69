package docs

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"cotenant/experiment"
	"cotenant/experiment/reproduce"
	"cotenant/platform/presets"
	"cotenant/tests/need"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Figures that pages quote of commands too long for a transcript.

// run simulates applications as the program does by default; isolatedGPU is "" for the GPU itself.
func run(t *testing.T, gpu, isolatedGPU, policy string, cycles uint64, specs ...string) *experiment.Result {
	t.Helper()
	config, err := presets.Load(gpu)
	require.NoError(t, err)
	r := experiment.Run{Spec: experiment.Spec{Policy: policy, Cycles: cycles, Seed: 1}, GPU: config}
	if isolatedGPU != "" {
		r.IsolatedGPU, err = presets.Load(isolatedGPU)
		require.NoError(t, err)
	}
	for _, spec := range specs {
		app, err := experiment.Open(spec, r.Source(config))
		require.NoError(t, err)
		r.Apps = append(r.Apps, app)
	}
	result, err := r.Do(t.Context())
	require.NoError(t, err)
	require.NoError(t, result.Unexpected())
	return result
}

// states asserts that a page has a sentence, whatever its lines and the commas in its numbers.
func states(t *testing.T, page, form string, values ...any) {
	t.Helper()
	text := regexp.MustCompile(`(\d),(\d)`).ReplaceAllString(read(t, page), "$1$2")
	text = regexp.MustCompile(`\s+`).ReplaceAllString(text, " ")
	sentence := fmt.Sprintf(form, values...)
	assert.True(t, strings.Contains(text, sentence), "%s has not: %s", page, sentence)
}

func TestQuotedFiguresOfGPUsOfToday(t *testing.T) {
	need.Time(t)
	do := func(gpu, policy string, cycles uint64, specs ...string) *experiment.Result {
		return run(t, gpu, "", policy, cycles, specs...)
	}
	launches := func(gpu, spec string) (cycles []any) {
		for _, l := range do(gpu, "fcfs", 0, spec).Kernels[0].Launches {
			cycles = append(cycles, l.EndCycle-l.StartCycle)
		}
		return cycles
	}

	const today = "kernels-of-today.md"
	states(t, today, "kernels take %d, %d, %d and %d cycles", launches("a100", "gemm-f16-variants?size=medium&set=k:1024")...)
	states(t, today, "`gemm-f16` with two (`size=medium&set=m:2304,n:1536,k:1024`) takes %d cycles", launches("a100", "gemm-f16?size=medium&set=m:2304,n:1536,k:1024")...)
	states(t, today, "`gemv-f16` at size medium takes %d cycles", launches("a100", "gemv-f16?size=medium")...)
	states(t, today, "`gemv-q4` reads 25.4 MB in %d cycles", launches("a100", "gemv-q4?size=medium")[1])

	sleep := "sleep?size=medium&set=rounds:50"
	states(t, today, "end after %d cycles, one alone after %d. With 264 each they end after %d:", do("h100", "fcfs", 0, sleep, sleep).Cycles,
		do("h100", "fcfs", 0, sleep).Cycles, do("h100", "fcfs", 0, sleep+",blocks:264", sleep+",blocks:264").Cycles)

	wgemm := "ptx:examples/kernels/wgemm.yaml?set="
	states(t, "tensor-cores.md", "%d cycles, 194 of the H100's", do("h100", "fcfs", 0, wgemm+"m:2304,n:1408,k:1024").Cycles)
	states(t, "tensor-cores.md", "`m:768,n:704`, one thread block for each SM, takes %d:", do("h100", "fcfs", 0, wgemm+"m:768,n:704,k:1024").Cycles)

	fcfs, even := do("a100-1g", "fcfs", 400_000, "llm-prefill", "llm-decode"), do("a100-1g", "even", 400_000, "llm-prefill", "llm-decode")
	for i, name := range []string{"prefill", "decode"} {
		states(t, today, "| "+name+"'s part of its isolated IPC | %.3f | %.3f |", fcfs.Kernels[i].NormalizedIPC, even.Kernels[i].NormalizedIPC)
	}
	states(t, today, "| STP | %.3f | %.3f |", fcfs.STP, even.STP)
	states(t, today, "| fairness | %.3f | %.3f |", fcfs.Fairness, even.Fairness)
}

func TestQuotedFiguresOfPairs(t *testing.T) {
	need.Time(t)
	for _, policy := range []string{"even", "ws", "fixed:tbs=7/4", "fixed:tbs=7/4,rates=-/15.5,first=1/0", "ccbp:epoch=1k", "ccbp:epoch=1k,variant=drf",
		"ccbp:epoch=1k,sustain=0.85", "ccbp:epoch=1k,ls_unlimited=off", "ccbp:epoch=1k,variant=offline"} {
		r := run(t, "ccbp16-irc", "", policy, 150_000, "backprop?size=medium&set=work:24", "cfd?size=medium")
		states(t, "ccbp.md", "| `"+policy+"` | %.3f | %.3f | %.3f | %.3f |", r.Kernels[0].NormalizedIPC, r.Kernels[1].NormalizedIPC, r.HSpeedup, r.WSpeedup)
	}
	for _, c := range []struct{ gpu, policy string }{{"fermi16", "fixed:sms=8/8"}, {"heterocore-8b8s", "heterocore-agnostic"}, {"heterocore-8b8s", "heterocore:margin=0.05"},
		{"heterocore-8b8s", "heterocore:margin=0.05,preempt=ideal"},
		{"heterocore-8b8s", "fixed:sms=8+0/0+8"}, {"heterocore-8b8s", "fixed:sms=0+8/8+0"}} {
		r := run(t, c.gpu, "fermi16", c.policy, 1_000_000, "fdtd3d?size=medium", "streamcluster?size=medium")
		states(t, "heterocore.md", "`"+c.policy+"` | %.3f | %.3f | %.3f | %.3f |", r.Kernels[0].NormalizedIPC, r.Kernels[1].NormalizedIPC, r.STP, r.ANTT)
	}
}

func TestQuotedFiguresOfTPCsAndGPCs(t *testing.T) {
	need.Time(t)
	const links = "v100?request_noc.tpc_bytes=44&reply_noc.gpc_bytes=72&reply_noc.gpc_ports=4"
	for what, gpu := range map[string]string{"no links": "v100", "links, the contexts in two GPCs": links + "&gpcs=[8,14,14,14,14,16]", "links, the contexts in one GPC": links} {
		r := run(t, gpu, "", "green:sms=8/6", 100_000, "spmv", "spmv")
		states(t, "products.md", "| "+what+" | %.1f | %.1f |", r.Kernels[0].IPC, r.Kernels[1].IPC)
	}
}

// recorded has the rows of the record of a figure, by label.
func recorded(t *testing.T, name string) map[string]reproduce.Row {
	text, err := os.ReadFile("../experiment/reproduce/record/data/" + name + ".json")
	require.NoError(t, err)
	var record struct{ Report reproduce.Report }
	require.NoError(t, json.Unmarshal(text, &record))
	rows := map[string]reproduce.Row{}
	for _, r := range record.Report.Rows {
		rows[r.Label] = r
	}
	return rows
}

// The rows of deviations.md for the machines as they are have what the records of their figures have.
func TestDeviationsOfTheMachinesHaveTheValuesOfTheRecords(t *testing.T) {
	distance := func(rows map[string]reproduce.Row, metric string) float64 {
		sum, n := 0.0, 0
		for label, r := range rows {
			if strings.HasSuffix(label, ", "+metric) {
				sum, n = sum+math.Abs(*r.Ours-*r.Paper), n+1
			}
		}
		return sum / float64(n)
	}
	smk := recorded(t, "smk-table2")
	var stalls []string
	for _, kernel := range []string{"lattice6overlap", "StreamCollide", "mysgemmNT", "spmvjds", "block2Dregtiling", "genhists"} {
		stalls = append(stalls, fmt.Sprintf("%.1f", *smk[kernel+", stall cycles"].Ours))
	}
	states(t, "deviations.md", "smk16 | %s | %.2f |", strings.Join(stalls, " | "), distance(smk, "stall cycles"))
	ccbp := recorded(t, "ccbp-table2")
	states(t, "deviations.md", "ccbp16 | %.2f | %.2f | %.2f | %.2f |", distance(ccbp, "throughput"), distance(ccbp, "NoC bandwidth"), distance(ccbp, "DRAM bandwidth"), distance(ccbp, "L2 misses"))
}

// The tables of silicon.md have what the record of silicon-gv100 has.
func TestSiliconPageHasTheValuesOfTheRecord(t *testing.T) {
	rows := recorded(t, "silicon-gv100-long")
	beside := func(kernel, metric, format string) string {
		r := rows[kernel+", "+metric]
		require.NotNil(t, r.Paper, kernel)
		return fmt.Sprintf(format+" / "+format, *r.Paper, *r.Ours)
	}
	kernels := 0
	for label, r := range rows {
		kernel, timed := strings.CutSuffix(label, ", elapsed cycles")
		if !timed || r.Ours == nil {
			continue
		}
		kernels++
		off := func(metric string) float64 { r := rows[kernel+", "+metric]; return 100 * (*r.Ours / *r.Paper - 1) }
		var cells []string
		for _, metric := range []string{"L2 reads", "L2 read misses", "DRAM writes"} {
			cells = append(cells, beside(kernel, metric, "%.0f"))
		}
		states(t, "silicon.md", "| %s | %s (%+.1f %%) | %s | %s |", kernel, beside(kernel, "elapsed cycles", "%.0f"), off("elapsed cycles"), strings.Join(cells, " | "), beside(kernel, "idle SMs", "%.1f"))
		states(t, "silicon.md", "| %s | %s (%+.1f %%) |", kernel, beside(kernel, "mean power", "%.1f"), off("mean power"))
	}
	assert.Equal(t, 13, kernels)
	states(t, "silicon.md", "mean absolute error of the cycles of %.1f %% over the thirteen kernels, %.1f %% at most", *rows["mean absolute error of cycles, 13 kernels"].Ours, *rows["largest error of cycles"].Ours)
}
