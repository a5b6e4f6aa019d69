package sweep

import (
	"slices"
	"strconv"
	"strings"

	"cotenant/experiment"
	"cotenant/platform/build"
	"cotenant/workload"
	"cotenant/workload/source"
)

// Run is one run, in the words of the run command's flags.
type Run struct {
	GPU    string
	Policy string
	Apps   []string
	Window
	Seed uint64
	// UnknownOpcodeALU takes an opcode of a trace that the tables do not know as
	// an integer instruction.
	UnknownOpcodeALU bool
	// IsolatedGPU is the GPU on which the applications run alone, "" for GPU.
	IsolatedGPU string
	// Pages says where the applications' pages are when they start, alone as in the
	// mix; "" as build.PagesResident.
	Pages build.PageMode
}

// Runs lists the runs of a matrix, in its order.
func (m *Matrix) Runs() (runs []Run) {
	pages := build.PageMode(m.Pages)
	if pages == build.PagesResident {
		pages = "" // as not said
	}
	var mixes [][]string
	for i := range m.Mixes {
		mixes = append(mixes, m.Mixes[i].list()...)
	}
	for _, gpu := range m.GPUs {
		for _, policy := range m.Policies {
			for _, apps := range mixes {
				for _, window := range m.Cycles {
					window.MaxCycles = uint64(m.MaxCycles)
					for _, seed := range m.Seeds {
						runs = append(runs, Run{GPU: gpu, Policy: policy, Apps: apps, Window: window, Seed: uint64(seed),
							UnknownOpcodeALU: m.UnknownOpcode == "alu", IsolatedGPU: m.IsolatedGPU, Pages: pages})
					}
				}
			}
		}
	}
	return runs
}

// alone is the run of one of the applications by itself, for as long as it has
// in the mix on a GPU of a clock in MHz.
func (r Run) alone(spec string, mhz int) (Run, error) {
	app, process, err := source.Split(spec)
	if err != nil {
		return r, err
	}
	r = r.byItself(app)
	if r.Cycles > 0 {
		r.Cycles -= min(r.Cycles-1, experiment.ArrivalCycle(process, mhz))
	}
	return r, nil
}

// byItself is the run with one application alone, where applications run alone.
func (r Run) byItself(app string) Run {
	r.Policy, r.Apps = experiment.IsolatedPolicy, []string{app}
	if r.IsolatedGPU != "" {
		r.GPU, r.IsolatedGPU = r.IsolatedGPU, ""
	}
	return r
}

// whole is the run to its end of an application of a run, in a mix and alone, whose
// window may be too short for one; needed says whether a goal follows from it.
func (r Run) whole(spec, alone string) (run Run, needed bool) {
	run = r.byItself(alone)
	run.Window = Window{Until: "done", MaxCycles: r.MaxCycles}
	return run, r.Cycles > 0 && isTimed(spec)
}

// isTimed reports whether an application has a goal in time.
func isTimed(spec string) bool {
	_, a, err := source.Split(spec)
	return err == nil && a.QoSTime > 0 // the error is found when it is opened
}

// resident reports whether all pages are there when the applications start.
func (r Run) resident() bool { return r.Pages == "" || r.Pages == build.PagesResident }

// Arguments are the command line that makes the run, without the program and
// without flags of its output.
func (r Run) Arguments() []string {
	args := []string{"run", "--gpu", r.GPU, "--policy", r.Policy}
	for _, app := range r.Apps {
		args = append(args, "--app", app)
	}
	if r.Cycles > 0 {
		args = append(args, "--cycles", strconv.FormatUint(r.Cycles, 10))
	} else {
		args = append(args, "--until", r.Until)
	}
	if r.MaxCycles > 0 && (r.Cycles == 0 || slices.ContainsFunc(r.Apps, isTimed)) {
		args = append(args, "--max-cycles", strconv.FormatUint(r.MaxCycles, 10))
	}
	if r.IsolatedGPU != "" {
		args = append(args, "--isolated-gpu", r.IsolatedGPU)
	}
	if !r.resident() {
		args = append(args, "--pages", string(r.Pages))
	}
	args = append(args, "--seed", strconv.FormatUint(r.Seed, 10))
	if r.UnknownOpcodeALU {
		args = append(args, "--unknown-opcode", "alu")
	}
	return args
}

// withIsolated are arguments of a run with what every application achieves alone, which
// is then not measured; none if it is not given.
func withIsolated(args []string, isolated []experiment.Isolated) []string {
	if len(isolated) == 0 {
		return args
	}
	var list []string
	for _, alone := range isolated {
		list = append(list, alone.String()) // reads back as it was
	}
	return append(slices.Clip(args), "--isolated", strings.Join(list, ","))
}

// String names the run in messages.
func (r Run) String() string {
	window := r.Until
	if r.Cycles > 0 {
		window = workload.Count(r.Cycles, "cycle")
	}
	text := strings.Join(r.Apps, " + ") + " on " + r.GPU + " under " + r.Policy + ", " + window + ", seed " + strconv.FormatUint(r.Seed, 10)
	if !r.resident() {
		text += ", pages " + string(r.Pages)
	}
	return text
}
