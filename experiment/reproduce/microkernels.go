package reproduce

import (
	"context"
	"fmt"
	"math"
	"strings"

	"cotenant/experiment/validation"
	"cotenant/platform/wiring"
)

// Measured runs microkernels on GPUs, for figures of latencies and bandwidths.
type Measured interface {
	// Chase measures the latency of a chain of loads by footprint, beside what is published.
	Chase(gpu *wiring.Config) (*validation.GPUReport, error)
	// L2Bandwidth is the rate in GB/s at which all SMs read one buffer of a size in KB.
	L2Bandwidth(gpu *wiring.Config, kb int) (float64, error)
	// SameL2Bandwidth is that rate where all SMs read the same lines over and over.
	SameL2Bandwidth(gpu *wiring.Config, kb int) (float64, error)
	// Fabric is the rate in bytes per core cycle at which some SMs access the L2.
	Fabric(gpu *wiring.Config, t validation.Traffic) (float64, error)
	// Launches is the time in microseconds from one launch to the next of a kernel that scales n
	// numbers of 8 bytes.
	Launches(gpu *wiring.Config, n int, graph bool) (float64, error)
	// Kept is the time in core cycles of a pass over kb KB of data of which the L2 keeps a share in
	// aside bytes.
	Kept(gpu *wiring.Config, kb int, aside uint64, share float64) (float64, error)
}

// Microkernels is the Measured that simulates.
func Microkernels(ctx context.Context) Measured { return simulated{ctx} }

type simulated struct{ ctx context.Context }

// Chase makes simulated a Measured.
func (s simulated) Chase(gpu *wiring.Config) (*validation.GPUReport, error) {
	r, err := validation.Measure(s.ctx, []*wiring.Config{gpu}, validation.Options{Parallel: 1, Only: "chase-"})
	if err != nil {
		return nil, err
	}
	return r.GPUs[0], nil
}

// L2Bandwidth makes simulated a Measured.
func (s simulated) L2Bandwidth(gpu *wiring.Config, kb int) (float64, error) {
	return validation.L2Bandwidth(s.ctx, gpu, kb)
}

// SameL2Bandwidth makes simulated a Measured.
func (s simulated) SameL2Bandwidth(gpu *wiring.Config, kb int) (float64, error) {
	return validation.SameL2Bandwidth(s.ctx, gpu, kb)
}

// Fabric makes simulated a Measured.
func (s simulated) Fabric(gpu *wiring.Config, t validation.Traffic) (float64, error) {
	return validation.FabricBandwidth(s.ctx, gpu, t)
}

// Launches makes simulated a Measured.
func (s simulated) Launches(gpu *wiring.Config, n int, graph bool) (float64, error) {
	return validation.RepeatedLaunches(s.ctx, gpu, n, graph)
}

// Kept makes simulated a Measured.
func (s simulated) Kept(gpu *wiring.Config, kb int, aside uint64, share float64) (float64, error) {
	return validation.Kept(s.ctx, gpu, kb, aside, share)
}

// unmeasured is Chase before anything is measured.
func unmeasured(gpu *wiring.Config) (*validation.GPUReport, error) {
	return validation.Unmeasured(gpu, "chase-")
}

// chips are the presets with a published chase; another GPU of the scale takes their place.
var chips = []string{"v100", "a100", "h100", "rtx4090"}

// h100PCIe is the board of the published bandwidths: the chip of h100 with 114 SMs, its clocks
// and HBM2e (NVIDIA, H100 white paper); the crossbars' clock as much slower as the SMs'.
const h100PCIe = "h100?sms=114&gpcs=[14,14,14,14,14,14,14,16]&clocks.core_mhz=1755&clocks.l2_mhz=1755&clocks.noc_mhz=2302&clocks.dram_mhz=1593"

// v100PCIe is the board of RRZE-HPC, with the clock that the README of gpu-benches shows; the crossbars' and
// the L2's clocks as much slower as the SMs'.
const v100PCIe = "v100?clocks.core_mhz=1380&clocks.l2_mhz=1380&clocks.noc_mhz=1380"

