package experiment

import (
	"bytes"
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cotenant/components/stats"
	"cotenant/sm"
)

// column is one column of the CSV form.
type column struct {
	name   string
	path   string // of the value in the JSON form, of the run or of a tenant
	tenant bool
}

// perTenant stands in a path for the number of the tenant.
const perTenant = "#"

// wallTime are the columns that differ between two runs of one command.
var wallTime = []string{"isolated_wall_seconds", "wall_seconds"}

// columns keep their order; new ones are only appended. Columns up to wall_seconds belong
// to the run and repeat in each of its rows. Names and meanings follow the JSON form:
// underscores join the path of a tenant's nested fields, and total_ marks the run's sum
// of a tenant's field. Counters of blocks come last, empty for a run without the block.
var columns = slices.Concat(
	ofRun("schema", "gpu", "policy", "seed", "version", "config_hash", "mode", "total_cycles", "total_warp_instructions",
		"total_thread_instructions", "stp", "antt", "fairness", "wspeedup", "hspeedup", "isolated_wall_seconds", "wall_seconds"),
	ofTenant(tenantNumber, "name", "app", "warp_instructions", "thread_instructions", "cycles", "ipc", "isolated_ipc",
		"normalized_ipc", "ntt", "launches_started", "launches_completed", "completions", "tbs_completed", "preemptions",
		"context_bytes", "l1.accesses", "l1.hits", "l2.accesses", "l2.hits", "dram.reads", "dram.writes", "dram.bytes",
		"dram.utilization"),
	ofTenant(stallPaths(0, sm.Bubble)...), // later causes are appended
	ofRun("replays"),
	ofTenant("arrival_cycle", "priority", "mean_turnaround_cycles", "mean_turnaround_us", "isolated_turnaround_cycles",
		"stalls."+sm.Bubble.String()),
	ofTenant("goal_ipc", "ipc_over_goal", "goal_reached", "stalls."+sm.GroupSwitch.String()),
	ofRun("isolated_gpu", "pages"),
	ofTenant(stallPaths(sm.Faulted, sm.NumCauses)...), // without Optional causes: see ofCauses
)

// tenantNumber is the column of a tenant's number, which is no field.
const tenantNumber = "tenant"

func ofRun(names ...string) (list []column) {
	for _, name := range names {
		list = append(list, column{name: name, path: strings.TrimPrefix(name, "total_")})
	}
	return list
}

func ofTenant(paths ...string) (list []column) {
	for _, path := range paths {
		list = append(list, column{name: strings.ReplaceAll(path, ".", "_"), path: path, tenant: true})
	}
	return list
}

// stallPaths are the causes of a stall from one to before another that every result has.
func stallPaths(from, to sm.Cause) (list []string) {
	for c := from; c < to; c++ {
		if !c.Info().Optional {
			list = append(list, "stalls."+c.String())
		}
	}
	return list
}

// ofCauses are the optional causes of stalls that any of the results has.
func ofCauses(results []*Result) (list []column) {
	for c := range sm.NumCauses {
		if c.Info().Optional && slices.ContainsFunc(results, func(r *Result) bool { return r != nil && r.Stalls[c.String()] > 0 }) {
			list = append(list, ofTenant("stalls."+c.String())...)
		}
	}
	return list
}

// ofBlocks are the counters of the blocks that a run of the results has at its
// joints, in alphabetical order of their keys.
func ofBlocks(results []*Result) (list []column) {
	first := map[string]stats.Group{} // by key, of the first run that has it
	for _, r := range results {
		if r == nil {
			continue
		}
		for key, group := range r.Blocks {
			if _, seen := first[key]; !seen {
				first[key] = group
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(first)) {
		group := first[key]
		for _, c := range group.Total {
			list = append(list, column{name: "total_blocks_" + key + "_" + c.Name, path: "blocks." + key + ".total." + c.Name})
		}
		if len(group.Tenants) == 0 {
			continue
		}
		for _, c := range group.Tenants[0] {
			list = append(list, column{name: "blocks_" + key + "_" + c.Name, path: "blocks." + key + ".tenants." + perTenant + "." + c.Name})
		}
	}
	return list
}

// value is what a column has for a tenant of a run; nothing if the run has no
// such field.
func (c *column) value(r *Result, tenant int) string {
	switch {
	case c.path == tenantNumber:
		return strconv.Itoa(tenant)
	case c.tenant:
		return at(&r.Kernels[tenant], c.path)
	}
	return at(r, strings.Replace(c.path, perTenant, strconv.Itoa(tenant), 1))
}

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
	columns = slices.Concat(columns, ofCauses(results), ofBlocks(results))
	var text bytes.Buffer
	c := csv.NewWriter(&text)
	write := func(first string, value func(*column) string) {
		var row []string
		if numbered {
			row = append(row, first)
		}
		for i := range columns {
			row = append(row, value(&columns[i]))
		}
		_ = c.Write(row) // a Buffer takes all
	}
	write("run", func(col *column) string { return col.name })
	for i, r := range results {
		if r == nil {
			continue
		}
		for tenant := range r.Kernels {
			write(strconv.Itoa(i+1), func(col *column) string { return col.value(r, tenant) })
		}
	}
	c.Flush()
	_, err := w.Write(text.Bytes())
	return err
}
