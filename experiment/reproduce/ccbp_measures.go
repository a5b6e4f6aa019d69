package reproduce

import (
	"math"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
	"cotenant/metrics"
)

// speedup is one of the CCBP paper's two metrics, a function of normalised IPCs (3.3).
type speedup struct {
	name string
	of   func(normalized []float64) float64
}

var (
	hSpeedup = speedup{"HSpeedup", metrics.HSpeedup}
	wSpeedup = speedup{"WSpeedup", metrics.STP}
	speedups = []speedup{hSpeedup, wSpeedup}
)

const (
	ccbpNotes = "Speedups are over runs of each kernel alone with greedy-then-oldest scheduling, as the paper's (3.1), not over the results' own isolated IPC; means over mixes are geometric. Windows are 2M cycles, 300,000 with --quick; the paper's are 100M."
	pairNotes = " --quick has every third of the 66 pairs, 22."
	// detectNotes say how CCBP runs here.
	detectNotes = " CCBP detects while it runs, with the paper's times; with --quick in a run before, in which detection takes as long, or where that is said (CCBP_online, CCBP_DRF) while it runs in a tenth of the time. It differs from the paper in two points: latency-sensitive kernels have no rate (ls_unlimited), and load-store units let other tenants pass the one whose queue is full (sm.lsu.skip)."
	// heldNotes say what is compared where detection is the same.
	heldNotes = " What it decided for a mix on the machine itself everybody has from the beginning on each machine that is compared: detection differs by more from run to run."
	// oracleNotes say what oracles try.
	oracleNotes = " CTA_oracle tries all combinations to which no thread block can be added. An application with several kernels counts as the kernel of which fewest thread blocks fit."
)

// ccbpCycles is the window of the CCBP experiments.
func ccbpCycles(s Scale) uint64 {
	if s.Quick {
		return 300_000
	}
	return s.Cycles
}

// ccbpRun is a run of kernels of Table 2.
func ccbpRun(s Scale, gpu, policy string, mix []string) sweep.Run {
	return sweep.Run{GPU: gpu, Policy: policy, Apps: ccbpSpecs(s, mix), Window: sweep.Window{Cycles: ccbpCycles(s)}, Seed: 1}
}

// aloneOn lists the runs of each kernel alone, on a machine for kernels alone.
func aloneOn(s Scale, machine func(Scale) string, names []string) (runs []sweep.Run) {
	for _, name := range names {
		runs = append(runs, ccbpRun(s, machine(s), fcfs.spec, []string{name}))
	}
	return runs
}

// ccbpRuns lists the runs of mixes, but for those that are searched for.
func ccbpRuns(s Scale, mixes [][]string, list ...contender) (runs []sweep.Run) {
	for _, c := range list {
		for _, mix := range mixes {
			if c.tried == nil {
				runs = append(runs, ccbpRun(s, c.machine(s), c.policy(s), mix))
			}
		}
	}
	return runs
}

// greedy is the machine for kernels alone (3.1).
var greedy = plainWith("sm.scheduler=gto")

// withAlone are the runs of mixes, and those of all kernels alone.
func withAlone(s Scale, mixes [][]string, list ...contender) []sweep.Run {
	seen, names := map[string]bool{}, []string(nil)
	for _, k := range ccbpKernels {
		for _, mix := range mixes {
			for _, name := range mix {
				if name == k.name && !seen[name] {
					seen[name] = true
					names = append(names, name)
				}
			}
		}
	}
	return append(aloneOn(s, greedy, names), ccbpRuns(s, mixes, list...)...)
}

// searched lists the runs that the searches among contenders ask for now.
func (d *Data) searched(mixes [][]string, list ...contender) (runs []sweep.Run) {
	for _, c := range list {
		for _, mix := range mixes {
			for _, m := range speedups {
				if c.tried == nil {
					continue
				}
				for _, policy := range c.tried(d, mix, m) {
					runs = append(runs, ccbpRun(d.Scale, c.machine(d.Scale), policy, mix))
				}
			}
		}
	}
	return runs
}

// corun is the result of a mix under a policy on a machine.
func (d *Data) corun(gpu, policy string, mix []string) *experiment.Result {
	return d.on(gpu, policy, ccbpSpecs(d.Scale, mix))
}

// normalized are the IPCs of a mix over those alone.
func (d *Data) normalized(r *experiment.Result, mix []string) (list []float64) {
	for i, name := range mix {
		alone := d.corun(greedy(d.Scale), fcfs.spec, []string{name})
		list = append(list, metrics.Normalized(r.Kernels[i].IPC, alone.Kernels[0].IPC))
	}
	return list
}

// best is the speedup of a mix with a contender, and the policy; of several the first of
// the highest speedup. NaN if none is known or defined.
func (d *Data) best(c contender, mix []string, m speedup) (value float64, policy string) {
	if c.tried == nil {
		policy = c.policy(d.Scale)
		return m.of(d.normalized(d.corun(c.machine(d.Scale), policy, mix), mix)), policy
	}
	value = math.NaN()
	for _, p := range c.tried(d, mix, m) {
		r := d.known(c.machine(d.Scale), p, ccbpSpecs(d.Scale, mix))
		if r == nil {
			continue
		}
		if v := m.of(d.normalized(r, mix)); policy == "" || v > value {
			value, policy = v, p
		}
	}
	return value, policy
}

// geometric is the geometric mean of a speedup over mixes, NaN if it is not defined for
// one of them, or without any.
func (d *Data) geometric(c contender, mixes [][]string, m speedup) float64 {
	sum := 0.0
	for _, mix := range mixes {
		value, _ := d.best(c, mix, m)
		sum += math.Log(value)
	}
	return math.Exp(sum / float64(len(mixes)))
}

// speedupsOf are the rows of mean speedups by group and contender.
func (d *Data) speedupsOf(metrics []speedup, groups []oldGroup, list ...contender) (rows []Row) {
	for _, m := range metrics {
		for _, g := range groups {
			for _, c := range list {
				rows = append(rows, Row{Label: m.name + ", " + g.name + ", " + c.name, Ours: defined(d.geometric(c, g.mixes, m))})
			}
		}
	}
	return rows
}

// gains are rows of how much higher mean speedups are with one contender than with each
// of others, in percent.
func (d *Data) gains(metrics []speedup, groups []oldGroup, c contender, others ...contender) (rows []Row) {
	for _, m := range metrics {
		for _, g := range groups {
			for _, base := range others {
				rows = append(rows, Row{Label: m.name + ", " + g.name + ", " + c.name + " over " + base.name, Unit: "%",
					Ours: defined(higher(d.geometric(c, g.mixes, m), d.geometric(base, g.mixes, m)))})
			}
		}
	}
	return rows
}

// slowdowns are rows of the IPC alone over that in a mix, of each kernel.
func (d *Data) slowdowns(r *experiment.Result, mix []string, name string) (rows []Row) {
	for i, n := range d.normalized(r, mix) {
		rows = append(rows, figureRow("slowdown of "+mix[i]+", "+name, "", metrics.NTT(n)))
	}
	return rows
}
