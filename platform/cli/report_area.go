package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"cotenant/experiment"
	"cotenant/metrics"
)

// areaFlags are the flags of report area.
type areaFlags struct {
	gpu       string
	subQueues uint64
	json      outputFlag
}

// areaReport is what report area writes.
type areaReport struct {
	Schema      int                 `json:"schema"` // grows when a field changes its meaning or goes
	GPU         string              `json:"gpu"`
	Source      string              `json:"source"` // of the formulas
	RateControl metrics.RateControl `json:"rate_control"`
	// SMArea is of a GPU with SMs of other kinds than base.
	SMArea       *metrics.SMArea `json:"sm_area,omitempty"`
	SMAreaSource string          `json:"sm_area_source,omitempty"`
	// SMEnergy is what registers of its SMs take.
	SMEnergy       []metrics.SMEnergyOfKind `json:"sm_energy,omitempty"`
	SMEnergySource string                   `json:"sm_energy_source,omitempty"`
}

func newAreaCommand() *cobra.Command {
	f := &areaFlags{subQueues: 8}
	c := &cobra.Command{
		Use:   "area",
		Short: "Count the hardware that issue-rate controllers add to a GPU, and the area of SMs of several kinds",
		Long: "area counts wires, multiplexers and bits of storage that issue-rate controllers of N sub-queues, one in each SM, add to a GPU, " +
			"by the formulas of the CCBP paper (section 6.4). For a GPU with SMs of several kinds it also gives each kind's area relative to the base kind, " +
			"from figures of the HeteroCore paper (section 6.2), and the energy of its registers. It simulates nothing.",
		Example: "  cotenant report area\n  cotenant report area --gpu gtx980 --sub-queues 4 --json -\n  cotenant report area --gpu heterocore-8b8s",
		Args:    noArgs,
		RunE:    opened(f.run),
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.gpu, "gpu", "ccbp16", "`NAME` of a preset, or a YAML file, for the number and kinds of SMs")
	bindCount(c, &f.subQueues, "sub-queues", 1, 256, "sub-queues of an SM's controller, one for each kernel that it can hold")
	bindOutput(c, &f.json, wholeOrStandard, "json", "write the counts as JSON to `FILE`, or to standard output if it is -, instead of the table")
	return c
}

func (f *areaFlags) run(c *cobra.Command, paths *files, _ []string) error {
	gpu, err := paths.gpu(f.gpu)
	if err != nil {
		return err
	}
	cost, err := metrics.RateControlCost(int(f.subQueues), gpu.SMs.Count())
	if err != nil {
		return err
	}
	out := &outputs[*areaReport]{}
	defer out.discard()
	if !f.json.given() {
		out.stdout = (*areaReport).writeTable
	}
	if out.to(&f.json, (*areaReport).writeJSON); out.err != nil {
		return out.err
	}
	report := &areaReport{Schema: 1, GPU: f.gpu, Source: metrics.RateControlSource, RateControl: cost}
	if report.SMArea, err = experiment.SMArea(gpu); err != nil {
		return err
	}
	if report.SMEnergy, err = experiment.SMEnergy(gpu); err != nil {
		return err
	}
	if report.SMArea != nil {
		report.SMAreaSource, report.SMEnergySource = metrics.SMAreaSource, metrics.RegisterEnergySource
	}
	return out.write(c.OutOrStdout(), report)
}

func (r *areaReport) writeJSON(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(r)
}

func (r *areaReport) writeTable(w io.Writer) error {
	c := r.RateControl
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "Issue-rate controllers of %s: N = %d sub-queues, %d SMs (%s)\n\n", r.GPU, c.SubQueues, c.SMs, r.Source)
	for _, row := range []struct {
		name, formula string
		count         int
		unit          string
	}{
		{"Sub-queues", "3N - 1", c.WireSets, "sets of wires"},
		{"", "N - 1", c.Multiplexers, "multiplexers"},
		{"Virtual queue partitioning vector", "N log2 N", c.PartitionBits, "bits"},
		{"Issue rate credit vector", "8N", c.CreditBits, "bits"},
		{"RF monitor", "2 x 32 N", c.RFMonitorBits, "bits"},
		{"DF monitor", "2 x 32 N", c.DFMonitorBits, "bits"},
		{"Storage of an SM", "sum", c.SMBits, "bits"},
		{"Storage of all SMs", "sum x SMs / 8", c.Bytes, "bytes"},
	} {
		fmt.Fprintf(out, "%s\t%s\t%d %s\n", row.name, row.formula, row.count, row.unit)
	}
	if r.SMArea != nil {
		r.writeSMArea(out)
	}
	return out.Flush()
}

// writeSMArea writes the table of the SMs' area.
func (r *areaReport) writeSMArea(out io.Writer) {
	a, p := r.SMArea, &metrics.HeteroCorePrinted
	fmt.Fprintf(out, "\nSMs of %s beside base SMs of %d warp slots (%s)\n\n", r.GPU, a.BaseWarpSlots, r.SMAreaSource)
	fmt.Fprintln(out, "Kind\tSMs\tWarp slots\tScale\tArea of an SM\tby")
	sms := 0
	for _, k := range a.Kinds {
		by := "the parabola through -3.1 % at 1/2, 0 at 1 and +6.9 % at 3/2"
		if k.Printed {
			by = "the paper"
		}
		fmt.Fprintf(out, "%s\t%d\t%d\t%.3g\t%+.1f %%\t%s\n", k.Kind, k.SMs, k.WarpSlots, k.Scale, k.Percent, by)
		sms += k.SMs
	}
	fmt.Fprintf(out, "all\t%d\t\t\t%+.1f %%\tthe mean over the SMs\n", sms, a.Percent)
	fmt.Fprintf(out, "\nEnergy of registers beside base SMs (%s)\n\n", r.SMEnergySource)
	fmt.Fprintln(out, "Kind\tRegisters\tAn access\tA thread instruction")
	for _, k := range r.SMEnergy {
		fmt.Fprintf(out, "%s\t%d\tx %.3f\tx %.3f\n", k.Kind, k.Registers, k.Access, k.Instruction)
	}
	fmt.Fprintf(out, "\nThe paper prints of 8 big and 8 small SMs: SMs %+.1f %%, which is 6.9 - 3.1 and no mean, and chip %+.1f %%;\n", p.SMs, p.Chip)
	fmt.Fprintf(out, "power %+.1f %%; energy of an instruction %.1f %% in heterogeneous mixes, \"neutral\" in homogeneous ones, %.1f %% in all,\n", p.Power, p.EPIMixed, p.EPI)
	fmt.Fprintf(out, "so that homogeneous ones have %.1f %%, and %.1f %% more instructions are executed.\n", metrics.EPIOfOthers(p.EPI, p.EPIMixed, 66, 36), metrics.MoreInstructions(p.Power, p.EPI))
}
