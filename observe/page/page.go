// Package page writes a run as a web page: each tenant's progress and waits, over time and
// over the GPU. The page holds everything that it needs, the charts' library included, and
// opens without a network.
package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"gopkg.in/yaml.v3"

	"cotenant/experiment"
	"cotenant/observe/hotlines"
	"cotenant/observe/look"
	"cotenant/observe/power"
	"cotenant/observe/sample"
	"cotenant/platform/wiring"
)

// Report is the content of the page.
type Report struct {
	Result      *experiment.Result
	Tenants     []string // their names, all different
	Config      wiring.Config
	Samples     []sample.Sample // at least the run's beginning and end
	Preemptions *sample.Preemptions
	Command     string           // that makes the page again
	Lines       *hotlines.Report // nil: they were not counted
	Energy      *power.Report    // nil: it was not counted
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Write writes the page. Equal reports give equal bytes.
func Write(w io.Writer, r *Report) error {
	library, err := look.Library()
	if err != nil {
		return err
	}
	config, err := yaml.Marshal(&r.Config)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	charts := r.charts()
	options, err := json.Marshal(charts)
	if err != nil {
		return fmt.Errorf("charts: %w", err)
	}
	numbers, err := r.numbers()
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, struct {
		Title, Counted                 string
		Tiles                          []tile
		Tenants                        []*row
		Decided                        decided
		Sections                       []chart
		Hot                            hotSection
		Latencies                      []*row
		Faults                         faultTable
		Preemptions, Reservations      []*row
		Config, Command, Version, Hash string
		Library, Script, Options       template.JS
		Style                          template.CSS
		All                            compared
	}{
		r.title(), r.Result.Counted(), r.tiles(), r.tenantRows(), r.decided(), charts, r.hotSection(), r.latencyRows(), r.faultTable(), r.preemptionRows(), r.reservationRows(),
		string(config), r.Command, r.Result.Version, r.Result.ConfigHash,
		library, look.Drawing(), template.JS(options), look.Style(), numbers,
	})
}

func (r *Report) title() string {
	names := strings.Join(r.Tenants, ", ")
	if last := len(r.Tenants) - 1; last > 0 {
		names = strings.Join(r.Tenants[:last], ", ") + " and " + r.Tenants[last]
	}
	return fmt.Sprintf("%s on %s under %s", names, r.Result.GPU, r.Result.Policy)
}

// key explains a colour, or a range of colours.
type key struct {
	Name   string
	Colour template.CSS
	Range  string // "" for one colour
}
