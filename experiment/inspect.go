package experiment

import (
	"fmt"

	"cotenant/workload"
)

// Expects counts the expect steps of a tenant's application, over all its runs in the
// mix.
type Expects struct {
	Steps   int    `json:"steps"`   // of the application
	Checked uint64 `json:"checked"` // comparisons: Passed and Failed
	Passed  uint64 `json:"passed"`
	Failed  uint64 `json:"failed"`
	// Unreached lists the steps behind the end of the run.
	Unreached []string `json:"unreached,omitempty"`
	// Failures describes the first failure of each step, for 10 steps at most.
	Failures []string `json:"failures,omitempty"`
}

// maxFailures bounds Failures.
const maxFailures = 10

// inspection collects the inspections of a tenant's arrays. It is a workload.Inspector.
type inspection struct {
	run    *Run
	tenant int
	app    *workload.App
	runs   int // of the application, begun
	// reached and failed have steps by their At.
	reached, failed map[string]bool
	expects         Expects
	// current is the run begun last, ended the run ended last; nil before the first.
	current, ended workload.Inspectable
}

// inspected returns the applications of the mix, wrapped so that inspections are carried
// out.
func (r *Run) inspected() (apps []App, list []*inspection) {
	for i, a := range r.Apps {
		in := &inspection{run: r, tenant: i, app: a.Workload, reached: map[string]bool{}, failed: map[string]bool{}}
		list = append(list, in)
		if len(in.app.Inspections) > 0 || r.Arrays != nil {
			a.Workload = in.wrapped()
		}
		apps = append(apps, a)
	}
	return apps, list
}

func (in *inspection) wrapped() *workload.App {
	app := *in.app
	app.Host = func() (workload.Host, error) {
		host, err := in.app.Start()
		program, ok := host.(workload.Inspectable)
		if err != nil || !ok {
			return host, err
		}
		program.Inspect(in)
		in.runs++
		in.current = program
		return &inspectedHost{program, in}, nil
	}
	return &app
}

// inspectedHost is a run of an application that is inspected.
type inspectedHost struct {
	workload.Inspectable
	inspection *inspection
}

// Next implements workload.Host.
func (h *inspectedHost) Next() (workload.Op, bool, error) {
	op, ok, err := h.Inspectable.Next()
	if err == nil && !ok && h.inspection.run.Arrays != nil {
		h.inspection.ended = h.Inspectable
	}
	return op, ok, err
}

// Tenant is the tenant's number.
func (in *inspection) Tenant() int { return in.tenant }

// Expected counts a comparison.
func (in *inspection) Expected(at string, difference error) {
	in.reached[at] = true
	in.expects.Checked++
	if difference == nil {
		in.expects.Passed++
		return
	}
	in.expects.Failed++
	if len(in.expects.Failures) < maxFailures && !in.failed[at] {
		in.failed[at] = true
		text := difference.Error()
		if in.runs > 1 {
			text += fmt.Sprintf(", in run %d of the application", in.runs)
		}
		in.expects.Failures = append(in.expects.Failures, text)
	}
}

// Dumped passes on a file of the application's first run.
func (in *inspection) Dumped(at, file string, data []byte) error {
	if in.runs > 1 || in.run.Dump == nil {
		return nil
	}
	return in.run.Dump(in.tenant, at, file, data)
}

// result is nil if the application has no expect steps.
func (in *inspection) result() *Expects {
	result := in.expects
	for _, step := range in.app.Inspections {
		if step.Dump {
			continue
		}
		result.Steps++
		if !in.reached[step.At] {
			result.Unreached = append(result.Unreached, step.At)
		}
	}
	if result.Steps == 0 {
		return nil
	}
	return &result
}

// arrays passes on the arrays at the end of the run.
func (in *inspection) arrays() error {
	program := in.ended
	if program == nil {
		program = in.current
	}
	if in.run.Arrays == nil || program == nil {
		return nil
	}
	return in.run.Arrays(in.tenant, program.Arrays())
}

// Unexpected returns an error with the first difference if an expect step failed.
func (r *Result) Unexpected() error {
	first, failed, checked := "", uint64(0), uint64(0)
	for i := range r.Kernels {
		e := r.Kernels[i].Expects
		if e == nil {
			continue
		}
		failed += e.Failed
		checked += e.Checked
		if first == "" && e.Failed > 0 {
			first = e.Failures[0]
			if len(r.Kernels) > 1 {
				first += fmt.Sprintf(", of tenant %d", i)
			}
		}
	}
	switch failed {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s", first)
	}
	return fmt.Errorf("%s; %d of %d expects failed", first, failed, checked)
}