// bandwidths are GB/s by size, of RRZE-HPC/gpu-benches at 1038c5d: of its program gpu-l2-cache, or of
// gpu-cache, in which all SMs read the same.
var bandwidths = []struct {
	label, gpu, file string
	kb               int
	value            float64
	same             bool
}{
	{"a100", "a100", "a100_80.txt", 4096, 5466.9, false},
	{"a100", "a100", "a100_80.txt", 8192, 5436.5, false},
	{"a100", "a100", "a100_80.txt", 19968, 5325.4, false},
	{"a100", "a100", "a100_80.txt", 28160, 5170.5, false},
	{"a100", "a100", "a100_80.txt", 30720, 3999.5, false},
	{"a100", "a100", "a100_80.txt", 36864, 3004.0, false},
	{"a100", "a100", "a100_80.txt", 44032, 2188.0, false},
	{"h100 PCIe", h100PCIe, "h100_pcie.txt", 4096, 7121.5, false},
	{"h100 PCIe", h100PCIe, "h100_pcie.txt", 8192, 7034.2, false},
	{"h100 PCIe", h100PCIe, "h100_pcie.txt", 19968, 6874.1, false},
	{"h100 PCIe", h100PCIe, "h100_pcie.txt", 28160, 6946.5, false},
	{"h100 PCIe", h100PCIe, "h100_pcie.txt", 36864, 6847.1, false},
	{"h100 PCIe", h100PCIe, "h100_pcie.txt", 40448, 5728.6, false},
	{"h100 PCIe", h100PCIe, "h100_pcie.txt", 44032, 4253.2, false},
	{"v100 PCIe", v100PCIe, "v100.txt", 1152, 2439.6, true},
	{"v100 PCIe", v100PCIe, "v100.txt", 2160, 2438.2, true},
	{"v100 PCIe", v100PCIe, "v100.txt", 3456, 2436.8, true},
	{"a100", "a100", "a100_80.txt", 1152, 5364.3, true},
	{"a100", "a100", "a100_80.txt", 3456, 5466.4, true},
	{"L40", l40, "l40.txt", 1080, 5674.6, true},
	{"L40", l40, "l40.txt", 3240, 5713.3, true},
}

// chip is where a row of a figure of several chips is measured: on its own chip, or, if the user asks
// for another GPU, on that in the place of the first chip. Its gpu is nil in the rows of further chips,
// and after an error, which is kept.
func (d *evaluation) chip(label, name, first string) (shown string, gpu *wiring.Config, own bool) {
	switch another := d.Scale.GPU; {
	case another == d.figure.Setting.GPU:
		return label, d.gpu(name), true
	case label == first:
		return another, d.gpu(another), false
	}
	return "", nil, false
}

func init() {
	makers["chase"] = chaseRows
	makers["L2 bandwidth"] = bandwidthRows
}

// chaseRows are the latencies by footprint, a row for each published value.
func chaseRows(d *evaluation, _ []Row) (rows []Row) {
	list := chips
	if d.Scale.GPU != d.figure.Setting.GPU {
		list = []string{d.Scale.GPU}
	}
	for _, name := range list {
		gpu := d.gpu(name)
		if gpu == nil {
			return nil
		}
		measure := unmeasured
		if d.Measured != nil {
			measure = d.Measured.Chase
		}
		r, err := measure(gpu)
		if err != nil {
			d.fail(err)
			return nil
		}
		for _, m := range r.Figures {
			ours := figureRow(name+", "+footprint(m.Figure), m.Unit, m.Ours)
			for i, p := range m.Published {
				r := ours.is((p.Low+p.High)/2, p.Source+" ("+p.Mark+")")
				if i > 0 { // of another study
					r.Label = fmt.Sprintf("%s, source %d", r.Label, i+1)
				}
				rows = append(rows, r)
			}
			if len(m.Published) == 0 {
				rows = append(rows, ours)
			}
		}
	}
	return rows
}

// footprint is the size in a figure's name, chase-64k or chase-2m, in words.
func footprint(figure string) string {
	size := strings.ToUpper(strings.TrimPrefix(figure, "chase-"))
	return size[:len(size)-1] + " " + size[len(size)-1:] + "B"
}

// bandwidthRows are the rates by size, beside the published ones.
func bandwidthRows(d *evaluation, _ []Row) (rows []Row) {
	for _, b := range bandwidths {
		label, gpu, own := d.chip(b.label, b.gpu, bandwidths[0].label)
		if gpu == nil {
			continue
		}
		value := math.NaN()
		if d.Measured != nil {
			measure := d.Measured.L2Bandwidth
			if b.same {
				measure = d.Measured.SameL2Bandwidth
			}
			var err error
			if value, err = measure(gpu, b.kb); err != nil {
				d.fail(err)
				return nil
			}
		}
		of, program := "", "gpu-l2-cache"
		if b.same {
			of, program = "the same ", "gpu-cache"
		}
		r := figureRow(fmt.Sprintf("%s, %s%d KB", label, of, b.kb), "GB/s", value)
		if own {
			r = r.is(b.value, "RRZE-HPC, gpu-benches, "+program+", "+b.file)
		}
		rows = append(rows, r)
	}
	return rows
}
