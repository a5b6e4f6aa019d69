package validation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"cotenant/experiment"
	"cotenant/platform/wiring"
)

// Schema is the version of a Report's JSON form. It grows when a field changes
// its meaning or goes; new fields alone leave it.
const Schema = 1

// Report is what microkernels show of some GPUs, beside what is published.
type Report struct {
	Schema int          `json:"schema"`
	GPUs   []*GPUReport `json:"gpus"`
}

// GPUReport is the part of one GPU.
type GPUReport struct {
	GPU     string        `json:"gpu"`
	Machine string        `json:"machine"` // with the published figures; "" if there are none
	Figures []Measurement `json:"figures"` // in the order of All
}

// Measurement is one figure.
type Measurement struct {
	Figure string  `json:"figure"`
	Unit   string  `json:"unit"`
	Bound  float64 `json:"bound"` // largest difference that needs no reason
	Ours   float64 `json:"ours"`  // to four digits
	// Published are the figures of sources.
	Published []Comparison `json:"published"`
}

// Comparison is a published figure, and how far ours is from it.
type Comparison struct {
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Printed    string  `json:"printed"` // as the source has it, if otherwise
	Source     string  `json:"source"`
	Mark       string  `json:"mark"`
	Difference float64 `json:"difference"` // of ours, as a fraction of the published one; 0 inside a range
	Reason     string  `json:"reason"`
}

// Unmeasured is the report of a GPU's figures whose names begin so, without values of ours.
func Unmeasured(gpu *wiring.Config, prefix string) (*GPUReport, error) {
	machine, err := MachineOf(gpu.Name)
	if err != nil {
		return nil, err
	}
	list := chosen(prefix)
	var values []float64
	for _, m := range list {
		for range m.Figures {
			values = append(values, math.NaN())
		}
	}
	return compare(gpu.Name, machine, list, values), nil
}

// Options of Measure.
type Options struct {
	// Parallel is the number of microkernels that run at a time; 0: one for each
	// processor. It changes nothing but the time taken.
	Parallel int
	// Done is told how many are finished, and of how many. It may be nil. It is
	// called from one goroutine at a time.
	Done func(finished, total int)
	// Only takes the microkernels whose first figure has a name that begins so; "": all.
	Only string
}

// chosen lists the microkernels whose first figure has a name that begins so.
func chosen(prefix string) (list []*Microkernel) {
	for _, m := range All() {
		if strings.HasPrefix(m.Figures[0].Name, prefix) {
			list = append(list, m)
		}
	}
	return list
}

// Measure runs every microkernel, or the chosen ones (Options.Only), on every GPU.
func Measure(ctx context.Context, gpus []*wiring.Config, o Options) (*Report, error) {
	return measure(ctx, gpus, chosen(o.Only), o)
}

func measure(ctx context.Context, gpus []*wiring.Config, list []*Microkernel, o Options) (*Report, error) {
	type task struct{ gpu, kernel int }
	var tasks []task
	values := make([][][]float64, len(gpus)) // by GPU and microkernel
	for g := range gpus {
		values[g] = make([][]float64, len(list))
		for i := range list {
			tasks = append(tasks, task{g, i})
		}
	}
	var mu sync.Mutex
	finished := 0
	err := experiment.InParallel(ctx, o.Parallel, tasks, func(ctx context.Context, at task) (err error) {
		gpu, m := gpus[at.gpu], list[at.kernel]
		if values[at.gpu][at.kernel], err = m.measure(&bench{ctx: ctx, gpu: gpu}); err != nil {
			return fmt.Errorf("GPU %s, %s: %w", gpu.Name, m.Figures[0].Name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		if finished++; o.Done != nil {
			o.Done(finished, len(tasks))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := &Report{Schema: Schema}
	for g, gpu := range gpus {
		machine, err := MachineOf(gpu.Name)
		if err != nil {
			return nil, err
		}
		r.GPUs = append(r.GPUs, compare(gpu.Name, machine, list, slices.Concat(values[g]...)))
	}
	return r, nil
}

// compare puts what was measured of a GPU, figure by figure, beside what is
// published, which may be nil.
func compare(gpu string, machine *Machine, list []*Microkernel, values []float64) *GPUReport {
	r := &GPUReport{GPU: gpu}
	if machine == nil {
		machine = &Machine{}
	}
	r.Machine = machine.Name
	for _, m := range list {
		for _, f := range m.Figures {
			ours := rounded(values[len(r.Figures)])
			now := Measurement{Figure: f.Name, Unit: f.Unit, Bound: f.Kind.Bound(), Ours: ours, Published: []Comparison{}}
			for _, p := range machine.Figures {
				if p.Figure == f.Name {
					now.Published = append(now.Published, Comparison{Low: p.Value.Low, High: p.Value.High, Printed: p.Printed,
						Source: p.Source, Mark: p.Mark, Difference: p.Value.Difference(ours), Reason: p.Reason})
				}
			}
			r.Figures = append(r.Figures, now)
		}
	}
	return r
}

// Faults lists the differences above the bound that have no reason, and the
// reasons of differences that need none.
func (r *Report) Faults() (list []string) {
	for _, g := range r.GPUs {
		for _, m := range g.Figures {
			for _, c := range m.Published {
				// As it is written, to a tenth of a per cent.
				switch above := math.Round(1000*math.Abs(c.Difference)) > math.Round(1000*m.Bound); {
				case above && c.Reason == "":
					list = append(list, fmt.Sprintf("%s: %s is %s, %s beside the %s of %s, and no reason is given", g.GPU, m.Figure, number(m.Ours), percent(c.Difference), Range{c.Low, c.High}, c.Source))
				case !above && c.Reason != "":
					list = append(list, fmt.Sprintf("%s: %s is %s, within %.0f %% of the %s of %s, and needs no reason", g.GPU, m.Figure, number(m.Ours), 100*m.Bound, Range{c.Low, c.High}, c.Source))
				}
			}
		}
	}
	return list
}
