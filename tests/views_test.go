package tests

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cotenant/host"
	"cotenant/observe"
	"cotenant/observe/sample"
	"cotenant/observe/timeline"
	"cotenant/observe/wave"
	"cotenant/platform/wiring"
	"cotenant/workload/script"

	"github.com/stretchr/testify/require"
)

// viewed is a run of two tenants with random preemptions, and what its views
// show.
type viewed struct {
	gpu         *wiring.Platform
	cycles      uint64
	slices      []traceSlice
	preemptions *sample.Preemptions
	wave        string
}

// traceSlice is a slice of a timeline.
type traceSlice struct {
	Phase    string  `json:"ph"`
	Process  int     `json:"pid"`
	Thread   int     `json:"tid"`
	TS       float64 `json:"ts"`
	Duration float64 `json:"dur"`
	Category string  `json:"cat"`
	Name     string
	Args     struct {
		Bytes      uint64 `json:"context_bytes"`
		Unfinished bool
	}
}

func view(t *testing.T, seed uint64) *viewed {
	random := rand.New(rand.NewPCG(seed, 7))
	var instructions uint64
	runs := map[int]int{}
	a, b := script.App("a", work(random, "a", runs, &instructions)), script.App("b", work(random, "b", runs, &instructions))
	config := wired(t, 2+random.IntN(2), &chaos{}, false, a, b).Config

	v := &viewed{preemptions: sample.NewPreemptions()}
	var trace, dump bytes.Buffer
	tenants := []string{"a", "b"}
	lines := timeline.New(&trace, timeline.Options{CoreMHz: config.Clocks.Core, Tenants: tenants})
	w := wave.New(&dump, wave.Options{CoreMHz: config.Clocks.Core, Tenants: tenants})
	var err error
	v.gpu, err = wiring.NewWatched(config, &chaos{random: random, left: 30}, []host.Process{{App: a}, {App: b}},
		wiring.Listeners{Driver: observe.Join(lines.Listener(), w.Listener(), v.preemptions.Listener())})
	require.NoError(t, err)
	var sms []wave.SM
	for _, m := range v.gpu.SMs {
		sms = append(sms, wave.SM{Component: m, TBs: m.Spec().TBs})
	}
	w.Declare(sms, v.gpu.Components(), nil)
	v.gpu.Every(64, w.Sample)
	require.NoError(t, v.gpu.Run(context.Background(), 0, nil))
	v.cycles = v.gpu.Cycles(0)
	require.NoError(t, lines.Close(v.cycles))
	require.NoError(t, w.Close(v.cycles))
	v.wave = dump.String()
	var file struct{ TraceEvents []traceSlice }
	require.NoError(t, json.Unmarshal(trace.Bytes(), &file))
	v.slices = slices.DeleteFunc(file.TraceEvents, func(s traceSlice) bool { return s.Phase != "X" })
	return v
}

// What the views show of random preemptions is what the SM driver has counted.
func TestViewsAgreeWithTheDriversCounters(t *testing.T) {
	reserved, phases := 0, map[string]int{}
	for seed := range uint64(40) {
		v := view(t, seed)
		var placed, finished, saved, loaded uint64
		for _, d := range v.gpu.Driver.Stats().Tenants {
			placed += d.TBsPlaced
			finished += d.TBsCompleted
			saved += d.ContextBytes
			loaded += d.RestoredBytes
		}
		var stays, savedShown, loadedShown uint64
		for _, s := range v.slices {
			require.False(t, s.Args.Unfinished, "seed %d: %v", seed, s)
			switch s.Category {
			case "tb":
				stays++
			case "sm":
				reserved++
			case "preemption":
				phases[s.Name]++
				if strings.HasPrefix(s.Name, "leaving") {
					savedShown += s.Args.Bytes
				} else {
					loadedShown += s.Args.Bytes
				}
			}
		}
		require.Equal(t, []uint64{placed, saved, loaded}, []uint64{stays, savedShown, loadedShown}, "seed %d", seed)
		var left, savedRows, loadedRows uint64
		for _, r := range v.preemptions.Rows() {
			left += r.Left.Count
			savedRows += r.SavedBytes
			loadedRows += r.LoadedBytes
		}
		require.Equal(t, []uint64{placed - finished, saved, loaded}, []uint64{left, savedRows, loadedRows}, "seed %d", seed)
		requireNested(t, v.slices)
		requireEmptyAtTheEnd(t, v.wave)
	}
	require.Greater(t, reserved, 100)
	for _, name := range []string{"leaving (switch)", "leaving (ideal)", "loading (switch)", "loading (ideal)"} {
		require.Greater(t, phases[name], 50, name)
	}
}

// requireNested makes sure that on each track a slice is inside the one before
// it or after it.
func requireNested(t *testing.T, list []traceSlice) {
	const slack = 1e-6 // of floats; times are whole nanoseconds
	slices.SortStableFunc(list, func(a, b traceSlice) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.TS, b.TS))
	})
	var open []traceSlice
	for _, s := range list {
		for len(open) > 0 {
			o := open[len(open)-1]
			if o.Process == s.Process && o.Thread == s.Thread && s.TS+slack < o.TS+o.Duration {
				require.LessOrEqual(t, s.TS+s.Duration, o.TS+o.Duration+slack, "%v sticks out of %v", s, o)
				break
			}
			open = open[:len(open)-1]
		}
		open = append(open, s)
	}
}

var declaration = regexp.MustCompile(`\$var wire (\d+) (\S+) (\S+) `)

// requireEmptyAtTheEnd makes sure that a wave's values fit their signals, and
// that no thread block is left on an SM.
func requireEmptyAtTheEnd(t *testing.T, text string) {
	last := map[string]string{}
	head, body, _ := strings.Cut(text, "$enddefinitions $end\n")
	for line := range strings.Lines(body) {
		if value, code, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			last[code] = strings.TrimPrefix(value, "b")
		} else if line[0] == '0' || line[0] == '1' {
			last[strings.TrimSpace(line[1:])] = line[:1]
		}
	}
	zero := 0
	for _, d := range declaration.FindAllStringSubmatch(head, -1) {
		width, err := strconv.Atoi(d[1])
		require.NoError(t, err)
		require.LessOrEqual(t, len(last[d[2]]), width, fmt.Sprint(d))
		if strings.HasPrefix(d[3], "tbs_") {
			require.Equal(t, "0", last[d[2]], d[3])
			zero++
		}
	}
	require.NotZero(t, zero)
}
