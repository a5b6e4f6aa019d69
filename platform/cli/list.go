package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"cotenant/cta_dispatcher/policy"
	"cotenant/platform/blocks"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/sm/ews"
	"cotenant/workload/kernels"
)

// lists are the lists of the command.
var lists = []struct {
	name, about string
	write       func(io.Writer, *listFlags) error
}{
	{"policies", "sharing policies and their options, for --policy", listPolicies},
	{"presets", "GPUs, for --gpu", listPresets},
	{"kernels", "built-in applications, for --app", listKernels},
	{"blocks", "further hardware blocks and their parameters, for blocks in a GPU's file", listBlocks},
	{"schedulers", "warp schedulers, for sm.scheduler in a GPU's file", listSchedulers},
}

// listFlags are the flags of the list command.
type listFlags struct{ gpu, size string }

func newListCommand() *cobra.Command {
	f := &listFlags{size: "small"}
	var names, about []string
	for _, l := range lists {
		names = append(names, l.name)
		about = append(about, fmt.Sprintf("  %-11s %s", l.name, l.about))
	}
	c := &cobra.Command{
		Use:       "list [" + strings.Join(names, "|") + "]",
		Short:     "List policies, presets, kernels, blocks and warp schedulers",
		Long:      "list names the choices that other commands take:\n\n" + strings.Join(about, "\n") + "\n\nWithout an argument it lists all of them.",
		Example:   "  cotenant list\n  cotenant list policies\n  cotenant list kernels --gpu k20c",
		ValidArgs: names,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(names, args[0]) {
				return usagef("cannot list %q; valid: %s", strings.Join(args, " "), strings.Join(names, ", "))
			}
			return list(c.OutOrStdout(), args, f)
		},
	}
	c.Flags().StringVar(&f.gpu, "gpu", "gtx980", "`NAME` of a preset, or a YAML file: the GPU for which kernels shows the fitting TBs")
	bindChoice(c, &f.size, "size", kernels.Sizes, "input of the applications of real kernels")
	return c
}

// list writes the lists asked for, or all.
func list(w io.Writer, names []string, f *listFlags) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, l := range lists {
		if len(names) == 0 {
			if i > 0 {
				fmt.Fprintln(out)
			}
			fmt.Fprintf(out, "%s: %s\n", l.name, l.about)
		} else if l.name != names[0] {
			continue
		}
		if err := l.write(out, f); err != nil {
			return err
		}
	}
	return out.Flush()
}

// lineWidth is the width of a terminal that lists fit.
const lineWidth = 120

// folded are lines of a text, each no longer than width unless a word is.
func folded(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

func listPolicies(w io.Writer, _ *listFlags) error {
	for _, p := range policy.All() {
		fmt.Fprintf(w, "  %s\t%s\n", p.Name, strings.Join(folded(p.About, lineWidth-24), "\n    \t"))
		for _, o := range p.Options {
			fmt.Fprintf(w, "    %s=%s\t%s\n", o.Name, o.Default, strings.Join(folded(o.About, lineWidth-24), "\n    \t"))
		}
	}
	return nil
}

func listPresets(w io.Writer, _ *listFlags) error {
	for _, name := range presets.Names() {
		gpu, err := presets.Load(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "  %s\t%s\n", name, about(gpu))
	}
	return nil
}

// about describes a GPU, with the kinds of its SMs if they differ.
func about(gpu *wiring.Config) string {
	if len(gpu.Kinds()) == 1 {
		return gpu.About
	}
	return fmt.Sprintf("%s; SMs: %v", gpu.About, gpu.SMs)
}

func listBlocks(w io.Writer, _ *listFlags) error {
	all := blocks.All()
	for _, k := range all {
		fmt.Fprintf(w, "  %s\t%s: %s\n", k.Key, k.Joint, k.About)
		for _, p := range parameters(k.Defaults()) {
			fmt.Fprintf(w, "    %s=%s\n", p.name, p.value)
		}
	}
	if len(all) == 0 {
		fmt.Fprintln(w, "  none is part of the program; docs/adding-a-block.md adds one")
	}
	return nil
}

func listSchedulers(w io.Writer, _ *listFlags) error {
	for _, s := range ews.All() {
		fmt.Fprintf(w, "  %s\t%s\n", s.Name, s.About)
	}
	return nil
}
