package timeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	dispatcher "cotenant/cta_dispatcher"
	"cotenant/cta_dispatcher/policy"
	"cotenant/host"
	"cotenant/workload"
)

// event is a line of the file, as a viewer reads it.
type event struct {
	Phase    string `json:"ph"`
	Process  int    `json:"pid"`
	Thread   int    `json:"tid"`
	TS       json.Number
	Duration json.Number `json:"dur"`
	Name     string
	Category string `json:"cat"`
	Colour   string `json:"cname"`
	Args     map[string]any
}

// nanoseconds of a time of the file, exactly.
func nanoseconds(t require.TestingT, n json.Number) uint64 {
	var us, ns uint64
	_, err := fmt.Sscanf(n.String(), "%d.%03d", &us, &ns)
	require.NoError(t, err)
	return us*1000 + ns
}

func parse(t require.TestingT, text []byte) []event {
	var file struct {
		DisplayTimeUnit string
		TraceEvents     []event
	}
	require.NoError(t, json.Unmarshal(text, &file), string(text))
	assert.Equal(t, "ns", file.DisplayTimeUnit)
	return file.TraceEvents
}

func tracks(list []event) map[track]string {
	names := map[track]string{}
	for _, e := range list {
		if e.Phase == "M" && e.Name == "thread_name" {
			names[track{e.Process, e.Thread}] = e.Args["name"].(string)
		}
	}
	return names
}

// lines are the slices and counters, in words.
func lines(t *testing.T, text []byte) (list []string) {
	events := parse(t, text)
	names := tracks(events)
	for _, e := range events {
		switch e.Phase {
		case "X":
			list = append(list, fmt.Sprintf("%s | %s | %s us for %s us | %s", names[track{e.Process, e.Thread}], e.Name, e.TS, e.Duration, args(e)))
		case "C":
			list = append(list, fmt.Sprintf("%s at %s us: %v", e.Name, e.TS, e.Args))
		}
	}
	return list
}

func args(e event) string {
	text := ""
	for _, k := range []string{"cycle", "cycles", "tenant", "launch", "tb", "tbs", "context_bytes", "bytes", "unfinished", "region"} {
		if v, ok := e.Args[k]; ok {
			text += fmt.Sprintf("%s=%v ", k, v)
		}
	}
	return text[:len(text)-1]
}

func TestPreemptionReadsAsOneStoryOnItsTracks(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"sgemm", `l"bm`}, GPU: "gtx980", Policy: "spart", Version: "dev"})
	l := w.Listener()
	tb := func(cycle uint64, tenant, n, sm, bytes int) dispatcher.TBEvent {
		return dispatcher.TBEvent{Cycle: cycle, Tenant: tenant, TB: n, SM: sm, Mechanism: policy.Switch, ContextBytes: bytes}
	}
	l.KernelStarted(dispatcher.KernelEvent{Cycle: 0, Tenant: 0, Kernel: "mysgemm", TBs: 2})
	l.TBPlaced(tb(0, 0, 0, 3, 0))
	l.TBPlaced(tb(0, 0, 1, 3, 0))
	l.KernelStarted(dispatcher.KernelEvent{Cycle: 1000, Tenant: 1, Kernel: `l"bm`, TBs: 1})
	l.SMReserved(dispatcher.SMEvent{Cycle: 1000, SM: 3, Mechanism: policy.Switch})
	l.TBLeaving(tb(1000, 0, 0, 3, 0))
	l.TBLeaving(tb(1000, 0, 1, 3, 0))
	l.TBFinished(tb(1200, 0, 0, 3, 0)) // before it could be saved
	l.TBPreempted(tb(2500, 0, 1, 3, 4096))
	l.SMFreed(dispatcher.SMEvent{Cycle: 2500, SM: 3, Mechanism: policy.Switch})
	l.TBPlaced(tb(2500, 1, 0, 3, 0))
	l.TBReturning(tb(3000, 0, 1, 3, 4096))
	l.TBRestored(tb(3600, 0, 1, 3, 4096))
	l.TBFinished(tb(5000, 0, 1, 3, 0))
	l.KernelFinished(dispatcher.KernelEvent{Cycle: 5000, Tenant: 0, Kernel: "mysgemm", TBs: 2})
	w.copied(0, 0, true, 64, 5000, 5500)
	require.NoError(t, w.Close(6000))

	assert.Equal(t, []string{
		"SM 3 · slot 0 | sgemm: mysgemm | 0.000 us for 1.200 us | cycle=0 cycles=1200 tenant=sgemm launch=0 tb=0",
		"SM 3 · slot 0 | leaving (switch) | 1.000 us for 0.200 us | cycle=1000 cycles=200 context_bytes=0",
		`resident TBs at 0.000 us: map[l"bm:0 sgemm:2]`,
		"SM 3 · slot 1 | sgemm: mysgemm | 0.000 us for 2.500 us | cycle=0 cycles=2500 tenant=sgemm launch=0 tb=1",
		"SM 3 · slot 1 | leaving (switch) | 1.000 us for 1.500 us | cycle=1000 cycles=1500 context_bytes=4096",
		`resident TBs at 1.200 us: map[l"bm:0 sgemm:1]`,
		"SM 3 · reserved | reserved (switch) | 1.000 us for 1.500 us | cycle=1000 cycles=1500",
		`resident TBs at 2.500 us: map[l"bm:1 sgemm:0]`,
		"SM 3 · slot 1 | sgemm: mysgemm | 3.000 us for 2.000 us | cycle=3000 cycles=2000 tenant=sgemm launch=0 tb=1",
		"SM 3 · slot 1 | loading (switch) | 3.000 us for 0.600 us | cycle=3000 cycles=600 context_bytes=4096",
		`resident TBs at 3.000 us: map[l"bm:1 sgemm:1]`,
		"sgemm | sgemm: mysgemm | 0.000 us for 5.000 us | cycle=0 cycles=5000 launch=0 tbs=2",
		"sgemm | copy to host | 5.000 us for 0.500 us | cycle=5000 cycles=500 bytes=64",
		`SM 3 · slot 0 | l"bm | 2.500 us for 3.500 us | cycle=2500 cycles=3500 tenant=l"bm launch=0 tb=0 unfinished=true`,
		`l"bm | l"bm | 1.000 us for 5.000 us | cycle=1000 cycles=5000 launch=0 tbs=1 unfinished=true`,
		`resident TBs at 5.000 us: map[l"bm:1 sgemm:0]`,
	}, lines(t, out.Bytes()))
}

