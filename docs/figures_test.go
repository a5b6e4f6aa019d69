package docs

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"cotenant/experiment"
	"cotenant/platform/presets"
	"cotenant/tests/need"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Cycles and speedups that pages quote of commands too long for a transcript.
func TestQuotedFiguresOfGPUsOfToday(t *testing.T) {
	need.Time(t)
	do := func(gpu, policy string, cycles uint64, specs ...string) *experiment.Result {
		config, err := presets.Load(gpu)
		require.NoError(t, err)
		run := experiment.Run{Spec: experiment.Spec{Policy: policy, Cycles: cycles, Seed: 1}, GPU: config}
		for _, spec := range specs {
			app, err := experiment.Open(spec, run.Source(config))
			require.NoError(t, err)
			run.Apps = append(run.Apps, app)
		}
		result, err := run.Do(t.Context())
		require.NoError(t, err)
		require.NoError(t, result.Unexpected())
		return result
	}
	launches := func(gpu, spec string) (cycles []any) {
		for _, l := range do(gpu, "fcfs", 0, spec).Kernels[0].Launches {
			cycles = append(cycles, l.EndCycle-l.StartCycle)
		}
		return cycles
	}
	quotes := func(page, form string, values ...any) {
		text := regexp.MustCompile(`(\d),(\d)`).ReplaceAllString(read(t, page), "$1$2")
		text = regexp.MustCompile(`\s+`).ReplaceAllString(text, " ")
		quote := fmt.Sprintf(form, values...)
		assert.True(t, strings.Contains(text, quote), "%s has not: %s", page, quote)
	}

	const today = "kernels-of-today.md"
	quotes(today, "kernels take %d, %d, %d and %d cycles", launches("a100", "gemm-f16-variants?size=medium&set=k:1024")...)
	quotes(today, "`gemm-f16` with two (`size=medium&set=m:2304,n:1536,k:1024`) takes %d cycles", launches("a100", "gemm-f16?size=medium&set=m:2304,n:1536,k:1024")...)
	quotes(today, "`gemv-f16` at size medium takes %d cycles", launches("a100", "gemv-f16?size=medium")...)
	quotes(today, "`gemv-q4` reads 25.4 MB in %d cycles", launches("a100", "gemv-q4?size=medium")[1])

	sleep := "sleep?size=medium&set=rounds:50"
	quotes(today, "end after %d cycles, one alone after %d. With 264 each they end after %d:", do("h100", "fcfs", 0, sleep, sleep).Cycles,
		do("h100", "fcfs", 0, sleep).Cycles, do("h100", "fcfs", 0, sleep+",blocks:264", sleep+",blocks:264").Cycles)

	wgemm := "ptx:examples/kernels/wgemm.yaml?set="
	quotes("tensor-cores.md", "%d cycles, 202 of the H100's", do("h100", "fcfs", 0, wgemm+"m:2304,n:1408,k:1024").Cycles)
	quotes("tensor-cores.md", "`m:768,n:704`, one thread block for each SM, takes %d:", do("h100", "fcfs", 0, wgemm+"m:768,n:704,k:1024").Cycles)

	fcfs, even := do("a100-1g", "fcfs", 400_000, "llm-prefill", "llm-decode"), do("a100-1g", "even", 400_000, "llm-prefill", "llm-decode")
	for i, name := range []string{"prefill", "decode"} {
		quotes(today, "| "+name+"'s part of its isolated IPC | %.3f | %.3f |", fcfs.Kernels[i].NormalizedIPC, even.Kernels[i].NormalizedIPC)
	}
	quotes(today, "| STP | %.3f | %.3f |", fcfs.STP, even.STP)
	quotes(today, "| fairness | %.3f | %.3f |", fcfs.Fairness, even.Fairness)
}
