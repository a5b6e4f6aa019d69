package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/experiment"
	"cotenant/observe"
	"cotenant/observe/sample"
	"cotenant/observe/timeline"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// paging is an application in which each thread block reads a region of its own, and then
// a region that all of them read.
func paging(name string, tbs int) *workload.App {
	return script.App(name, script.Kernel(name, tbs, 256, func(tb, _ int) []workload.Inst {
		return []workload.Inst{
			script.Access(workload.Load, workload.Global, uint64(tb+1)<<16, 4, 4, 1), script.Op(workload.Int, 2, 1),
			script.Access(workload.Load, workload.Global, 1<<30, 4, 4, 3), script.Op(workload.Int, 4, 3),
		}
	}))
}

// Timeline, samples and results agree about page faults.
func TestViewsOfPageFaultsAgreeWithTheCounters(t *testing.T) {
	const options = "?sms=2&sm.tbs=2&sm.faults.scheme=operand-log&sm.faults.log_bytes=16384"
	for _, more := range []string{"", "&pager.occupancy=3000", "&driver.block_switching.extra=2"} {
		gpu := preset(t, outOrder+options+more)
		apps := []*workload.App{paging("a", 7), paging("b", 5)}
		var out bytes.Buffer
		w := timeline.New(&out, timeline.Options{CoreMHz: gpu.Clocks.Core, Tenants: []string{"a", "b"}})
		left := 0
		r := &experiment.Run{Spec: experiment.Spec{Policy: "even", Parameters: experiment.Parameters{Pages: wiring.PagesDemand}}, GPU: gpu, Host: w.HostListener(), Faults: w.FaultListener(), Pager: w.PagerListener(),
			Listener: observe.Join(w.Listener(), dispatcher.Listener{TBLeaving: func(e dispatcher.TBEvent) {
				require.True(t, e.Fault)
				left++
			}})}
		var recorder *sample.Recorder
		r.Started = func(p *wiring.Platform) error {
			recorder = sample.Attach(p, 2, 0)
			return nil
		}
		for _, a := range apps {
			r.Apps = append(r.Apps, experiment.App{Spec: a.Name, Workload: a})
		}
		result, err := r.Do(context.Background())
		require.NoError(t, err)
		require.NoError(t, w.Close(result.Cycles))

		fill, pager := counters(result, "fill"), counters(result, "pager")
		require.Equal(t, uint64(7+5+2), fill["regions"], "one of each thread block and one that all of a tenant's read")
		var file struct {
			TraceEvents []struct {
				Name, Cat string
				Args      struct {
					Name   string
					Cycles uint64
				}
				PID, TID int
			}
		}
		require.NoError(t, json.Unmarshal(out.Bytes(), &file))
		tracks := map[[2]int]string{}
		var regions, services int
		var inFlight, busy uint64
		for _, e := range file.TraceEvents {
			if e.Name == "thread_name" {
				tracks[[2]int{e.PID, e.TID}] = e.Args.Name
			}
			switch {
			case e.Cat != "fault":
			case strings.HasPrefix(tracks[[2]int{e.PID, e.TID}], "pager"):
				services++
				busy += e.Args.Cycles
			default:
				require.Equal(t, "migrate (pager)", e.Name)
				regions++
				inFlight += e.Args.Cycles
			}
		}
		require.Equal(t, []int{14, 14}, []int{regions, services})
		require.Equal(t, fill["service_cycles"], inFlight)
		require.Equal(t, uint64(14*12_000), busy)
		if strings.Contains(more, "occupancy") {
			require.Equal(t, uint64(14*3000), pager["busy_cycles"])
			require.Contains(t, out.String(), `"pager · 2"`)
		} else {
			require.Equal(t, busy, pager["busy_cycles"])
			require.NotContains(t, out.String(), `"pager · 2"`)
		}

		samples := recorder.Samples(result.Cycles)
		last, waiting := samples[len(samples)-1], 0
		require.Equal(t, fill["service_cycles"], last.Tenants[0].RegionCycles+last.Tenants[1].RegionCycles)
		for i, s := range samples {
			require.LessOrEqual(t, s.WaitingWarps, s.Warps)
			waiting = max(waiting, s.WaitingWarps)
			for k := range s.Tenants {
				require.True(t, i == 0 || samples[i-1].Tenants[k].RegionCycles <= s.Tenants[k].RegionCycles)
			}
		}
		if !strings.Contains(more, "extra") { // else some have left
			require.Equal(t, 32, waiting, "all warps of the thread blocks that fit")
		}

		require.Equal(t, counters(result, "driver")["block_switches"], uint64(left))
		require.Equal(t, strings.Contains(more, "extra"), left > 0)
		require.Equal(t, left > 0, strings.Contains(out.String(), "leaving (switch on a fault)"))
	}
}
