// Package compare puts the results of runs beside one another: each field and counter of
// the JSON form, with the tenants of one application in one row.
package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cotenant/experiment"
	"cotenant/experiment/fields"
	"cotenant/tenant"
)

// Run is a result as its file has it.
type Run struct {
	Name   string // of the file
	Result *experiment.Result
	fields []fields.Field
}

// Read reads a result in the JSON form of a run. An error names the file.
func Read(name string, text []byte) (*Run, error) {
	r := &Run{Name: name, Result: &experiment.Result{}}
	list, err := fields.Of(text)
	if err == nil {
		err = json.Unmarshal(text, r.Result)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.fields = list
	return r, nil
}

// Tenant is an application that runs have in common.
type Tenant struct {
	Name string
	At   []int // its number in each run, -1 for a run without it
}

// Tenants lists the applications of runs. Two runs share a tenant if it is given alike, or
// else if its application has the same name; the first of several goes with the first.
func Tenants(runs []*Run) (list []Tenant) {
	type kind func(*experiment.KernelResult) string
	given := func(k *experiment.KernelResult) string { return k.App }
	named := func(k *experiment.KernelResult) string { return k.Name }
	for n, r := range runs {
		placed := map[int]bool{}
		for _, of := range []kind{given, named} {
			for i := range r.Result.Kernels {
				if placed[i] {
					continue
				}
				at := slices.IndexFunc(list, func(t Tenant) bool {
					return t.At[n] < 0 && slices.ContainsFunc(runs[:n], func(o *Run) bool {
						k := t.At[slices.Index(runs, o)]
						return k >= 0 && of(&o.Result.Kernels[k]) == of(&r.Result.Kernels[i])
					})
				})
				if at >= 0 {
					list[at].At[n], placed[i] = i, true
				}
			}
		}
		for i := range r.Result.Kernels {
			if placed[i] {
				continue
			}
			k := &r.Result.Kernels[i]
			t := Tenant{Name: tenant.Marked(k.App, k.Mark), At: slices.Repeat([]int{-1}, len(runs))}
			t.At[n] = i
			list = append(list, t)
		}
	}
	return list
}

// Row is a field of the runs.
type Row struct {
	Tenant string // "" for a field of the whole GPU
	Name   string // a path of names in the JSON form
	Values []any  // of each run; nil without one
}

// Number is a run's value as a number.
func (r *Row) Number(run int) (float64, bool) {
	v, ok := r.Values[run].(float64)
	return v, ok
}

// Text is a run's value in full precision; a dash for none.
func (r *Row) Text(run int) string {
	switch v := r.Values[run].(type) {
	case nil:
		return "-"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return fmt.Sprint(v)
	}
}

// Change is how much a run has more than the first, in per cent of the first; false if one
// of them has no number, or the first has 0 and the other has not.
func (r *Row) Change(run int) (float64, bool) {
	a, first := r.Number(0)
	b, second := r.Number(run)
	if !first || !second || a == 0 && b != 0 {
		return 0, false
	}
	if a == b {
		return 0, true
	}
	return 100 * (b - a) / math.Abs(a), true
}

// Differs says whether some run's value is another than the first's, by at least a part of
// the first in per cent if both are numbers.
func (r *Row) Differs(least float64) bool {
	for i := range r.Values {
		if r.Values[i] == r.Values[0] {
			continue
		}
		if change, ok := r.Change(i); !ok || math.Abs(change) >= least {
			return true
		}
	}
	return false
}

// apart are the fields that tell two runs of one command apart, and the policy's
// explanation, which is no counter.
var apart = []string{"wall_seconds", "isolated_wall_seconds", "decision", "over_time"}

// Rows are all fields of the runs, in the order of their files: first the GPU, then each
// tenant.
func Rows(runs []*Run) (list []Row) {
	tenants := Tenants(runs)
	known := map[string]int{} // places in the list
	for n, r := range runs {
		for _, f := range r.fields {
			if top, _, _ := strings.Cut(f.Name, "."); f.Tenant == fields.None && slices.Contains(apart, top) {
				continue
			}
			row := Row{Name: f.Name}
			if f.Launch != fields.None {
				row.Name = fmt.Sprintf("launches.%d.%s", f.Launch, f.Name)
			}
			if f.Tenant != fields.None {
				at := slices.IndexFunc(tenants, func(t Tenant) bool { return t.At[n] == f.Tenant })
				if at < 0 {
					continue // counters of places without a tenant
				}
				row.Tenant = tenants[at].Name
			}
			key := row.Tenant + "\n" + row.Name
			at, ok := known[key]
			if !ok {
				at = len(list)
				known[key] = at
				row.Values = make([]any, len(runs))
				list = append(list, row)
			}
			list[at].Values[n] = f.Value
		}
	}
	return list
}
