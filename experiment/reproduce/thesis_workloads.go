package reproduce

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
)

// until ends a run when every process has completed three times (thesis 5.3.1),
// once at the quick scale.
func (s Scale) until() string {
	if s.Quick {
		return "replays=1"
	}
	return "replays=3"
}

// quickInputs are the inputs of the quick scale. The longest kernels of histo and
// spmv take 10 and 20 microseconds (370 and 42 in Table 5.2), those of the class
// MEDIUM and sad 30 to 120 (1,500 to 15,000), those of tpacf and mri-gridding 640
// and 1,900 (15,000 and 210,000): were all of one length, taking turns as under
// fcfs would be fair.
var quickInputs = map[string]string{
	"cutcp":        "small&set=regions:6,cutoff:2",
	"histo":        "tiny&set=width:256,height:128,deviation:8000,images:2",
	"lbm":          "small&set=y:26,z:8,steps:6",
	"mri-gridding": "tiny&set=size:32,cutoff:1.3,count:16384",
	"mri-q":        "small&set=voxels:53248,count:128",
	"sad":          "small&set=width:160,height:96",
	"sgemm":        "small&set=m:768,n:480,k:64",
	"spmv":         "small&set=size:8000,products:2",
	"stencil":      "small&set=nz:6,steps:4",
	"tpacf":        "small&set=sets:38,points:192",
}

// quickFirst are the high-priority processes of the quick scale, one of each
// class of the thesis' Class 1: SHORT, MEDIUM and LONG. All copy between their
// kernels: one that does not, as tpacf, would leave lower priorities nothing
// while it is replayed.
var quickFirst = []string{"spmv", "mri-q", "sad"}

// class is the group of an application by the length of its kernels (Class 1)
// and by its own length (Class 2), thesis, Table 5.2.
type class struct{ kernels, application string }

var classes = map[string]class{
	"lbm": {"MEDIUM", "LONG"}, "histo": {"SHORT", "MEDIUM"}, "tpacf": {"LONG", "MEDIUM"}, "spmv": {"SHORT", "SHORT"},
	"mri-q": {"MEDIUM", "SHORT"}, "sad": {"LONG", "LONG"}, "sgemm": {"MEDIUM", "SHORT"}, "stencil": {"MEDIUM", "LONG"},
	"cutcp": {"MEDIUM", "MEDIUM"}, "mri-gridding": {"LONG", "LONG"},
}

var classNames = []string{"SHORT", "MEDIUM", "LONG"}

// processes are the sizes of the thesis's workloads.
var processes = []int{2, 4, 6, 8}

// processMix is a workload of several processes, one of which may be preferred.
type processMix struct {
	apps  []string
	first int // the process with the high priority
}

// processMixes draws workloads of n processes. Every application is the
// high-priority process equally often (thesis 5.3.2): five times, or at the
// quick scale each of quickFirst once. Its place among the others is drawn too.
func processMixes(s Scale, n int) (mixes []processMix) {
	apps := slices.Concat(compute, memory)
	turns := 5
	if s.Quick {
		turns = 1
	}
	random := rand.NewPCG(uint64(n), 0)
	for turn := range turns {
		for i, app := range apps {
			if s.Quick && !slices.Contains(quickFirst, app) {
				continue
			}
			others := slices.Delete(slices.Clone(apps), i, i+1)
			mix := sweep.Draw(1, n-1, others, uint64(1000*turn+100*n+i))[0]
			place := int(random.Uint64() % uint64(n))
			mixes = append(mixes, processMix{slices.Insert(mix, place, app), place})
		}
	}
	return mixes
}

// specs are the applications as run takes them; with priority the first is told
// apart.
func (m processMix) specs(s Scale, priority bool) (list []string) {
	for i, app := range m.apps {
		size := s.Size
		if s.Quick {
			size = quickInputs[app]
		}
		spec := app + "?size=" + size + "&arch=k20c"
		if priority && i == m.first {
			spec += "&priority=1"
		}
		list = append(list, spec)
	}
	return list
}

// prioritized says that a policy's runs have a process of high priority, whose
// copies go first as well: the thesis compares with non-prioritized execution
// (5.3.2).
func prioritized(p named, priority bool) bool { return priority && p != fcfs }

// processRuns are the runs of all workloads under some policies.
func processRuns(s Scale, priority bool, policies ...named) (runs []sweep.Run) {
	for _, n := range processes {
		for _, m := range processMixes(s, n) {
			for _, p := range policies {
				first := prioritized(p, priority)
				runs = append(runs, sweep.Run{GPU: s.processGPU(first), Policy: p.spec, Apps: m.specs(s, first), Window: sweep.Window{Until: s.until()}, Seed: 1})
			}
		}
	}
	return runs
}

// processGPU is the GPU of runs with a process of high priority or without.
func (s Scale) processGPU(priority bool) string {
	if priority {
		return with(s.GPU, "host.pcie.scheduler=npq")
	}
	return s.GPU
}

// ratios collects how much better something is under one policy than under
// another, by workload, and averages them.
type ratios struct{ list []float64 }

// add takes a ratio unless it is not defined.
func (r *ratios) add(better, worse experiment.Figure) {
	if better > 0 && worse > 0 { // which undefined ones are not
		r.list = append(r.list, float64(better/worse))
	}
}

// mean is nil if nothing was added.
func (r *ratios) mean() *float64 {
	if len(r.list) == 0 {
		return nil
	}
	sum := 0.0
	for _, x := range r.list {
		sum += x
	}
	sum /= float64(len(r.list))
	return &sum
}

// overProcesses makes a row for each number of processes: the mean over the
// workloads of what collect adds for the results under base and under p.
func (d *Data) overProcesses(label string, priority bool, base, p named, collect func(*ratios, processMix, *experiment.Result, *experiment.Result)) (rows []Row) {
	for _, n := range processes {
		var r ratios
		for _, m := range processMixes(d.Scale, n) {
			under := func(p named) *experiment.Result {
				first := prioritized(p, priority)
				return d.on(d.Scale.processGPU(first), p.spec, m.specs(d.Scale, first))
			}
			collect(&r, m, under(base), under(p))
		}
		rows = append(rows, Row{Label: fmt.Sprintf("%s, %d processes, %s", label, n, p.name), Ours: r.mean()})
	}
	return rows
}
