package monitor

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sarchlab/akita/v3/sim"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"cotenant/components"
)

// counter is a block that counts its clock edges for ever. Its fields have
// every kind of value that a block may have.
type counter struct {
	components.Module

	edges   uint64
	signed  int8
	on      bool
	ratio   float64
	nan     float64
	label   string
	table   [3]uint16
	lists   [][]int
	names   map[string]int
	act     func()
	nothing *counter
	self    any
}

func (c *counter) Tick(cycle uint64) bool {
	c.edges = cycle + 1
	c.table[cycle%3]++
	return true
}

// page is a monitored simulation that runs until the test ends.
type page struct {
	t      *testing.T
	url    string
	engine *components.Engine
	close  func()
}

func open(t *testing.T) *page {
	t.Helper()
	engine := components.NewEngine()
	core, err := engine.AddDomain("core", 1_000_000_000)
	require.NoError(t, err)
	c := &counter{signed: -3, on: true, ratio: 0.5, nan: math.NaN(), label: `"quoted" <b>`,
		lists: [][]int{{1, 2}, {3}}, names: map[string]int{"a": 1}, act: func() {}, nothing: nil}
	c.self = c
	c.Init("GPU.Counter", core, c)
	c.NewPort("In", 4)
	c.Start()
	p := &page{t: t, engine: engine}
	var done atomic.Uint64
	done.Store(250)
	p.url, p.close, err = Serve("127.0.0.1:0", engine, []sim.Component{c}, func() (uint64, uint64) { return done.Load(), 1000 })
	require.NoError(t, err)
	stopped := make(chan struct{})
	var stop atomic.Bool
	go func() {
		defer close(stopped)
		for until := components.Time(1 << 20); !stop.Load(); until += 1 << 20 {
			engine.RunUntil(until)
		}
	}()
	t.Cleanup(func() {
		p.close()
		stop.Store(true)
		<-stopped
	})
	return p
}

// get asks and returns the status and the answer.
func (p *page) get(path string) (int, string) {
	p.t.Helper()
	r, err := http.Get(p.url + path)
	require.NoError(p.t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(p.t, err)
	return r.StatusCode, string(body)
}

// object asks for JSON.
func (p *page) object(path string, out any) {
	p.t.Helper()
	status, body := p.get(path)
	require.Equal(p.t, 200, status, body)
	require.NoError(p.t, json.Unmarshal([]byte(body), out), body)
}

func (p *page) fieldPath(field string) string {
	return "/api/field/" + url.PathEscape(`{"comp_name":"GPU.Counter","field_name":"`+field+`"}`)
}

// value asks for a field that has no members.
func (p *page) value(field string) any {
	p.t.Helper()
	var s snapshot
	p.object(p.fieldPath(field), &s)
	return s.Dict[s.Root].Value
}

func TestPageAndItsScriptsAreServed(t *testing.T) {
	p := open(t)
	status, body := p.get("/")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, "<!DOCTYPE html>")
	_, script, found := strings.Cut(body, `src="/assets/`)
	require.True(t, found)
	script, _, _ = strings.Cut(script, `"`)
	status, body = p.get("/assets/" + script)
	assert.Equal(t, 200, status)
	// The server answers all requests of the page.
	for _, path := range []string{"now", "pause", "continue", "run", "tick/", "list_components", "component/", "field/", "hangdetector/buffers", "progress", "resource"} {
		assert.Contains(t, body, "/api/"+path)
	}
}

func TestSimulationStandsStillBetweenPauseAndContinue(t *testing.T) {
	p := open(t)
	var first, second struct{ Now float64 }
	p.get("/api/pause")
	p.get("/api/pause") // twice is once
	p.object("/api/now", &first)
	edges := p.value("edges")
	time.Sleep(20 * time.Millisecond)
	p.object("/api/now", &second)
	assert.Equal(t, first.Now, second.Now)
	assert.Equal(t, edges, p.value("edges"), "looking at a component does not end the pause")
	p.get("/api/continue")
	p.get("/api/run")
	assert.Eventually(t, func() bool {
		p.object("/api/now", &second)
		return second.Now > first.Now
	}, 5*time.Second, time.Millisecond)
}

func TestCloseEndsAPause(t *testing.T) {
	p := open(t)
	p.get("/api/pause")
	p.close()
	p.engine.Pause() // would wait for ever if the simulation still held the lock
	before := p.engine.CurrentTime()
	p.engine.Continue()
	assert.Eventually(t, func() bool {
		p.engine.Pause()
		defer p.engine.Continue()
		return p.engine.CurrentTime() > before
	}, 5*time.Second, time.Millisecond)
	_, err := http.Get(p.url)
	assert.Error(t, err)
}