// Copies of a tenant at the same time have tracks of their own.
func TestCopiesThatOverlapHaveTracks(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{GPU: "a100", Policy: "fcfs", CoreMHz: 1000, Tenants: []string{"sgemm", `l"bm`}})
	l := w.HostListener()
	event := func(cycle uint64, process, queue int, bytes uint64) host.CommandEvent {
		return host.CommandEvent{Cycle: cycle, Process: process, Queue: queue, Op: &workload.Op{Bytes: bytes}}
	}
	l.Issued(event(1000, 1, 0, 10))
	l.Issued(event(1500, 1, 1, 20))
	l.Issued(event(1600, 0, 2, 30))
	l.Completed(event(2000, 1, 0, 10))
	l.Issued(event(2100, 1, 3, 40))
	l.Completed(event(3000, 1, 3, 40))
	l.Completed(event(3100, 1, 1, 20))
	l.Completed(event(3200, 0, 2, 30))
	require.NoError(t, w.Close(4000))
	assert.Equal(t, []string{
		`l"bm | copy to device | 1.000 us for 1.000 us | cycle=1000 cycles=1000 bytes=10`,
		`l"bm | copy to device | 2.100 us for 0.900 us | cycle=2100 cycles=900 bytes=40`,
		`l"bm · 2 | copy to device | 1.500 us for 1.600 us | cycle=1500 cycles=1600 bytes=20`,
		"sgemm | copy to device | 1.600 us for 1.600 us | cycle=1600 cycles=1600 bytes=30",
	}, lines(t, out.Bytes()))
}

// machine makes events that an SM driver could tell, in a random order.
type machine struct {
	*rapid.T
	listener dispatcher.Listener
	cycle    uint64
	next     int
	running  []dispatcher.TBEvent // on an SM, not leaving
	leaving  []dispatcher.TBEvent
	loading  []dispatcher.TBEvent
	waiting  []dispatcher.TBEvent // preempted
}

// take removes an event of a list, moved to the present cycle.
func (m *machine) take(list *[]dispatcher.TBEvent) dispatcher.TBEvent {
	i := rapid.IntRange(0, len(*list)-1).Draw(m.T, "which")
	e := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	e.Cycle = m.cycle
	return e
}

