package experiment

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"cotenant/tenant"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// WriteTable writes results for people to read: what each tenant got under each
// policy, whether goals were reached if there are any, what policies decided that say
// so, and what each policy made of the GPU. A dash stands for what is not
// defined, such as the turnaround time of a tenant without progress.
func WriteTable(w io.Writer, results ...*Result) error {
	tenants := newTable("Policy", "Tenant", "IPC", "Isolated IPC", "Normalised IPC", "NTT", "Completions")
	policies := newTable("Policy", "STP", "ANTT", "Fairness", "HSpeedup", "Cycles", "Wall s")
	for i, r := range results {
		if i > 0 {
			tenants.AppendSeparator()
		}
		for _, k := range r.Kernels {
			tenants.AppendRow(table.Row{r.Policy, tenant.Marked(k.App, k.Mark), decimals(k.IPC, 1), decimals(k.IsolatedIPC, 1),
				figure(k.NormalizedIPC), figure(k.NTT), k.Completions})
		}
		policies.AppendRow(table.Row{r.Policy, figure(r.STP), figure(r.ANTT), figure(r.Fairness),
			figure(r.HSpeedup), r.Cycles, decimals(r.WallSeconds+r.IsolatedWallSeconds, 2)})
	}
	var notes strings.Builder
	goals := newTable("Policy", "Tenant", "IPC", "Goal IPC", "IPC over goal", "Goal")
	for i, r := range results {
		if i > 0 {
			goals.AppendSeparator()
		}
		for _, k := range r.Kernels {
			if k.HasGoal() {
				goals.AppendRow(table.Row{r.Policy, tenant.Marked(k.App, k.Mark), decimals(k.IPC, 1), decimals(float64(k.GoalIPC), 1),
					figure(k.IPCOverGoal), k.Promise()})
			}
		}
	}
	promises := ""
	if goals.Length() > 0 {
		promises = goals.Render() + "\n"
	}
	for _, r := range results {
		if r.IsolatedGPU != "" {
			fmt.Fprintf(&notes, "%s: alone, applications ran on %s\n", r.Policy, r.IsolatedGPU)
		}
		if r.Pages != "" {
			fmt.Fprintf(&notes, "%s: pages %s: %s\n", r.Policy, r.Pages, r.faults())
		}
		for _, k := range r.Kernels {
			if e := k.Expects; e != nil {
				fmt.Fprintf(&notes, "%s, %s: %d of %d expects passed", r.Policy, k.App, e.Passed, e.Checked)
				if n := len(e.Unreached); n > 0 {
					fmt.Fprintf(&notes, ", %d of %d steps not reached", n, e.Steps)
				}
				notes.WriteByte('\n')
			}
		}
	}
	_, err := fmt.Fprintf(w, "%s\n%s%s%s\n%s", tenants.Render(), promises, decisions(results), policies.Render(), &notes)
	return err
}

// newTable is a table whose columns but the names hold numbers.
func newTable(header ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	var row table.Row
	var columns []table.ColumnConfig
	for i, name := range header {
		row = append(row, name)
		if name != "Policy" && name != "Tenant" && name != "GPU" && name != "Goal" && name != "Phase" && name != "Type" && name != "First" {
			columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	t.AppendHeader(row)
	t.SetColumnConfigs(columns)
	return t
}

func decimals(x float64, digits int) string { return strconv.FormatFloat(x, 'f', digits, 64) }

// figure writes a figure for people to read.
func figure(f Figure) string {
	if !f.Defined() {
		return "-"
	}
	return decimals(float64(f), 3)
}
