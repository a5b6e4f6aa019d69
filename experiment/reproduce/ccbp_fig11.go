package reproduce

import (
	"math"

	"cotenant/experiment"
	"cotenant/experiment/sweep"
)

func init() {
	mixes := [][]string{bpCFD}
	register(&Experiment{
		Name:   "ccbp-fig11",
		About:  "BP beside CFD under the CTA oracle, with MIL, and CCBP: slowdown, read latency, use of the crossbar, stalls",
		Source: "CCBP, Figure 11",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + detectNotes + oracleNotes + latencyNotes + " The oracle is that of the harmonic speedup, and MIL (sm.memory_issue=mil) has its combination. Stalls are shares of BP's scheduler-cycles without issue: here a cycle is charged to what was nearest to letting an instruction issue, in the paper to what each stalled instruction waits for. The use of the crossbar is of the sustained bandwidth.",
		runs: func(s Scale) []sweep.Run {
			return append(withAlone(s, mixes, viaCCBP), aloneOn(s, greedyTimed, bpCFD[:1])...)
		},
		more: func(d *Data) []sweep.Run {
			oracle := d.searched(mixes, viaCTAs)
			if d.lacks(oracle) {
				return oracle
			}
			best, mil := d.fig11()
			return ccbpRuns(d.Scale, mixes, mil, countingReads(best), milCountingReads(mil))
		},
		rows: func(d *Data) (rows []Row, err error) {
			if err := d.fit(mixes); err != nil {
				return nil, err
			}
			gpu, err := d.GPU(d.Scale.GPU)
			if err != nil {
				return nil, err
			}
			best, mil := d.fig11()
			rows = bpStalls(d.corun(greedy(d.Scale), fcfs.spec, bpCFD[:1]), "alone")
			for _, c := range []struct{ contender, counting contender }{{best, countingReads(best)}, {mil, milCountingReads(mil)}, {viaCCBP, viaCCBP}} {
				r := d.corun(c.contender.machine(d.Scale), c.contender.policy(d.Scale), bpCFD)
				name := c.contender.name
				rows = append(rows, d.slowdowns(r, bpCFD, name)...)
				rows = append(rows, figureRow("read latency of BP over alone, "+name, "", d.latencyOverAlone(c.counting, bpCFD, 0)),
					figureRow("NoC use, "+name, "%", 100*nocUse(r, gpu, everybody)/sustainedNoC))
				rows = append(rows, bpStalls(r, name)...)
			}
			ours := d.corun(viaCCBP.machine(d.Scale), viaCCBP.policy(d.Scale), bpCFD)
			for i, name := range bpCFD {
				k := decided(ours, i)
				rows = append(rows, figureRow("thread blocks of "+name+", CCBP", "", float64(k.CTAs)), figureRow("requests of "+name+" an interval, demand, CCBP", "", wanted(k)))
			}
			return oldPublished{
				"RAW_long of BP, alone":      {43, "text 7.2"},
				"RAW_long of BP, CTA_oracle": {56, "text 7.2"},
				"LSU_full of BP, CTA_oracle": {20, "text 7.2"},
				"RAW_long of BP, CCBP":       {49, "text 7.2"},
				"LSU_full of BP, CCBP":       {8, "text 7.2"},
			}.add(rows), nil
		},
	})
}

// fig11 are the CTA oracle's best combination, and the same with MIL.
func (d *Data) fig11() (best, mil contender) {
	_, policy := d.best(viaCTAs, bpCFD, hSpeedup)
	best = contender{name: viaCTAs.name, machine: plain, policy: always(policy)}
	mil = contender{name: viaCTAs.name + "+MIL", machine: plainWith(milOption), policy: best.policy}
	return best, mil
}

const milOption = "sm.memory_issue=mil"

// milCountingReads is countingReads of a contender with MIL.
func milCountingReads(c contender) contender {
	c.machine = func(s Scale) string { return with(ungoverned(s), milOption) }
	return c
}

// lacks reports whether one of the runs has no result yet.
func (d *Data) lacks(runs []sweep.Run) bool {
	for _, r := range runs {
		if d.known(r.GPU, r.Policy, r.Apps) == nil {
			return true
		}
	}
	return false
}

// bpStalls are rows of the first tenant's stalls, in percent of them all.
func bpStalls(r *experiment.Result, name string) (rows []Row) {
	k := &r.Kernels[0]
	all := -float64(k.Stalls["issued"])
	for _, n := range k.Stalls {
		all += float64(n)
	}
	if all <= 0 {
		all = math.NaN()
	}
	for _, c := range []struct{ name, cause string }{{"RAW_long", "raw_long"}, {"LSU_full", "lsu_full"}} {
		rows = append(rows, figureRow(c.name+" of BP, "+name, "%", 100*float64(k.Stalls[c.cause])/all))
	}
	return rows
}
