package reproduce

import (
	"fmt"
	"math"
)

// Machines of the published times that are like presets: an A100 with 80 GB, and an L40, which is the chip
// of rtx4090 with 142 SMs at 2,490 MHz. The arrays lie in the L2, so that h100 stands for an H200, the same chip
// with another DRAM.
const (
	a100With80GB = "a100?clocks.dram_mhz=1593"
	l40          = "rtx4090?sms=142&gpcs=[12,12,12,12,12,12,12,12,12,12,12,10]&clocks.core_mhz=2490&clocks.l2_mhz=2490"
)

// smallKernels are times in us from launch to launch of a kernel that scales n numbers of 8 bytes, of
// RRZE-HPC/gpu-benches at 1038c5d, gpu-small-kernels: the fastest of the thread blocks' sizes. Inner
// is the time in a graph.
var smallKernels = []struct {
	label, gpu, file string
	n                int
	plain, inner     float64
}{
	{"a100", a100With80GB, "a100_80", 4096, 2.621, 1.337},
	{"a100", a100With80GB, "a100_80", 24021, 2.632, 1.439},
	{"a100", a100With80GB, "a100_80", 152295, 3.181, 1.801},
	{"a100", a100With80GB, "a100_80", 383495, 4.096, 2.898},
	{"a100", a100With80GB, "a100_80", 965698, 6.578, 5.313},
	{"h100", "h100", "h200", 4096, 2.427, 1.260},
	{"h100", "h100", "h200", 31432, 2.540, 1.320},
	{"h100", "h100", "h200", 127236, 2.665, 1.485},
	{"h100", "h100", "h200", 515148, 3.843, 2.617},
	{"h100", "h100", "h200", 1036569, 5.197, 4.009},
	{"L40", l40, "l40", 4096, 1.638, 0.936},
	{"L40", l40, "l40", 31432, 1.649, 1.086},
	{"L40", l40, "l40", 127236, 1.935, 1.338},
	{"L40", l40, "l40", 515148, 3.275, 2.646},
	{"L40", l40, "l40", 1036569, 4.888, 4.252},
}

func init() { makers["small kernels"] = smallKernelRows }

// smallKernelRows are the times, each by itself and in a graph, beside the published ones.
func smallKernelRows(d *evaluation, _ []Row) (rows []Row) {
	for _, k := range smallKernels {
		chip, gpu, own := d.chip(k.label, k.gpu, smallKernels[0].label)
		if gpu == nil {
			continue
		}
		for _, graph := range []bool{false, true} {
			value := math.NaN()
			if d.Measured != nil {
				var err error
				if value, err = d.Measured.Launches(gpu, k.n, graph); err != nil {
					d.fail(err)
					return nil
				}
			}
			label, file, published := "launch to launch", k.file+".txt", k.plain
			if graph {
				label, file, published = "in a graph", k.file+"_graph.txt", k.inner
			}
			r := figureRow(fmt.Sprintf("%s, %d KB, %s", chip, k.n*16>>10, label), "us", value)
			if own {
				r = r.is(published, "RRZE-HPC, gpu-benches, gpu-small-kernels, "+file)
			}
			rows = append(rows, r)
		}
	}
	return rows
}
