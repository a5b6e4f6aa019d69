// Package sweeppage writes a web page that compares many runs: policies on mixes, by
// class, with tables, and for every run the command that makes it. Readers choose
// policies, GPUs and metrics. The page holds everything that it needs and opens without a
// network.
package sweeppage

import (
	_ "embed"
	"html/template"
	"io"

	"cotenant/observe/look"
)

// Metric is a figure by which runs are compared.
type Metric int

// The metrics of a point.
const (
	STP Metric = iota
	ANTT
	Fairness
	HSpeedup
	TotalIPC // thread instructions of all applications per core cycle
	OverGoal // IPC over goal, of the tightest goal of the run
	NumMetrics
)

// Point is a run, as plain data.
type Point struct {
	Mix   []string // names of the applications
	Class string   // of the mix, such as C+M; "" if unknown
	// Policy and GPU are compared. Setting tells further runs of a mix apart: window, seed,
	// and so on.
	Policy, GPU, Setting string
	// Series is the setting but for the seed: runs of a policy on a GPU have a mean only
	// within it.
	Series string
	// Metrics are NaN if undefined.
	Metrics [NumMetrics]float64
	// IPC, Isolated and Normalized are the mix's applications' IPCs, their IPCs alone, on
	// the GPU of the name IsolatedOn, and the first over the second; NaN if undefined.
	IPC, Isolated, Normalized []float64
	IsolatedOn                string
	// Alike is equal for runs of which the runs alone would differ by their GPU alone.
	Alike string
	// Command makes the run: its words, as a shell takes them.
	Command []string
	// Page is the address of the run's own page, relative to this one; "" if there
	// is none.
	Page string
}

// Report is the content of the page.
type Report struct {
	Title   string
	About   string   // the source of the runs, in a line
	Notes   []string // remarks on the runs
	Command string   // that makes the page again; "" if none does
	Points  []Point
	// Live is the address with the page's current data; "" without one.
	Live string
}

//go:embed sweep.html
var pageText string

//go:embed sweep.css
var style string

// The page's script, in the order in which its parts build on each other.
var (
	//go:embed model.js
	modelScript string
	//go:embed tables.js
	tablesScript string
	//go:embed plots.js
	plotsScript string
	//go:embed main.js
	mainScript string
)

var script = look.Script(modelScript, tablesScript, plotsScript, mainScript)

var pageTemplate = template.Must(template.New("sweep").Parse(pageText))

// Write writes the page. Equal reports give equal bytes.
func Write(w io.Writer, r *Report) error {
	library, err := look.Library()
	if err != nil {
		return err
	}
	text, err := Data(r)
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, struct {
		*Report
		Style                 template.CSS
		Library, Script, Data template.JS
	}{r, look.Style() + template.CSS(style), library, script, template.JS(text)})
}

// ScriptHashes are the sources, in the words of a Content-Security-Policy, of all
// scripts that the page runs.
func ScriptHashes() ([]string, error) {
	library, err := look.Library()
	if err != nil {
		return nil, err
	}
	return []string{look.ScriptHash(library), look.ScriptHash(script)}, nil
}
