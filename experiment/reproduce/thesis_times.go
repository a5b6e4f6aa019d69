package reproduce

import (
	"math"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
)

// kernelTimes is the column Avg. Time of the thesis's Table 5.2, in microseconds,
// but for mri-gridding, whose kernels take up to 208 ms.
var kernelTimes = []struct {
	app     string
	kernels []string
	us      []float64
}{
	{"lbm", []string{"StreamCollide"}, []float64{2905.81}},
	{"histo", []string{"final", "prescan", "intermediates", "main"}, []float64{70.24, 20.87, 77.88, 372.58}},
	{"tpacf", []string{"genhists"}, []float64{14615.33}},
	{"spmv", []string{"spmvjds"}, []float64{42.38}},
	{"mri-q", []string{"ComputeQ", "ComputePhiMag"}, []float64{3389.71, 4.70}},
	{"sad", []string{"largersadcalc8", "largersadcalc16", "mbsadcalc"}, []float64{8174.21, 1529.38, 15446.02}},
	{"sgemm", []string{"mysgemmNT"}, []float64{3717.18}},
	{"stencil", []string{"block2Dregtiling"}, []float64{2227.30}},
	{"cutcp", []string{"lattice6overlap"}, []float64{1520.11}},
}

// timedInputs are those of the published decomposition where that is not size
// medium, and at the quick scale few of many equal launches.
var timedInputs = map[string]struct{ full, quick string }{
	"lbm":     {"medium&set=steps:2", "medium&set=steps:1"},
	"histo":   {"medium", "medium&set=images:2"},
	"tpacf":   {"small", "small"},
	"spmv":    {"small", "small&set=products:2"},
	"stencil": {"medium", "medium&set=steps:2"},
	"cutcp":   {"medium", "medium"},
}

func init() {
	register(&Experiment{
		Name:   "thesis-times",
		About:  "mean time of a launch alone on the K20c, for each of 15 kernels",
		Source: "Tanasic's thesis, Table 5.2, column Avg. Time",
		Notes:  "Alone and without copies. lbm runs two of its 100 equal steps; at the quick scale lbm runs one, and histo, spmv and stencil two.",
		GPU:    "k20c",
		runs: func(s Scale) (runs []sweep.Run) {
			for _, k := range kernelTimes {
				runs = append(runs, sweep.Run{GPU: with(s.GPU, "host.ideal=true"), Policy: fcfs.spec, Apps: timed(s, k.app),
					Window: sweep.Window{Until: "replays=1"}, Seed: 1})
			}
			return runs
		},
		rows: func(d *Data) (rows []Row, err error) {
			gpu, err := d.GPU(d.Scale.GPU)
			if err != nil {
				return nil, err
			}
			var ratios logMean
			for _, k := range kernelTimes {
				result := d.on(with(d.Scale.GPU, "host.ideal=true"), fcfs.spec, timed(d.Scale, k.app))
				for i, kernel := range k.kernels {
					r := Row{Label: kernel + " (" + k.app + ")", Unit: "us", Ours: launchTime(result, kernel, gpu.Clocks.Core)}.is(k.us[i], "printed")
					ratios.add(r)
					rows = append(rows, r)
				}
			}
			return append(rows, Row{Label: "geometric mean of ours over the paper's", Ours: ratios.mean()}), nil
		},
	})
}

// timed is an application with its input.
func timed(s Scale, app string) []string {
	size := "medium"
	if in, ok := timedInputs[app]; ok {
		size = in.full
		if s.Quick {
			size = in.quick
		}
	}
	if s.Size == "tiny" { // of tests
		size = s.Size
	}
	return []string{app + "?size=" + size + "&arch=k20c"}
}

// launchTime is the mean time of a kernel's launches, in microseconds of a clock
// in MHz; nil if none has ended.
func launchTime(r *experiment.Result, kernel string, mhz int) *float64 {
	cycles, n := uint64(0), 0
	for _, k := range r.Kernels {
		for _, l := range k.Launches {
			if l.Kernel == kernel && l.EndCycle > 0 {
				cycles += l.EndCycle - l.StartCycle
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	us := float64(cycles) / float64(n) / float64(mhz)
	return &us
}

// logMean is the geometric mean of what is ours over what is the paper's.
type logMean struct {
	sum float64
	n   int
}

func (m *logMean) add(r Row) {
	if r.Ours != nil && r.Paper != nil {
		m.sum += math.Log(*r.Ours / *r.Paper)
		m.n++
	}
}

func (m *logMean) mean() *float64 {
	if m.n == 0 {
		return nil
	}
	x := math.Exp(m.sum / float64(m.n))
	return &x
}
