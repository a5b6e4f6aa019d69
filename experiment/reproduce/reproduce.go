// Package reproduce holds published figures and tables. For each it states the paper's
// runs and values, and the arithmetic that makes the same values of our results.
//
// Each experiment is a file in figures, which shares applications, machines, groups of
// mixes and ways of sharing with the other figures of its paper, a file in papers. A figure
// declares its rows. The runs follow from the rows: each evaluation lists the results that
// the rows lack, and the command makes these runs and evaluates again.
package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"cotenant/cta_dispatcher/policy"
	"cotenant/experiment"
	"cotenant/platform/wiring"
)

// Scale is how much is run.
type Scale struct {
	Quick  bool
	Cycles uint64 // length of the window, where a figure does not say
	Window uint64 // length of every window; 0: as figures and Cycles say
	Size   string // of all inputs; "": as figures say
	// GPU is a preset or a file, with options or without; "": the experiment's.
	GPU string
	// Programs is the folder with the CUDA programs of figures that run some; "": none is
	// given.
	Programs string
}

// Quick is the scale at which the 45 pairs under five policies take less than 20
// minutes on two cores, Full that of the papers: 2M cycles (SMK 6.1). Both take
// inputs of the published dimensions: with smaller ones cutcp and spmv have too
// few thread blocks to fill the GPU.
var (
	Quick = Scale{Quick: true, Cycles: 200_000}
	Full  = Scale{Cycles: 2_000_000}
)

// Runs lists what is simulated first at a scale; nothing if no mix is.
func (f *Experiment) Runs(s Scale) []experiment.Spec { return f.More(NewData(s, nil, nil, nil)) }

// Row is one published number beside ours.
type Row struct {
	Label string `json:"label"`
	Unit  string `json:"unit"` // "" for a ratio, "%", "points" of percent, "us"
	// Paper is the published value; nil if the paper shows it in a drawing
	// only.
	Paper *float64 `json:"paper"`
	// From is the place of the published value: "printed" in the table or figure itself,
	// or the section that states it.
	From string `json:"paper_source"`
	// Ours is nil if it is not defined, such as the turnaround time of a tenant
	// without progress.
	Ours *float64 `json:"ours"`
	// Mixes is the number of mixes behind Ours, each goal counted. OfMixes is the number that
	// the experiment has: more, if a report has only stored results.
	Mixes   int `json:"mixes"`
	OfMixes int `json:"of_mixes"`
	// Low and High are the ends of the 95 % bootstrap interval of Ours over the mixes; nil
	// where the row shows no mean of at least two.
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// Difference is ours minus the paper's value; false if either is missing.
func (r Row) Difference() (float64, bool) {
	if r.Paper == nil || r.Ours == nil {
		return 0, false
	}
	return *r.Ours - *r.Paper, true
}

// Data is what the rows of an experiment are made of.
type Data struct {
	Scale Scale
	GPU   func(nameOrFile string) (*wiring.Config, error)
	// Sampled repeats a run with a known result, and samples it (Sampler). It may be nil:
	// figures of samples are then undefined.
	Sampled func(experiment.Spec, *experiment.Result) ([]Sample, error)
	// Measured runs microkernels. It may be nil: their rows are then undefined.
	Measured Measured
	// Partial reports each row over the mixes that have all their results.
	Partial bool
	runs    []experiment.Spec
	results map[string]*experiment.Result
}

// NewData joins runs and their results, in the same order. The runs of an experiment differ
// in GPU, policy, applications or parameters.
func NewData(s Scale, gpu func(string) (*wiring.Config, error), runs []experiment.Spec, results []*experiment.Result) *Data {
	d := &Data{Scale: s, GPU: gpu, runs: runs, results: map[string]*experiment.Result{}}
	for i, r := range runs {
		d.results[keyOf(r)] = results[i]
	}
	return d
}

// Results is the number of results that there are.
func (d *Data) Results() (n int) {
	for _, r := range d.results {
		if r != nil {
			n++
		}
	}
	return n
}

// keyOf tells the runs of an experiment apart.
func keyOf(r experiment.Spec) string { return keyText(r.GPU, r.Policy, r.Apps) + r.Words() }

func keyText(gpu, policy string, apps []string) string {
	return gpu + " " + policy + " " + strings.Join(apps, " ")
}

// Find returns an experiment by name. The error lists the valid names.
func Find(name string) (*Experiment, error) {
	var names []string
	for _, e := range All() {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("unknown experiment %q; valid: %s", name, strings.Join(names, ", "))
}

// Check returns the experiment's Runs, or an error in a line that lists the policies and the ways
// to end a run that the experiment takes and this build lacks.
func (f *Experiment) Check(s Scale) (runs []experiment.Spec, err error) {
	if f.TakesPrograms() && s.Programs == "" {
		return nil, fmt.Errorf("%s runs CUDA programs; give their folder by --programs (docs/silicon.md)", f.Name)
	}
	var missing []string
	lacks := func(what string) {
		if !slices.Contains(missing, what) {
			missing = append(missing, what)
		}
	}
	runs = f.Runs(s)
	for _, r := range runs {
		if _, err := policy.Parse(r.Policy); err != nil {
			lacks("policy " + r.Policy)
		}
		if r.Cycles == 0 {
			if _, err := experiment.ParseEnd(r.Until); err != nil {
				lacks("run --until " + r.Until)
			}
		}
	}
	if missing == nil {
		return runs, nil
	}
	return nil, fmt.Errorf("%s needs parts that this build lacks: %s", f.Name, strings.Join(missing, "; "))
}

// row makes a row without a published number.
func row(label, unit string, ours float64) Row { return Row{Label: label, Unit: unit, Ours: &ours} }

// is adds the published number and where it stands.
func (r Row) is(paper float64, from string) Row {
	r.Paper, r.From = &paper, from
	return r
}
