// Package series writes the counters of a run over time as CSV: for each interval a row
// for each tenant and a row for the whole GPU, with the counts of all modules in it. The
// columns follow from the modules' Stats structs, so a new counter gets a column.
package series

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"

	"cotenant/components/stats"
	"cotenant/platform/wiring"
)

// fixed are the columns before the counters: the core cycle at the end of the interval,
// its length, the tenant's number, empty for the whole GPU, its name, and thread
// instructions per core cycle.
var fixed = []string{"cycle", "cycles", "tenant", "name", "ipc"}

// threadInstructions is the counter behind ipc.
const threadInstructions = "sm.thread_instructions"

// Writer writes a series.
type Writer struct {
	out     *csv.Writer
	gpu     *wiring.Platform
	names   []string // of the tenants
	columns map[string]int
	parts   [][]bool   // by tenant, and for the whole GPU: whether it has a value in each column
	cycle   uint64     // of the last sample
	before  [][]uint64 // counters then, as parts
	row     []string
}

// Attach samples a GPU that is about to run tenants of the given names, whenever an
// interval of core cycles, at least 1, has passed. It does not change a run's results.
// Errors of out show when it is closed.
func Attach(out io.Writer, gpu *wiring.Platform, names []string, interval uint64) *Writer {
	w := &Writer{out: csv.NewWriter(out), gpu: gpu, names: names, columns: map[string]int{}}
	header := slices.Clone(fixed)
	w.each(0, func(_ int, name string, _ uint64) {
		if _, ok := w.columns[name]; !ok {
			w.columns[name] = len(w.columns)
			header = append(header, name)
		}
	})
	for range len(names) + 1 {
		w.parts = append(w.parts, make([]bool, len(w.columns)))
	}
	w.each(0, func(of int, name string, _ uint64) { w.parts[of][w.columns[name]] = true })
	w.before = w.counters(0)
	// An error shows again when the file is closed.
	_ = w.out.Write(header)
	gpu.Every(interval, w.sample)
	return w
}

// each calls a function with each counter after a number of core cycles, and its owner's
// number: first the counters of the whole GPU, with the number after the last tenant.
func (w *Writer) each(cycle uint64, f func(of int, name string, value uint64)) {
	modules, blocks := w.gpu.Stats(cycle, len(w.names))
	for _, groups := range []map[string]stats.Group{modules, blocks} {
		for _, key := range slices.Sorted(maps.Keys(groups)) {
			group := groups[key]
			for _, c := range group.Total {
				f(len(w.names), key+"."+c.Name, c.Value)
			}
			for i, list := range group.Tenants {
				for _, c := range list {
					f(i, key+"."+c.Name, c.Value)
				}
			}
		}
	}
}

// counters are all counters, by owner and column.
func (w *Writer) counters(cycle uint64) [][]uint64 {
	list := make([][]uint64, len(w.names)+1)
	for i := range list {
		list[i] = make([]uint64, len(w.columns))
	}
	w.each(cycle, func(of int, name string, value uint64) { list[of][w.columns[name]] = value })
	return list
}

// sample writes the interval up to a cycle.
func (w *Writer) sample(cycle uint64) {
	now := w.counters(cycle)
	for i, counters := range now {
		cycles, number, name := cycle-w.cycle, "", "total"
		if i < len(w.names) {
			number, name = strconv.Itoa(i), w.names[i]
		}
		instructions := w.columns[threadInstructions]
		ipc := float64(counters[instructions]-w.before[i][instructions]) / float64(cycles)
		w.row = append(w.row[:0], strconv.FormatUint(cycle, 10), strconv.FormatUint(cycles, 10), number, name, strconv.FormatFloat(ipc, 'g', -1, 64))
		for j, value := range counters {
			cell := ""
			if w.parts[i][j] {
				cell = strconv.FormatUint(value-w.before[i][j], 10)
			}
			w.row = append(w.row, cell)
		}
		_ = w.out.Write(w.row)
	}
	w.before, w.cycle = now, cycle
}

// Close writes the rest of a run that ends after a number of core cycles; it may be
// shorter than an interval. It returns the first error of writing.
func (w *Writer) Close(cycles uint64) error {
	if cycles > w.cycle {
		w.sample(cycles)
	}
	w.out.Flush()
	return w.out.Error()
}
