package reproduce

import (
	"fmt"
	"strconv"
	"strings"

	"cotenant/experiment/sweep"
)

var (
	bpCFD  = []string{"BP", "CFD"}
	cfdFTD = []string{"CFD", "FTD"}
)

// combined is a contender that has so many thread blocks on each SM.
func combined(tbs string) contender {
	return contender{name: tbs, machine: plain, policy: always("fixed:tbs=" + tbs)}
}

// countingReads is a contender on a machine whose controllers limit nobody, but count latencies.
func countingReads(c contender) contender {
	c.machine = ungoverned
	return c
}

// latencyNotes say on which machine latencies are measured.
const latencyNotes = " Read latencies are from a miss's coming into the queue behind the L1 to its reply; on GPUs without rate controllers nobody counts them, so these are of the same runs on the GPU with controllers that limit nobody, where tenants have queues of their own."

func init() {
	both := []contender{combined("7/4"), combined("7/2")}
	register(&Experiment{
		Name:   "ccbp-fig2",
		About:  "BP beside CFD with numbers of thread blocks: slowdown, read latency and use of the crossbar",
		Source: "CCBP, Figure 2 and text 4.1",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + oracleNotes + latencyNotes + " Use of the crossbar is that of CFD, of the sustained bandwidth: the paper does not say of what, but it is above what CFD takes of the peak alone.",
		runs: func(s Scale) []sweep.Run {
			runs := withAlone(s, [][]string{bpCFD}, both...)
			runs = append(runs, ccbpRuns(s, [][]string{bpCFD}, countingReads(both[0]), countingReads(both[1]))...)
			return append(runs, aloneOn(s, greedyTimed, bpCFD[:1])...)
		},
		more: func(d *Data) []sweep.Run { return d.searched([][]string{bpCFD}, viaCTAs) },
		rows: func(d *Data) (rows []Row, err error) {
			gpu, err := d.GPU(d.Scale.GPU)
			if err != nil {
				return nil, err
			}
			if err := d.fit([][]string{bpCFD}); err != nil {
				return nil, err
			}
			for _, m := range speedups {
				_, policy := d.best(viaCTAs, bpCFD, m)
				for i, n := range combination(policy) {
					rows = append(rows, row(fmt.Sprintf("thread blocks of %s, best %s", bpCFD[i], m.name), "", n).is([]float64{7, 4}[i], "text 4.1"))
				}
			}
			for _, c := range both {
				rows = append(rows, d.speedupsOf(speedups, []oldGroup{{"BP+CFD", [][]string{bpCFD}}}, c)...)
				r := d.corun(c.machine(d.Scale), c.policy(d.Scale), bpCFD)
				rows = append(rows, d.slowdowns(r, bpCFD, c.name)...)
				rows = append(rows, figureRow("NoC use of CFD, "+c.name, "%", 100*nocUse(r, gpu, 1)/sustainedNoC),
					figureRow("NoC use of both, "+c.name, "%", 100*nocUse(r, gpu, everybody)/sustainedNoC),
					figureRow("read latency of BP over alone, "+c.name, "", d.latencyOverAlone(countingReads(c), bpCFD, 0)))
			}
			return oldPublished{
				"WSpeedup, BP+CFD, 7/4": {1.3, "text 4.1"},
				"WSpeedup, BP+CFD, 7/2": {1.2, "text 4.1"},
				"NoC use of CFD, 7/4":   {62, "text 4.1"},
				"NoC use of CFD, 7/2":   {44, "text 4.1"},
			}.add(rows), nil
		},
	})
}

// greedyTimed is the machine for kernels alone with controllers, which counts latencies.
func greedyTimed(s Scale) string { return with(ungoverned(s), "sm.scheduler=gto") }

// combination is the thread blocks of the policy fixed.
func combination(policy string) (tbs []float64) {
	_, options, _ := strings.Cut(policy, "tbs=")
	list, _, _ := strings.Cut(options, ",")
	for word := range strings.SplitSeq(list, "/") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil
		}
		tbs = append(tbs, float64(n))
	}
	return tbs
}

// latencyOverAlone is a tenant's mean read latency in a mix over that alone. The
// contender's machine must have controllers.
func (d *Data) latencyOverAlone(c contender, mix []string, tenant int) float64 {
	alone := d.corun(greedyTimed(d.Scale), fcfs.spec, mix[tenant:tenant+1])
	return readLatency(d.corun(c.machine(d.Scale), c.policy(d.Scale), mix), tenant) / readLatency(alone, 0)
}
