package fit

import (
	"fmt"
	"regexp"
	"strings"
)

// unsafe are characters that a name in a profile does without.
var unsafe = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// write writes a profile.
func write(name string, kernels []*kernel) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# Fitted to the counters of Nsight Compute by cotenant fit.\nname: %s\nkernels:\n", clean(name))
	used := map[string]bool{}
	for _, k := range kernels {
		short, _, _ := strings.Cut(k.name, "(")
		own := clean(short)
		for n := 2; used[own]; n++ {
			own = fmt.Sprintf("%s-%d", clean(short), n)
		}
		used[own] = true
		k.write(&out, own)
	}
	return out.String()
}

func clean(name string) string {
	if name = strings.Trim(unsafe.ReplaceAllString(name, "_"), "_"); name == "" {
		return "kernel"
	}
	return name
}

func (k *kernel) write(out *strings.Builder, name string) {
	fmt.Fprintf(out, "  - name: %s\n    tbs: %d\n    launches: %d\n", name, k.tbs, k.launches)
	if k.loop {
		fmt.Fprint(out, "    loop: all\n")
	}
	fmt.Fprintf(out, "    demands: [{threads: %d, registers_per_thread: %d, shared_bytes_per_tb: %d}]\n    instructions: %d\n    phases:\n      - mix: {",
		k.block, min(255, k.registers), k.shared, k.length)
	for i, p := range k.mix {
		if i > 0 {
			out.WriteString(", ")
		}
		fmt.Fprintf(out, "%s: %.5f", p.name, p.share)
	}
	out.WriteString("}\n")
	if k.splitProbability > 0 {
		fmt.Fprintf(out, "        split_probability: %s\n        split_active: %s\n", decimal(k.splitProbability), decimal(k.splitTo))
	}
	if k.conflict > 1 && k.shared > 0 {
		fmt.Fprintf(out, "        shared_conflict: %s\n", decimal(min(k.conflict, max(1, float64(k.shared/128)))))
	}
	fmt.Fprintf(out, "        load: {pattern: stream, lines: %s, footprint: %d, warp_reuse: %s, grid_reuse: %s, grid_set: %d}\n",
		decimal(k.loadLines), k.loadFootprint, decimal(k.warpReuse), decimal(min(k.gridReuse, 1-k.warpReuse)), max(leastFootprint, k.gridSet))
	fmt.Fprintf(out, "        store: {pattern: stream, lines: %s, footprint: %d}\n", decimal(k.storeLines), k.storeOutput)
}
