package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cotenant/experiment/workloads"
	"cotenant/platform/build"
	"cotenant/platform/presets"
	"cotenant/workload/profile"
	"cotenant/workload/source"
)

// listKernels lists the kernels of the applications that are built in: what was
// measured of the real ones, and the thread blocks that fit an SM of the GPU.
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
	fmt.Fprintf(w, "  Real kernels, size %s. Instructions are of warps, a mean over the thread blocks run on %s; class by stall cycles there (docs/workloads.md).\n", d.Size, d.GPU)
	fmt.Fprintf(w, "  Application\tkernel\tclass\tgrid\tblock\tregisters a thread\tshared bytes a TB\tdemands of\tTBs an SM of %s\tlimited by\tinstructions a TB\n", gpu.Name)
	for _, a := range d.Apps {
		for i := range a.Kernels {
			k := &a.Kernels[i]
			shape := k.Shape()
			tbs, limit := occupancy(k, kinds)
			fmt.Fprintf(w, "  %s\t%s\t%s\t%v\t%v\t%d\t%d\t%s\t%s\t%s\t%.0f\n", a.Name, k.Name, k.Class(), shape.Grid, shape.Block,
				k.RegistersPerThread, k.SharedBytesPerTB, k.Demands, tbs, limit, k.InstructionsPerTB())
		}
	}
	return listProfiles(w)
}

// occupancy says how many thread blocks of a kernel fit an SM, and what limits
// them: of each kind by its name where there are several.
func occupancy(k *workloads.Kernel, kinds []build.SMInstance) (tbs, limit string) {
	var counts, limits []string
	for i := range kinds {
		c := kinds[i].Spec.Capacity()
		n, limit := k.Occupancy(&c)
		name := ""
		if len(kinds) > 1 {
			name = kinds[i].Kind + " "
		}
		counts, limits = append(counts, fmt.Sprint(name, n)), append(limits, name+limit)
	}
	return strings.Join(counts, ", "), strings.Join(limits, ", ")
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
		fmt.Fprintf(w, "  profile:%s\t%d launches of %s\n", name, len(app.Kernels()), strings.Join(names, ", "))
	}
	return nil
}
