package serve

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"

	"cotenant/observe/look"
	"cotenant/observe/loopback"
	"cotenant/observe/sweeppage"
)

var (
	//go:embed index.html
	indexText string
	//go:embed index.js
	indexScript string

	indexTemplate = template.Must(template.New("index").Parse(indexText))
)

// Rights of pages. The server's own pages run their own scripts and send requests to this
// server. Files beside stores may be from anyone: each is in a sandbox and sends no
// requests.
const (
	policyOwn  = "default-src 'none'; script-src %s; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	policyFile = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// Handler answers requests.
func (s *Server) Handler() (http.Handler, error) {
	scripts, err := sweeppage.ScriptHashes()
	if err != nil {
		return nil, err
	}
	scripts = append(scripts, look.ScriptHash(template.JS(indexScript)))
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", s.index)
	mux.HandleFunc("/live.json", s.live)
	for _, of := range []string{"/stores/{store}/", "/stores/{store}/sweeps/{sweep}/"} {
		mux.HandleFunc(of+"{$}", s.compare)
		mux.HandleFunc(of+"data.json", s.data)
	}
	mux.HandleFunc("/pages/{room}/{path...}", s.page)
	own := fmt.Sprintf(policyOwn, strings.Join(scripts, " "))
	return loopback.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", own)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD: this server changes nothing", http.StatusMethodNotAllowed)
			return
		}
		mux.ServeHTTP(w, r)
	})), nil
}

// state is the content of the list of stores.
func (s *Server) state(r *http.Request) any {
	stores := []storeState{}
	for _, l := range s.list() {
		stores = append(stores, l.state(r.Context()))
	}
	return map[string]any{"stores": stores, "pages": append([]page{}, s.pages()...)}
}

func (s *Server) index(w http.ResponseWriter, r *http.Request) {
	text, err := json.Marshal(s.state(r))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	html(w, func(w io.Writer) error {
		return indexTemplate.Execute(w, struct {
			Style         template.CSS
			State, Script template.JS
		}{look.Style(), template.JS(text), template.JS(indexScript)})
	})
}

func (s *Server) live(w http.ResponseWriter, r *http.Request) { loopback.Reply(w, s.state(r)) }

// report is the report of the store, or the sweep, in a request; without one it answers
// the request and returns nil.
func (s *Server) report(w http.ResponseWriter, r *http.Request) (*sweeppage.Report, int) {
	if l := s.find(r.PathValue("store")); l != nil {
		if report, version := l.report(r.Context(), r.PathValue("sweep"), s.runPages()); report != nil {
			return report, version
		}
	}
	http.NotFound(w, r)
	return nil, 0
}

func (s *Server) compare(w http.ResponseWriter, r *http.Request) {
	if report, _ := s.report(w, r); report != nil {
		html(w, func(w io.Writer) error { return sweeppage.Write(w, report) })
	}
}

func (s *Server) data(w http.ResponseWriter, r *http.Request) {
	report, version := s.report(w, r)
	if report == nil {
		return
	}
	pages := 0
	for i := range report.Points {
		if report.Points[i].Page != "" {
			pages++
		}
	}
	tag := fmt.Sprintf(`"%d-%d"`, version, pages)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	text, err := sweeppage.Data(report)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // a browser that has gone away needs no answer
}

// page serves a page that this program has written into a store's folder, and nothing
// else.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	i, err := strconv.Atoi(r.PathValue("room"))
	if err != nil || i < 0 || i >= len(s.rooms) {
		http.NotFound(w, r)
		return
	}
	folder, name := s.rooms[i].root.FS(), r.PathValue("path")
	if kind, _ := sweeppage.PageOf(folder, name); kind == "" {
		http.NotFound(w, r)
		return
	}
	file, err := folder.Open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Security-Policy", policyFile)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.Copy(w, file) // a browser that has gone away needs no answer
}

// html answers with a page once it is complete.
func html(w http.ResponseWriter, write func(io.Writer) error) {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = text.WriteTo(w) // a browser that has gone away needs no answer
}
