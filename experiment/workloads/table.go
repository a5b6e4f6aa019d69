package workloads

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cotenant/components/occupancy"
	"cotenant/components/stats"
	dispatcher "cotenant/cta_dispatcher"
	"cotenant/platform/wiring"
	"cotenant/sm"
)

// class is what the SMK paper says of an application.
type class struct{ name, stall string }

// unpublished stands for what the paper says of the other applications.
var unpublished = class{"-", "-"}

// published is the class that the SMK paper gives an application (6.1), and the
// share of stall cycles of its kernel in per cent where Table 2 has it.
var published = map[string]class{
	"cutcp": {"C", "54.5"}, "mri-q": {"C", "-"}, "sgemm": {"C", "52.5"}, "tpacf": {"C", "60.2"},
	"histo": {"M", "-"}, "lbm": {"M", "89.9"}, "mri-gridding": {"M", "-"}, "sad": {"M", "-"}, "spmv": {"M", "91.2"}, "stencil": {"M", "91.2"},
}

// Occupancy is how many thread blocks of a kernel fit an SM, and what limits
// them.
func (k *Kernel) Occupancy(c *occupancy.Capacity) (tbs int, limit string) {
	return c.Occupancy(dispatcher.DemandOf(k.Shape()))
}

// InstructionsPerTB is the mean number of warp instructions of a thread block.
func (k *Kernel) InstructionsPerTB() float64 { return stats.Ratio(k.WarpInstructions, k.TBs) }

// WriteMarkdown writes the tables for people to read.
func (d *Data) WriteMarkdown(w io.Writer, gpu *wiring.Config) error {
	t := &markdown{}
	t.head("Application", "IPC", "Stalled %", "SMK: stalled %", "Class", "SMK: class", "L1 hit %", "L2 hit %",
		"Requests %", "Replies %", "DRAM %", "Cycles")
	for _, a := range d.Apps {
		p, ok := published[a.Name]
		if !ok {
			p = unpublished
		}
		cells := append([]string{a.Name, number(a.IPC()), percent(a.Stalled()), p.stall, a.Class(), p.name}, d.memory(gpu, &a.Counts)...)
		t.row(append(cells, fmt.Sprint(a.Cycles))...)
	}
	t.text("\n")
	t.head("Kernel", "TBs of an SM", "limited by", "Registers %", "Shared memory %", "Threads %", "Demands of", "Threads resident %")
	kinds, threads := gpu.Kinds(), uint64(gpu.Threads())
	for _, k := range d.kernels() {
		for i := range kinds {
			name, c := k.Name, kinds[i].Spec.Capacity()
			if len(kinds) > 1 {
				name += " (" + kinds[i].Kind + ")"
			}
			tbs, limit := k.Occupancy(&c)
			all := dispatcher.DemandOf(k.Shape()).Times(tbs)
			t.row(name, fmt.Sprint(tbs), limit, percent(stats.Ratio(uint64(all.Registers), uint64(c.Registers))),
				percent(stats.Ratio(uint64(all.SharedBytes), uint64(c.SharedOptions[len(c.SharedOptions)-1]))),
				percent(stats.Ratio(uint64(all.Threads), uint64(c.Threads))), k.Demands,
				percent(stats.Ratio(k.ThreadCycles, k.Cycles*threads)))
		}
	}
	t.text("\n")
	header := []string{"Kernel", "Launches", "IPC", "Class"}
	causes := d.causes()
	for _, cause := range causes {
		header = append(header, cause.String()+" %")
	}
	t.head(append(header, "L1 hit %", "L2 hit %", "Requests %", "Replies %", "DRAM %")...)
	for _, k := range d.kernels() {
		cells := []string{k.Name, fmt.Sprint(k.Launches), number(k.IPC()), k.Class()}
		for _, cause := range causes {
			cells = append(cells, percent(k.Share(cause.String())))
		}
		t.row(append(cells, d.memory(gpu, &k.Counts)...)...)
	}
	_, err := io.WriteString(w, t.String())
	return err
}

// causes lists the causes of the table: all but an optional cause without cycles.
func (d *Data) causes() (list []sm.Cause) {
	for cause := range sm.NumCauses {
		has := func(k *Kernel) bool { return k.Stalls[cause.String()] > 0 }
		if !cause.Info().Optional || slices.ContainsFunc(d.kernels(), has) {
			list = append(list, cause)
		}
	}
	return list
}

func (d *Data) kernels() (list []*Kernel) {
	for _, a := range d.Apps {
		for i := range a.Kernels {
			list = append(list, &a.Kernels[i])
		}
	}
	return list
}

// memory are the cells about the way to memory.
func (d *Data) memory(gpu *wiring.Config, c *Counts) []string {
	return []string{percent(stats.Ratio(c.L1Hits, c.L1Accesses)), percent(stats.Ratio(c.L2Hits, c.L2Accesses)),
		percent(stats.Ratio(c.RequestFlits, c.NoCCycles*uint64(gpu.Address.Slices))),
		percent(stats.Ratio(c.ReplyFlits, c.NoCCycles*uint64(gpu.SMs.Count()))),
		percent(stats.Ratio(c.DRAMBusCycles, c.DRAMCycles*uint64(gpu.Address.Channels)))}
}

// markdown is text with tables.
type markdown struct{ strings.Builder }

func (m *markdown) text(s string) { m.WriteString(s) }

func (m *markdown) row(cells ...string) { m.text("| " + strings.Join(cells, " | ") + " |\n") }

func (m *markdown) head(cells ...string) {
	m.row(cells...)
	m.text("|---" + strings.Repeat("|---:", len(cells)-1) + "|\n")
}

func number(x float64) string  { return fmt.Sprintf("%.1f", x) }
func percent(x float64) string { return fmt.Sprintf("%.1f", 100*x) }