func TestComponentShowsEveryKindOfField(t *testing.T) {
	p := open(t)
	var names []string
	p.object("/api/list_components", &names)
	assert.Equal(t, []string{"GPU.Counter"}, names)

	var s snapshot
	p.object("/api/component/GPU.Counter", &s)
	root := s.Dict[s.Root]
	assert.EqualValues(t, 25, root.Kind)
	member := func(name string) entry { return s.Dict[root.Value.(map[string]any)[name].(string)] }
	assert.Equal(t, entry{Kind: 6, Type: "int8", Value: -3.0}, member("signed"))
	assert.Equal(t, entry{Kind: 1, Type: "bool", Value: true}, member("on"))
	assert.Equal(t, entry{Kind: 14, Type: "float64", Value: 0.5}, member("ratio"))
	assert.Equal(t, entry{Kind: 24, Type: "float64", Value: "NaN"}, member("nan"))
	assert.Equal(t, entry{Kind: 24, Type: "string", Value: `"quoted" <b>`}, member("label"))
	assert.Equal(t, entry{Kind: 24, Type: "map[string]int", Value: "1 entries"}, member("names"))
	assert.Equal(t, entry{Kind: 24, Type: "func()", Value: "func"}, member("act"))
	assert.Equal(t, entry{Kind: 0, Type: "null"}, member("nothing"))
	assert.Equal(t, entry{Kind: 25, Type: "monitor.counter"}, member("self"))
	three := 3
	assert.Equal(t, entry{Kind: 23, Type: "[3]uint16", Length: &three}, member("table"))
}

func TestFieldIsFoundByItsPath(t *testing.T) {
	p := open(t)
	assert.Equal(t, 2.0, p.value("lists.0.1"))
	assert.Equal(t, "GPU.Counter", p.value("Module.name"))
	assert.Equal(t, 3.0, p.value("self.self.lists.1.0"))
	var s snapshot
	p.object(p.fieldPath("table"), &s)
	assert.Len(t, s.Dict[s.Root].Value, 3)
	for _, path := range []string{"nosuch", "lists.2", "lists.x", "lists.-1", "edges.x", "nothing.edges"} {
		status, body := p.get(p.fieldPath(path))
		assert.Equal(t, 400, status, path)
		assert.NotEmpty(t, body)
	}
}

func TestRequestsForWhatIsNotThereAreRefused(t *testing.T) {
	p := open(t)
	for path, want := range map[string]int{
		"/api/component/GPU.None": 404,
		"/api/tick/GPU.None":      404,
		"/api/nosuch":             404,
		"/api/field/x":            400,
		"/api/field/" + url.PathEscape(`{"comp_name":"GPU.None"}`): 404,
		"/api/hangdetector/buffers?sort=name":                      400,
		"/api/hangdetector/buffers?limit=x":                        400,
		"/api/hangdetector/buffers?offset=-1":                      400,
	} {
		status, _ := p.get(path)
		assert.Equal(t, want, status, path)
	}
}

func TestQueuesProgressAndResources(t *testing.T) {
	p := open(t)
	var queues []buffer
	for _, query := range []string{"", "?sort=level&limit=40", "?sort=percent&offset=0", "?limit=1"} {
		p.object("/api/hangdetector/buffers"+query, &queues)
		assert.Equal(t, []buffer{{"GPU.Counter.In", 0, 4}}, queues)
	}
	p.object("/api/hangdetector/buffers?offset=9", &queues)
	assert.Empty(t, queues)

	var bars []struct{ Finished, Total int }
	p.object("/api/progress", &bars)
	assert.Equal(t, []struct{ Finished, Total int }{{250, 1000}}, bars)

	var resource struct {
		CPU    *float64 `json:"cpu_percent"`
		Memory uint64   `json:"memory_size"`
	}
	p.object("/api/resource", &resource)
	assert.NotNil(t, resource.CPU)
	assert.NotZero(t, resource.Memory)
	status, _ := p.get("/api/tick/GPU.Counter")
	assert.Equal(t, 200, status)
}

func TestOnlyThisMachinesPagesMayAsk(t *testing.T) {
	p := open(t)
	for _, change := range []func(r *http.Request){
		func(r *http.Request) { r.Host = "evil.example:80" },
		func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
	} {
		r, err := http.NewRequest("GET", p.url+"/api/pause", nil)
		require.NoError(t, err)
		change(r)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		answer.Body.Close()
		assert.Equal(t, http.StatusForbidden, answer.StatusCode)
	}
}

func TestOnlyLoopbackAddressesAreServed(t *testing.T) {
	_, _, err := Serve("0.0.0.0:0", nil, nil, nil)
	assert.ErrorContains(t, err, "valid:")
}

func TestTakenPortIsAnError(t *testing.T) {
	p := open(t)
	_, _, err := Serve(strings.TrimPrefix(p.url, "http://"), nil, nil, nil)
	assert.ErrorContains(t, err, "cannot listen")
}
