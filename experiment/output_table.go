package experiment

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"cotenant/tenant"
)

// WriteTable writes results for people to read: what each tenant got under each
// policy, whether goals were reached if there are any, what policies decided that say
// so, and what each policy made of the GPU. A dash stands for what is not
// defined, such as the turnaround time of a tenant without progress.
func WriteTable(w io.Writer, results ...*Result) error {
	var tenants, goals, policies Table
	var notes strings.Builder
	for _, r := range results {
		tenants.Separate()
		goals.Separate()
		for i := range r.Kernels {
			k := &r.Kernels[i]
			name := tenant.Marked(k.App, k.Mark)
			tenants.Row("Policy", r.Policy, "Tenant", name, "IPC", decimals(k.IPC, 1), "Isolated IPC", decimals(k.IsolatedIPC, 1),
				"Normalised IPC", figure(k.NormalizedIPC), "NTT", figure(k.NTT), "Completions", k.Completions)
			if k.HasGoal() {
				goals.Row("Policy", r.Policy, "Tenant", name, "IPC", decimals(k.IPC, 1), "Goal IPC", decimals(float64(k.GoalIPC), 1),
					"IPC over goal", figure(k.IPCOverGoal), "Goal", k.Promise())
			}
		}
		policies.Row("Policy", r.Policy, "STP", figure(r.STP), "ANTT", figure(r.ANTT), "Fairness", figure(r.Fairness),
			"HSpeedup", figure(r.HSpeedup), "Cycles", r.Cycles, "Wall s", decimals(r.WallSeconds+r.IsolatedWallSeconds, 2))
		r.note(&notes)
	}
	_, err := fmt.Fprintf(w, "%s%s%s%s%s", &tenants, &goals, explanations(results), &policies, &notes)
	return err
}

// note writes lines about what is not in a table.
func (r *Result) note(notes *strings.Builder) {
	if counted := r.Counted(); counted != "" {
		fmt.Fprintf(notes, "%s: %s\n", r.Policy, counted)
	}
	if r.IsolatedGPU != "" {
		fmt.Fprintf(notes, "%s: alone, applications ran on %s\n", r.Policy, r.IsolatedGPU)
	}
	if r.Pages != "" {
		fmt.Fprintf(notes, "%s: pages %s: %s\n", r.Policy, r.Pages, r.faults())
	}
	for _, k := range r.Kernels {
		if e := k.Expects; e != nil {
			fmt.Fprintf(notes, "%s, %s: %d of %d expects passed", r.Policy, k.App, e.Passed, e.Checked)
			if n := len(e.Unreached); n > 0 {
				fmt.Fprintf(notes, ", %d of %d steps not reached", n, e.Steps)
			}
			notes.WriteByte('\n')
		}
	}
}

func decimals(x float64, digits int) Number { return Number(strconv.FormatFloat(x, 'f', digits, 64)) }

// figure writes a figure for people to read.
func figure(f Figure) Number {
	if !f.Defined() {
		return "-"
	}
	return decimals(float64(f), 3)
}
