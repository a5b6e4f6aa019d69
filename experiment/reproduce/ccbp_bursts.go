package reproduce

import (
	"cotenant/experiment/sweep"
)

const sampleNotes = " Samples are of 400 cycles, of the second half of runs that are made again for them, in parts of the sustained bandwidths."

func init() {
	both := []contender{combined("7/4"), combined("7/2")}
	register(&Experiment{
		Name:   "ccbp-fig3",
		About:  "BP beside CFD with numbers of thread blocks: the crossbar's demand over time",
		Source: "CCBP, Figure 3",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + sampleNotes + " Demand is of reads sent, and of requests that wait behind the L1s at the end of the interval.",
		runs:   func(s Scale) []sweep.Run { return ccbpRuns(s, [][]string{bpCFD}, both...) },
		rows: func(d *Data) (rows []Row, err error) {
			gpu, err := d.GPU(d.Scale.GPU)
			if err != nil {
				return nil, err
			}
			for i, c := range both {
				run := ccbpRuns(d.Scale, [][]string{bpCFD}, c)[0]
				list, err := d.samples(run)
				if err != nil {
					return nil, err
				}
				mean, deviation := spread(list, sampledDemand)
				over, _ := spread(list, func(s Sample) float64 { return yes(s.Demand > 1) })
				rows = append(rows, figureRow("mean NoC demand, "+c.name, "%", 100*mean), figureRow("deviation of NoC demand, "+c.name, "points", 100*deviation),
					figureRow("intervals with NoC demand above 100 %, "+c.name, "%", 100*over),
					figureRow("NoC use of CFD, "+c.name, "%", 100*nocUse(d.on(run.GPU, run.Policy, run.Apps), gpu, 1)/sustainedNoC).is([]float64{62, 44}[i], "text 4.1"))
			}
			return rows, nil
		},
	})
	mixes := [][]string{cfdFTD}
	seven := func(s Scale) sweep.Run { return ccbpRun(s, greedy(s), "fixed:tbs=7", cfdFTD[1:]) }
	register(&Experiment{
		Name:   "ccbp-fig4",
		About:  "CFD beside FTD under the CTA oracle, and FTD's seven thread blocks alone: use of the DRAM over time",
		Source: "CCBP, Figure 4 and text 4.1",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + oracleNotes + sampleNotes + " The oracle is that of the harmonic speedup.",
		runs:   func(s Scale) []sweep.Run { return append(withAlone(s, mixes), seven(s)) },
		more:   func(d *Data) []sweep.Run { return d.searched(mixes, viaCTAs) },
		rows: func(d *Data) (rows []Row, err error) {
			if err := d.fit(mixes); err != nil {
				return nil, err
			}
			_, policy := d.best(viaCTAs, cfdFTD, hSpeedup)
			for i, n := range combination(policy) {
				rows = append(rows, row("thread blocks of "+cfdFTD[i]+", best HSpeedup", "", n).is([]float64{4, 7}[i], "text 4.1"))
			}
			for _, c := range []struct {
				name string
				run  sweep.Run
			}{{"FTD's 7 thread blocks alone", seven(d.Scale)}, {"CFD+FTD, CTA_oracle", ccbpRun(d.Scale, plain(d.Scale), policy, cfdFTD)}} {
				list, err := d.samples(c.run)
				if err != nil {
					return nil, err
				}
				mean, deviation := spread(list, sampledDRAM)
				rows = append(rows, figureRow("mean DRAM use, "+c.name, "%", 100*mean), figureRow("deviation of DRAM use, "+c.name, "points", 100*deviation))
			}
			return rows, nil
		},
	})
	register(&Experiment{
		Name:   "ccbp-fig12",
		About:  "CFD beside FTD under the CTA oracle and CCBP: use of the crossbar and of the DRAM, and over time",
		Source: "CCBP, Figure 12",
		GPU:    "ccbp16",
		Notes:  ccbpNotes + detectNotes + oracleNotes + sampleNotes + " The oracle is that of the harmonic speedup. Means are of whole runs, CCBP's detection included; of the crossbar only replies with data count.",
		runs:   func(s Scale) []sweep.Run { return withAlone(s, mixes, viaCCBP) },
		more:   func(d *Data) []sweep.Run { return d.searched(mixes, viaCTAs) },
		rows: func(d *Data) (rows []Row, err error) {
			gpu, err := d.GPU(d.Scale.GPU)
			if err != nil {
				return nil, err
			}
			if err := d.fit(mixes); err != nil {
				return nil, err
			}
			means := map[string]float64{}
			for _, c := range []contender{viaCTAs, viaCCBP} {
				_, policy := d.best(c, cfdFTD, hSpeedup)
				run := ccbpRun(d.Scale, c.machine(d.Scale), policy, cfdFTD)
				r := d.on(run.GPU, run.Policy, run.Apps)
				list, err := d.samples(run)
				if err != nil {
					return nil, err
				}
				for _, x := range []struct {
					name string
					mean float64
					of   func(Sample) float64
				}{{"NoC", nocUse(r, gpu, everybody) / sustainedNoC, sampledNoC}, {"DRAM", r.DRAM.Utilization / sustainedDRAM, sampledDRAM}} {
					_, deviation := spread(list, x.of)
					means[x.name+c.name] = x.mean
					rows = append(rows, figureRow("mean "+x.name+" use, "+c.name, "%", 100*x.mean), figureRow("deviation of "+x.name+" use, "+c.name, "points", 100*deviation))
				}
			}
			return append(rows,
				figureRow("mean NoC use, CCBP over CTA_oracle", "%", higher(means["NoC"+viaCCBP.name], means["NoC"+viaCTAs.name])).is(11, "text 7.3"),
				figureRow("mean DRAM use, CCBP over CTA_oracle", "%", higher(means["DRAM"+viaCCBP.name], means["DRAM"+viaCTAs.name])).is(30, "text 7.3")), nil
		},
	})
}
