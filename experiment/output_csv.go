package experiment

import (
	"bytes"
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"cotenant/sm"
)

// column is one column of the CSV form.
type column struct {
	name  string
	value func(r *Result, tenant int) string
}

// wallTime are the columns that differ between two runs of one command.
var wallTime = []string{"isolated_wall_seconds", "wall_seconds"}

// columns come in a fixed order, to which new ones are only appended. Up to
// wall_seconds they belong to the run and repeat in each of its rows; names and
// meanings are those of the JSON form, with the path of a tenant's nested
// fields joined by underscores.
var columns = append([]column{
	{"schema", run(func(r *Result) string { return strconv.Itoa(r.Schema) })},
	{"gpu", run(func(r *Result) string { return r.GPU })},
	{"policy", run(func(r *Result) string { return r.Policy })},
	{"seed", run(func(r *Result) string { return count(r.Seed) })},
	{"version", run(func(r *Result) string { return r.Version })},
	{"config_hash", run(func(r *Result) string { return r.ConfigHash })},
	{"mode", run(func(r *Result) string { return r.Mode })},
	{"total_cycles", run(func(r *Result) string { return count(r.Cycles) })},
	{"total_warp_instructions", run(func(r *Result) string { return count(r.WarpInstructions) })},
	{"total_thread_instructions", run(func(r *Result) string { return count(r.ThreadInstructions) })},
	{"stp", run(func(r *Result) string { return number(r.STP) })},
	{"antt", run(func(r *Result) string { return number(r.ANTT) })},
	{"fairness", run(func(r *Result) string { return number(r.Fairness) })},
	{"wspeedup", run(func(r *Result) string { return number(r.WSpeedup) })},
	{"hspeedup", run(func(r *Result) string { return number(r.HSpeedup) })},
	{"isolated_wall_seconds", run(func(r *Result) string { return number(r.IsolatedWallSeconds) })},
	{"wall_seconds", run(func(r *Result) string { return number(r.WallSeconds) })},

	{"tenant", func(_ *Result, tenant int) string { return strconv.Itoa(tenant) }},
	{"name", kernel(func(k *KernelResult) string { return k.Name })},
	{"app", kernel(func(k *KernelResult) string { return k.App })},
	{"warp_instructions", kernel(func(k *KernelResult) string { return count(k.WarpInstructions) })},
	{"thread_instructions", kernel(func(k *KernelResult) string { return count(k.ThreadInstructions) })},
	{"cycles", kernel(func(k *KernelResult) string { return count(k.Cycles) })},
	{"ipc", kernel(func(k *KernelResult) string { return number(k.IPC) })},
	{"isolated_ipc", kernel(func(k *KernelResult) string { return number(k.IsolatedIPC) })},
	{"normalized_ipc", kernel(func(k *KernelResult) string { return number(k.NormalizedIPC) })},
	{"ntt", kernel(func(k *KernelResult) string { return number(k.NTT) })},
	{"launches_started", kernel(func(k *KernelResult) string { return count(k.LaunchesStarted) })},
	{"launches_completed", kernel(func(k *KernelResult) string { return count(k.LaunchesCompleted) })},
	{"completions", kernel(func(k *KernelResult) string { return count(k.Completions) })},
	{"tbs_completed", kernel(func(k *KernelResult) string { return count(k.TBsCompleted) })},
	{"preemptions", kernel(func(k *KernelResult) string { return count(k.Preemptions) })},
	{"context_bytes", kernel(func(k *KernelResult) string { return count(k.ContextBytes) })},
	{"l1_accesses", kernel(func(k *KernelResult) string { return count(k.L1.Accesses) })},
	{"l1_hits", kernel(func(k *KernelResult) string { return count(k.L1.Hits) })},
	{"l2_accesses", kernel(func(k *KernelResult) string { return count(k.L2.Accesses) })},
	{"l2_hits", kernel(func(k *KernelResult) string { return count(k.L2.Hits) })},
	{"dram_reads", kernel(func(k *KernelResult) string { return count(k.DRAM.Reads) })},
	{"dram_writes", kernel(func(k *KernelResult) string { return count(k.DRAM.Writes) })},
	{"dram_bytes", kernel(func(k *KernelResult) string { return count(k.DRAM.Bytes) })},
	{"dram_utilization", kernel(func(k *KernelResult) string { return number(k.DRAM.Utilization) })},
}, append(stallColumns(), processColumns...)...)

// processColumns say when the process ran and how long its runs took.
var processColumns = []column{
	{"replays", run(func(r *Result) string { return count(r.Replays) })},
	{"arrival_cycle", kernel(func(k *KernelResult) string { return count(k.ArrivalCycle) })},
	{"priority", kernel(func(k *KernelResult) string { return strconv.Itoa(k.Priority) })},
	{"mean_turnaround_cycles", kernel(func(k *KernelResult) string { return number(k.MeanTurnaroundCycles) })},
	{"mean_turnaround_us", kernel(func(k *KernelResult) string { return number(k.MeanTurnaroundUS) })},
	{"isolated_turnaround_cycles", kernel(func(k *KernelResult) string { return number(k.IsolatedTurnaroundCycles) })},
}

// stallColumns has a column for each cause of a stall.
func stallColumns() []column {
	var list []column
	for c := range sm.NumCauses {
		cause := c.String()
		list = append(list, column{"stalls_" + cause, kernel(func(k *KernelResult) string { return count(k.Stalls[cause]) })})
	}
	return list
}

func run(value func(*Result) string) func(*Result, int) string {
	return func(r *Result, _ int) string { return value(r) }
}

func kernel(value func(*KernelResult) string) func(*Result, int) string {
	return func(r *Result, tenant int) string { return value(&r.Kernels[tenant]) }
}

func count(n uint64) string   { return strconv.FormatUint(n, 10) }
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// WriteCSV writes a header and one row for each tenant of each result. It
// writes all or, if w fails at once, nothing.
func WriteCSV(w io.Writer, results ...*Result) error { return writeCSV(w, columns, results, false) }

// WriteSweepCSV writes the results of a sweep as WriteCSV does, but without the
// wall times, so that equal sweeps give equal bytes, and after a column run, the
// number of the result from 1. A nil result is left out.
func WriteSweepCSV(w io.Writer, results []*Result) error {
	timeless := slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return slices.Contains(wallTime, c.name) })
	return writeCSV(w, timeless, results, true)
}

func writeCSV(w io.Writer, columns []column, results []*Result, numbered bool) error {
	var text bytes.Buffer
	c := csv.NewWriter(&text)
	write := func(first string, value func(column) string) {
		var row []string
		if numbered {
			row = append(row, first)
		}
		for _, col := range columns {
			row = append(row, value(col))
		}
		_ = c.Write(row) // a Buffer takes all
	}
	write("run", func(col column) string { return col.name })
	for i, r := range results {
		if r == nil {
			continue
		}
		for tenant := range r.Kernels {
			write(strconv.Itoa(i+1), func(col column) string { return col.value(r, tenant) })
		}
	}
	c.Flush()
	_, err := w.Write(text.Bytes())
	return err
}
