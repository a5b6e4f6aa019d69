package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cotenant/experiment/workloads"
	"cotenant/platform/presets"
	"cotenant/platform/wiring"
	"cotenant/workload"
	"cotenant/workload/profile"
	"cotenant/workload/source"
)

// listKernels lists the kernels of the built-in applications: measured figures of the real
// ones, and the thread blocks that fit an SM of the GPU.
func listKernels(w io.Writer, f *listFlags) error {
	d, err := workloads.Kept(f.size)
	if err != nil {
		return usageError{err}
	}
	gpu, err := presets.Load(f.gpu)
	if err != nil {
		return usageUnlessInput(err)
	}
	kinds := gpu.Kinds()
	for _, line := range folded(fmt.Sprintf("Real kernels, size %s. C|M: class by stall cycles on %s (docs/workloads.md); regs: registers of a thread; shared: bytes of a TB; "+
		"insts: warp instructions of a TB, the mean on %s; GPU: that of the registers and bytes; TBs: the most on an SM of %s, and their limit.", d.Size, d.GPU, d.GPU, gpu.Name), lineWidth-2) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	if gpu.ISA != workload.Machine {
		fmt.Fprintf(w, "  %s executes PTX (isa: %s), and other numbers of instructions: docs/ptx-lowering.md.\n", gpu.Name, gpu.ISA)
	}
	fmt.Fprint(w, "  application\tkernel\tC|M\tgrid\tblock\tregs\tshared\tinsts\tGPU\tTBs\tlimited by\n")
	for _, a := range d.Apps {
		for i := range a.Kernels {
			k := &a.Kernels[i]
			shape := k.Shape()
			fmt.Fprintf(w, "  %s\t%s\t%s\t%v\t%v\t%d\t%d\t%.0f\t%s\t%s\n", a.Name, k.Name, k.Class(), shape.Grid, shape.Block,
				k.RegistersPerThread, k.SharedBytesPerTB, k.InstructionsPerTB(), k.Demands, strings.Join(occupancy(k, kinds), "\n  "+strings.Repeat("\t", 9)))
		}
	}
	return listProfiles(w)
}

// occupancy makes two cells of a table: how many thread blocks of a kernel fit an SM, and
// their limit. Each kind of SM has a row, with its name if there are several.
func occupancy(k *workloads.Kernel, kinds []wiring.SMInstance) (rows []string) {
	for i := range kinds {
		c := kinds[i].Spec.Capacity()
		n, limit := k.Occupancy(&c)
		name := ""
		if len(kinds) > 1 {
			name = kinds[i].Kind + " "
		}
		rows = append(rows, fmt.Sprintf("%s%d\t%s", name, n, strings.NewReplacer("thread block", "TB", "shared memory", "shared").Replace(limit)))
	}
	return rows
}

func listProfiles(w io.Writer) error {
	fmt.Fprintln(w, "\n  Statistical profiles")
	for _, name := range profile.Names() {
		app, err := source.Open("profile:"+name, source.Options{})
		if err != nil {
			return err
		}
		var names []string
		for _, k := range app.Kernels() {
			if !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
		about := fmt.Sprintf("%s of %s", workload.Count(len(app.Kernels()), "launch"), strings.Join(names, ", "))
		fmt.Fprintf(w, "  profile:%s\t%s\n", name, strings.Join(folded(about, lineWidth-25), "\n  \t"))
	}
	return nil
}