func (m *machine) step() {
	m.cycle += uint64(rapid.IntRange(0, 3).Draw(m.T, "cycles"))
	sm := rapid.IntRange(0, 2).Draw(m.T, "sm")
	switch what := rapid.IntRange(0, 5).Draw(m.T, "what"); {
	case what == 0:
		e := dispatcher.TBEvent{Cycle: m.cycle, Tenant: m.next % 2, TB: m.next / 2, SM: sm}
		m.next++
		m.listener.TBPlaced(e)
		m.running = append(m.running, e)
	case what == 1 && len(m.running) > 0:
		m.listener.TBFinished(m.take(&m.running))
	case what == 2 && len(m.running) > 0:
		e := m.take(&m.running)
		m.listener.TBLeaving(e)
		m.leaving = append(m.leaving, e)
	case what == 3 && len(m.leaving) > 0:
		e := m.take(&m.leaving)
		m.listener.TBPreempted(e)
		m.waiting = append(m.waiting, e)
	case what == 4 && len(m.waiting) > 0:
		e := m.take(&m.waiting)
		e.SM = sm
		m.listener.TBReturning(e)
		m.loading = append(m.loading, e)
	case what == 5 && len(m.loading) > 0:
		e := m.take(&m.loading)
		m.listener.TBRestored(e)
		m.running = append(m.running, e)
	}
}

// Two slices of a track are nested or disjoint, also if a cycle is not a whole number of
// nanoseconds, and the enclosing slice comes first: otherwise a viewer drops one of them.
func TestSlicesOfATrackNest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		w := New(&out, Options{CoreMHz: rapid.SampledFrom([]int{706, 1126, 3001}).Draw(t, "MHz"), Tenants: []string{"a", "b"}})
		m := &machine{T: t, listener: w.Listener()}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			m.step()
		}
		require.NoError(t, w.Close(m.cycle))
		events := parse(t, out.Bytes())
		open := map[track][][2]uint64{}
		for _, e := range events {
			if e.Phase != "X" {
				continue
			}
			at := track{e.Process, e.Thread}
			start := nanoseconds(t, e.TS)
			end := start + nanoseconds(t, e.Duration)
			for _, o := range open[at] {
				inside := start >= o[0] && end <= o[1]
				apart := start >= o[1] || end <= o[0]
				require.True(t, inside || apart, "%s at %d to %d within %v", e.Name, start, end, o)
			}
			open[at] = append(open[at], [2]uint64{start, end})
		}
		checkCounts(t, m, events)
	})
}

// checkCounts compares the last counters with the state of the SMs.
func checkCounts(t *rapid.T, m *machine, events []event) {
	var want [2]int
	for _, list := range [][]dispatcher.TBEvent{m.running, m.leaving, m.loading} {
		for _, e := range list {
			want[e.Tenant]++
		}
	}
	got, unfinished := [2]int{}, [2]int{}
	for _, e := range events {
		if e.Phase == "C" {
			got = [2]int{int(e.Args["a"].(float64)), int(e.Args["b"].(float64))}
		}
		if e.Category == "tb" && e.Args["unfinished"] == true {
			unfinished[int(e.Args["tenant"].(string)[0]-'a')]++
		}
	}
	require.Equal(t, want, got)
	require.Equal(t, want, unfinished)
}

func TestTracksAreNamedOnceAndSortedBySM(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a"}})
	for i := range 4 {
		w.arrived(dispatcher.TBEvent{TB: i, SM: 1 - i%2})
	}
	w.smReserved(dispatcher.SMEvent{})
	require.NoError(t, w.Close(1))
	named, processes := map[track]int{}, 0
	for _, e := range parse(t, out.Bytes()) {
		if e.Phase == "M" && e.Name == "process_name" {
			processes++
			assert.Equal(t, "GPU", e.Args["name"])
		}
		if e.Phase == "M" && e.Name == "thread_sort_index" {
			named[track{e.Process, e.Thread}]++
			assert.Equal(t, float64(e.Thread), e.Args["sort_index"])
		}
	}
	assert.Equal(t, 1, processes)
	assert.Equal(t, map[track]int{{1, 1}: 1, {1, 2}: 1, {1, 3}: 1, {1, 1026}: 1, {1, 1027}: 1}, named)
}

type brokenWriter struct{ error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.error }

func TestCloseReturnsTheErrorOfWriting(t *testing.T) {
	full := errors.New("no space left on device")
	w := New(brokenWriter{full}, Options{CoreMHz: 1000, Tenants: []string{"a"}})
	assert.ErrorIs(t, w.Close(0), full)
}

func TestMemoryIsForWhatIsOnTheGPU(t *testing.T) {
	var out bytes.Buffer
	w := New(&out, Options{CoreMHz: 1000, Tenants: []string{"a"}})
	for i := range uint64(100) {
		w.kernelStarted(dispatcher.KernelEvent{Cycle: i, Launch: i, Kernel: "k"})
		w.arrived(dispatcher.TBEvent{Cycle: i, Launch: i})
		w.left(dispatcher.TBEvent{Cycle: i + 1, Launch: i})
		w.kernelFinished(dispatcher.KernelEvent{Cycle: i + 1, Launch: i, Kernel: "k"})
	}
	assert.Empty(t, w.resident)
	assert.Empty(t, w.kernels)
	assert.Len(t, w.slots[0].taken, 1)
}
