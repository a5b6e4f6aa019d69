// Package monitor shows a running simulation in the browser: Akita's monitor page, served
// on a loopback address only, and the interface for its requests.
//
// Akita's own server listens on every interface and imports a database, and its
// serializer ends the program at an array or a function, so neither is used.
package monitor

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/sarchlab/akita/v3/monitoring/web"
	"github.com/sarchlab/akita/v3/sim"

	"cotenant/observe/loopback"
)

// Serve starts serving a simulation of the given components, and returns the page's URL.
// Progress returns the state of the simulation; a total of 0 means that it is not known.
// CloseServer ends the server, and a pause of the page's user.
func Serve(addr string, engine sim.Engine, components []sim.Component, progress func() (done, total uint64)) (url string, closeServer func(), err error) {
	addr, err = loopback.Address(addr)
	if err != nil {
		return "", nil, err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return "", nil, fmt.Errorf("the monitor cannot listen: %w; valid: a free port, or 0 for any", err)
	}
	m := &monitor{engine: engine, components: components, progress: progress, start: time.Now()}
	server := &http.Server{Handler: loopback.Guard(m.routes()), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		// It ends when closeServer closes the listener. If the listener fails otherwise, the
		// page goes away, but not the simulation.
		_ = server.Serve(listener)
	}()
	return "http://" + listener.Addr().String(), func() {
		m.setPaused(false)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
		m.setPaused(false) // a request for a pause may have come in between
	}, nil
}

// monitor answers the page's requests.
type monitor struct {
	engine     sim.Engine
	components []sim.Component
	progress   func() (done, total uint64)
	start      time.Time

	mu     sync.Mutex // held while the engine is paused for a request
	paused bool       // by the user
}

func (m *monitor) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServer(web.GetAssets()))
	mux.HandleFunc("GET /api/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "no such request", http.StatusNotFound)
	})
	mux.HandleFunc("GET /api/pause", func(http.ResponseWriter, *http.Request) { m.setPaused(true) })
	mux.HandleFunc("GET /api/continue", func(http.ResponseWriter, *http.Request) { m.setPaused(false) })
	// The command runs the simulation; the button has nothing to start.
	mux.HandleFunc("GET /api/run", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /api/now", m.now)
	mux.HandleFunc("GET /api/tick/{name}", m.tick)
	mux.HandleFunc("GET /api/list_components", m.listComponents)
	mux.HandleFunc("GET /api/component/{name}", m.component)
	mux.HandleFunc("GET /api/field/{request}", m.field)
	mux.HandleFunc("GET /api/hangdetector/buffers", m.buffers)
	mux.HandleFunc("GET /api/progress", m.bars)
	mux.HandleFunc("GET /api/resource", m.resource)
	return mux
}

// setPaused pauses or continues the simulation for the user.
func (m *monitor) setPaused(paused bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.paused == paused {
		return
	}
	m.paused = paused
	if paused {
		m.engine.Pause()
	} else {
		m.engine.Continue()
	}
}

// hold calls f while the simulation stands still.
func (m *monitor) hold(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.paused {
		m.engine.Pause()
		defer m.engine.Continue()
	}
	f()
}

// find returns the named component; if there is none, it answers the request and returns
// nil.
func (m *monitor) find(w http.ResponseWriter, name string) sim.Component {
	for _, c := range m.components {
		if c.Name() == name {
			return c
		}
	}
	http.Error(w, "no component "+strconv.Quote(name), http.StatusNotFound)
	return nil
}

func (m *monitor) now(w http.ResponseWriter, _ *http.Request) {
	var now sim.VTimeInSec
	m.hold(func() { now = m.engine.CurrentTime() })
	loopback.Reply(w, map[string]json.Number{"now": json.Number(strconv.FormatFloat(float64(now), 'f', 10, 64))})
}

func (m *monitor) tick(w http.ResponseWriter, r *http.Request) {
	c := m.find(w, r.PathValue("name"))
	if c == nil {
		return
	}
	t, ok := c.(interface{ TickLater(now sim.VTimeInSec) })
	if !ok {
		http.Error(w, c.Name()+" does not tick", http.StatusMethodNotAllowed)
		return
	}
	m.hold(func() { t.TickLater(m.engine.CurrentTime()) })
}

func (m *monitor) listComponents(w http.ResponseWriter, _ *http.Request) {
	names := make([]string, len(m.components))
	for i, c := range m.components {
		names[i] = c.Name()
	}
	loopback.Reply(w, names)
}

func (m *monitor) component(w http.ResponseWriter, r *http.Request) {
	m.show(w, r.PathValue("name"), "")
}

func (m *monitor) field(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Component string `json:"comp_name"`
		Field     string `json:"field_name"`
	}
	if err := json.Unmarshal([]byte(r.PathValue("request")), &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.show(w, request.Component, request.Field)
}

// show answers with a component's field, named by a path, or all of it.
func (m *monitor) show(w http.ResponseWriter, name, path string) {
	c := m.find(w, name)
	if c == nil {
		return
	}
	var s *snapshot
	var err error
	m.hold(func() { s, err = takeSnapshot(c, path) })
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	loopback.Reply(w, s)
}

func (m *monitor) bars(w http.ResponseWriter, _ *http.Request) {
	type bar struct {
		ID         string    `json:"id"`
		Name       string    `json:"name"`
		Start      time.Time `json:"start_time"`
		Total      uint64    `json:"total"`
		Finished   uint64    `json:"finished"`
		InProgress uint64    `json:"in_progress"`
	}
	bars := []bar{}
	if done, total := m.progress(); total > 0 {
		bars = append(bars, bar{ID: "1", Name: "Simulation", Start: m.start, Total: total, Finished: min(done, total)})
	}
	loopback.Reply(w, bars)
}

func (m *monitor) resource(w http.ResponseWriter, _ *http.Request) {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	loopback.Reply(w, map[string]any{"cpu_percent": cpuPercent(time.Since(m.start)), "memory_size": memory.Sys})
}
